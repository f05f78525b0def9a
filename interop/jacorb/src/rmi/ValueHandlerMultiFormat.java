package javax.rmi.CORBA;

import java.io.Serializable;
import org.omg.CORBA.portable.OutputStream;

/** A handler that knows several formats. Nobody's is one. */
public interface ValueHandlerMultiFormat extends ValueHandler {
  byte getMaximumStreamFormatVersion();

  void writeValue(OutputStream out, Serializable value, byte version);
}
