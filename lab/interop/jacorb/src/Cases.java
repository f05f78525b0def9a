package peer;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.UserException;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.Streamable;

/** The values for the checks of an echo operation, created by the TypeCode of its parameters. */
final class Cases {
  /** The name of a check, and the values that it sends, each in a holder. */
  record Case(String name, List<Streamable> values) {}

  /** Writes a value. */
  private interface Writer {
    void write(OutputStream out) throws UserException;
  }

  /** Two copies of a value and some overhead must fit into the message limits of all peers. */
  private static final int LARGEST_VALUE = 800_000;

  private final ORB orb;
  private final Class<?> holder;
  private final TypeCode type;
  private final List<Case> all = new ArrayList<>();

  private Cases(ORB orb, Class<?> holder, TypeCode type) {
    this.orb = orb;
    this.holder = holder;
    this.type = type;
  }

  static List<Case> of(ORB orb, Class<?> holder, TypeCode declared) throws Exception {
    TypeCode type = Filler.resolved(declared);
    Cases cases = new Cases(orb, holder, type);
    switch (type.kind().value()) {
      case TCKind._tk_short, TCKind._tk_long, TCKind._tk_longlong -> cases.integers();
      case TCKind._tk_float -> cases.floats();
      case TCKind._tk_double -> cases.doubles();
      case TCKind._tk_boolean -> cases.booleans();
      case TCKind._tk_char -> cases.characters();
      case TCKind._tk_octet -> cases.octets();
      case TCKind._tk_string -> cases.strings();
      case TCKind._tk_enum -> cases.enumerators();
      case TCKind._tk_union -> cases.unions();
      case TCKind._tk_sequence -> cases.sequences();
      default -> cases.extremes();
    }
    return cases.all;
  }

  private void add(String name, Writer... writers) throws Exception {
    List<Streamable> values = new ArrayList<>();
    for (Writer writer : writers) {
      OutputStream out = orb.create_output_stream();
      writer.write(out);
      Streamable value = Holders.of(holder, null);
      value._read(out.create_input_stream());
      values.add(value);
    }
    all.add(new Case(name, values));
  }

  private static Writer[] each(IntStream values, java.util.function.IntFunction<Writer> writer) {
    return values.mapToObj(writer).toArray(Writer[]::new);
  }

  // ---- Basic types -----------------------------------------------------------------------------

  private void integers() throws Exception {
    int bits = type.kind() == TCKind.tk_short ? 16 : type.kind() == TCKind.tk_long ? 32 : 64;
    long lowest = -1L << (bits - 1);
    add("zero", integer(0));
    add("one", integer(1));
    add("min", integer(lowest));
    add("max", integer(~lowest));
    add("all_ones", integer(-1));
    add("bytes", integer(0x0123456789abcdefL), integer(0xfedcba9876543210L));
  }

  private Writer integer(long value) {
    return switch (type.kind().value()) {
      case TCKind._tk_short -> out -> out.write_short((short) value);
      case TCKind._tk_long -> out -> out.write_long((int) value);
      default -> out -> out.write_longlong(value);
    };
  }

  private void floats() throws Exception {
    add("zero", out -> out.write_float(0), out -> out.write_float(-0.0f), out -> out.write_float(1));
    add("extremes", out -> out.write_float(Float.MAX_VALUE), out -> out.write_float(-Float.MAX_VALUE));
    add("denormal", out -> out.write_float(Float.MIN_VALUE), out -> out.write_float(Float.MIN_NORMAL));
    add("infinity", out -> out.write_float(1 / 0f), out -> out.write_float(-1 / 0f));
    add("nan", out -> out.write_float(Float.NaN));
  }

  private void doubles() throws Exception {
    add("zero", out -> out.write_double(0), out -> out.write_double(-0.0), out -> out.write_double(-1 / 3.0));
    add("extremes", out -> out.write_double(Double.MAX_VALUE), out -> out.write_double(-Double.MAX_VALUE));
    add("denormal", out -> out.write_double(Double.MIN_VALUE), out -> out.write_double(Double.MIN_NORMAL));
    add("infinity", out -> out.write_double(1 / 0.0), out -> out.write_double(-1 / 0.0));
    add("nan", out -> out.write_double(Double.NaN));
  }

