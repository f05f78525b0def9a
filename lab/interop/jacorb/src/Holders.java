package peer;

import java.lang.reflect.Field;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.OutputStream;
import org.omg.CORBA.portable.Streamable;

/** Holders of any type. Each has a field "value", and can read and write its type. */
final class Holders {
  private Holders() {}

  static Object get(Streamable holder) throws ReflectiveOperationException {
    return field(holder).get(holder);
  }

  static void set(Streamable holder, Object value) throws ReflectiveOperationException {
    field(holder).set(holder, value);
  }

  static Streamable of(Class<?> type, Object value) throws ReflectiveOperationException {
    Streamable holder = (Streamable) type.getConstructor().newInstance();
    if (value != null) set(holder, value);
    return holder;
  }

  /** The number of octets of the value in CDR. */
  static int encodedLength(ORB orb, Streamable holder) {
    OutputStream out = orb.create_output_stream();
    holder._write(out);
    return ((org.jacorb.orb.CDROutputStream) out).getBufferCopy().length;
  }

  private static Field field(Streamable holder) throws ReflectiveOperationException {
    return holder.getClass().getField("value");
  }
}
