package javax.rmi.CORBA;

/** The base class of JacORB's references for RMI. */
public abstract class Stub extends org.omg.CORBA_2_3.portable.ObjectImpl implements java.rmi.Remote {
  private static final long serialVersionUID = 1;
}
