package javax.rmi.CORBA;

import java.io.Serializable;
import org.omg.CORBA.NO_IMPLEMENT;
import org.omg.CORBA.portable.InputStream;
import org.omg.CORBA.portable.OutputStream;

/** The part of RMI's value handler that JacORB uses. Values of IDL only need a repository id. */
public interface ValueHandler {
  /** The repository id of the nearest superclass that IDL defines. */
  default String getRMIRepositoryID(Class<?> type) {
    for (Class<?> base = type; base != null; base = base.getSuperclass()) {
      try {
        return (String) Class.forName(base.getName() + "Helper").getMethod("id").invoke(null);
      } catch (ReflectiveOperationException none) {
        // The class is not from IDL.
      }
    }
    return "RMI:" + type.getName() + ":0000000000000000";
  }

  default boolean isCustomMarshaled(Class<?> type) {
    return false;
  }

  default org.omg.SendingContext.RunTime getRunTimeCodeBase() {
    return null;
  }

  default Serializable writeReplace(Serializable value) {
    return value;
  }

  default void writeValue(OutputStream out, Serializable value) {
    throw new NO_IMPLEMENT("a value of Java's own");
  }

  default Serializable readValue(InputStream in, int offset, Class<?> type, String id,
      org.omg.SendingContext.RunTime sender) {
    throw new NO_IMPLEMENT("a value of Java's own");
  }
}
