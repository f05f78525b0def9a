package javax.rmi.CORBA;

/** JacORB's references are stubs of RMI too, if there is RMI. */
public abstract class Stub extends org.omg.CORBA_2_3.portable.ObjectImpl implements java.rmi.Remote {
  private static final long serialVersionUID = 1;
}
