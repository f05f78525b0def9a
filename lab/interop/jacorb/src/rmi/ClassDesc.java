package javax.rmi.CORBA;

/** Describes a class in RMI. JacORB refers to it; nothing here uses it. */
public final class ClassDesc {
  private ClassDesc() {}
}
