package javax.rmi.CORBA;

/** What describes a class where RMI sends one, which nobody does here. */
public final class ClassDesc {
  private ClassDesc() {}
}
