package peer;

import java.util.Random;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UserException;
import org.omg.CORBA.portable.OutputStream;

/** Writes values of any type, by its TypeCode: zero, extreme, or pseudo-random from a seed. */
final class Filler {
  enum Mode { ZERO, LOWEST, HIGHEST, RANDOM }

  /** The characters of strings: Latin-1, or those of UTF-8 that take one octet. */
  static int highestChar = 255;

  private final Mode mode;
  private final Random random;
  private int depth;

  Filler(Mode mode, long seed) {
    this.mode = mode;
    random = new Random(seed);
  }

  void write(TypeCode type, OutputStream out) throws UserException {
    switch (type.kind().value()) {
      case TCKind._tk_alias -> write(type.content_type(), out);
      case TCKind._tk_short -> out.write_short((short) integer(16));
      case TCKind._tk_ushort -> out.write_ushort((short) unsigned(16));
      case TCKind._tk_long -> out.write_long((int) integer(32));
      case TCKind._tk_ulong -> out.write_ulong((int) unsigned(32));
      case TCKind._tk_longlong -> out.write_longlong(integer(64));
      case TCKind._tk_ulonglong -> out.write_ulonglong(unsigned(64));
      case TCKind._tk_octet -> out.write_octet((byte) unsigned(8));
      case TCKind._tk_boolean -> out.write_boolean(below(2, 0, 0, 1) == 1);
      case TCKind._tk_char -> out.write_char(character());
      case TCKind._tk_float -> out.write_float((float) real(Float.MAX_VALUE));
      case TCKind._tk_double -> out.write_double(real(Double.MAX_VALUE));
      case TCKind._tk_string -> out.write_string(text(type.length() == 0 ? 40 : type.length()));
      case TCKind._tk_enum -> out.write_long(below(type.member_count(), 0, 0, type.member_count() - 1));
      case TCKind._tk_struct -> {
        for (int i = 0; i < type.member_count(); ++i) write(type.member_type(i), out);
      }
      case TCKind._tk_union -> writeUnion(type, below(type.member_count(), 0, 0, type.member_count() - 1), out);
      case TCKind._tk_array -> {
        for (int i = 0; i < type.length(); ++i) write(type.content_type(), out);
      }
      case TCKind._tk_sequence -> {
        int limit = type.length() == 0 ? 3 : Math.min(type.length(), 3);
        writeSequence(type, depth < 3 ? below(limit + 1, 0, 0, limit) : 0, out);
      }
      default -> throw new IllegalArgumentException("values of kind " + type.kind().value() + " cannot be made");
    }
  }

  void writeSequence(TypeCode type, int count, OutputStream out) throws UserException {
    ++depth;
    out.write_ulong(count);
    for (int i = 0; i < count; ++i) write(type.content_type(), out);
    --depth;
  }

  /** The union with this member. */
  void writeUnion(TypeCode type, int member, OutputStream out) throws UserException {
    if (member == type.default_index()) writeUnusedLabel(type, out);
    else ((org.jacorb.orb.Any) type.member_label(member)).write_value(out);
    write(type.member_type(member), out);
  }

  /** A discriminator that selects no member. No union of the suite uses 3. */
  static void writeUnusedLabel(TypeCode type, OutputStream out) throws UserException {
    switch (resolved(type.discriminator_type()).kind().value()) {
      case TCKind._tk_char -> out.write_char((char) 3);
      case TCKind._tk_ushort -> out.write_ushort((short) 3);
      case TCKind._tk_longlong -> out.write_longlong(3);
      default -> out.write_long(3);
    }
  }

  static TypeCode resolved(TypeCode type) throws UserException {
    return type.kind() == TCKind.tk_alias ? resolved(type.content_type()) : type;
  }

  String text(int limit) {
    StringBuilder text = new StringBuilder();
    for (int left = below(limit + 1, 0, 0, limit); left > 0; --left) text.append((char) Math.max(1, character()));
    return text.toString();
  }

  char character() {
    return (char) below(highestChar + 1, 0, 1, highestChar);
  }

  private long integer(int bits) {
    long lowest = -1L << (bits - 1);
    return pick(0, lowest, ~lowest, random.nextLong() >> (64 - bits));
  }

  private long unsigned(int bits) {
    return pick(0, 0, -1, random.nextLong());
  }

  private double real(double highest) {
    double value = random.nextGaussian() * Math.pow(2, random.nextInt(60));
    return mode == Mode.ZERO ? 0 : mode == Mode.LOWEST ? -highest : mode == Mode.HIGHEST ? highest : value;
  }

  private int below(int limit, int zero, int lowest, int highest) {
    return (int) pick(zero, lowest, highest, random.nextInt(limit));
  }

  private long pick(long zero, long lowest, long highest, long any) {
    return switch (mode) {
      case ZERO -> zero;
      case LOWEST -> lowest;
      case HIGHEST -> highest;
      case RANDOM -> any;
    };
  }
}