  private void booleans() throws Exception {
    add("false", out -> out.write_boolean(false));
    add("true", out -> out.write_boolean(true));
  }

  private void characters() throws Exception {
    add("letter", out -> out.write_char('A'));
    add("every", each(IntStream.rangeClosed(0, Filler.highestChar), c -> out -> out.write_char((char) c)));
  }

  private void octets() throws Exception {
    add("zero", out -> out.write_octet((byte) 0));
    add("every", each(IntStream.range(0, 256), octet -> out -> out.write_octet((byte) octet)));
  }

  private void enumerators() throws Exception {
    add("every", each(IntStream.range(0, type.member_count()), number -> out -> out.write_long(number)));
  }

  /** All characters of Latin-1, or characters of one to four octets in UTF-8. */
  static String everything() {
    if (Filler.highestChar < 255) return "~\u007f \u00e9\u00df\u07ff \u0800\u20ac\uffee \ud800\udf48\ud83d\ude00";
    StringBuilder text = new StringBuilder();
    for (char c = 1; c < 256; ++c) text.append(c);
    return text.toString();
  }

  private void strings() throws Exception {
    int limit = type.length();
    add("empty", text(""));
    add("one_char", text("x"));
    if (limit > 0) {
      add("full", text("p".repeat(limit)), text(String.valueOf((char) Filler.highestChar).repeat(limit)));
      return;
    }
    add("lines", text("tab\tand\r\nnewline\n"));
    add("every_char", text(everything()));
    add("every_padding", each(IntStream.range(0, 10), length -> text("p".repeat(length))));
    add("8_kb", text("k".repeat(8192)), text("k"));
    add("100_kb", text("y".repeat(100_000)), text("z".repeat(100_001)));
  }

  private static Writer text(String text) {
    return out -> out.write_string(text);
  }

  // ---- Constructed types -----------------------------------------------------------------------

  private void extremes() throws Exception {
    for (Filler.Mode mode : Filler.Mode.values()) {
      int seeds = mode == Filler.Mode.RANDOM ? 8 : 1;
      add(mode.name().toLowerCase(), each(IntStream.range(0, seeds), seed -> filled(mode, seed)));
    }
  }

  private Writer filled(Filler.Mode mode, int seed) {
    return out -> new Filler(mode, seed).write(type, out);
  }

  private void unions() throws Exception {
    for (int i = 0; i < type.member_count(); ++i) {
      int member = i;
      add(i + "_" + type.member_name(i), out -> new Filler(Filler.Mode.RANDOM, 1).writeUnion(type, member, out),
          out -> new Filler(Filler.Mode.HIGHEST, 1).writeUnion(type, member, out));
    }
    boolean hasMore = type.name().equals("ByColour") || type.name().equals("ByLongLong");
    if (hasMore) add("no_member", out -> Filler.writeUnusedLabel(type, out));
  }

  private void sequences() throws Exception {
    int limit = type.length();
    add("empty", sequence(Filler.Mode.ZERO, 0));
    add("one", sequence(Filler.Mode.RANDOM, 1));
    if (limit > 0) {
      add("full", sequence(Filler.Mode.RANDOM, limit), sequence(Filler.Mode.HIGHEST, limit));
      return;
    }
    add("few", each(IntStream.range(2, 10), count -> sequence(Filler.Mode.RANDOM, count)));
    add("zeroes", sequence(Filler.Mode.ZERO, 5));
    add("lowest", sequence(Filler.Mode.LOWEST, 5));
    add("highest", sequence(Filler.Mode.HIGHEST, 5));
    add("hundred", sequence(Filler.Mode.RANDOM, 100));
    Streamable hundred = all.get(all.size() - 1).values().get(0);
    add("large", sequence(Filler.Mode.RANDOM,
        Math.min(10_000, LARGEST_VALUE * 100 / Holders.encodedLength(orb, hundred))));
  }

  private Writer sequence(Filler.Mode mode, int count) {
    return out -> new Filler(mode, count).writeSequence(type, count, out);
  }
}
