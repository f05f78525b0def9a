package javax.rmi.CORBA;

import java.io.Serializable;
import org.omg.CORBA.portable.OutputStream;

/** A value handler with several formats. JacORB refers to it; no handler here is one. */
public interface ValueHandlerMultiFormat extends ValueHandler {
  byte getMaximumStreamFormatVersion();

  void writeValue(OutputStream out, Serializable value, byte version);
}
