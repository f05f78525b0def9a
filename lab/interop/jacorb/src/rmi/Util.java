package javax.rmi.CORBA;

/** The part of RMI's `Util` that JacORB uses. */
public final class Util {
  private Util() {}

  private static final ValueHandler HANDLER = new ValueHandler() {};

  public static ValueHandler createValueHandler() {
    return HANDLER;
  }

  public static String getCodebase(Class<?> type) {
    return null;
  }

  public static Class<?> loadClass(String name, String codebase, ClassLoader loader) throws ClassNotFoundException {
    return Class.forName(name, true, loader == null ? Util.class.getClassLoader() : loader);
  }
}
