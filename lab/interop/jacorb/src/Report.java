package peer;

import java.util.List;
import org.omg.CORBA.SystemException;

/** The report of a run: named checks ("operation/case") with one line for each, and the totals. */
final class Report {
  /** A check. It fails with any exception, whose message is the reason that is printed. */
  interface Body {
    void run() throws Exception;
  }

  private final List<String> filters;
  private int passed;
  private int failed;

  /**
   * Filters are substrings of check names. One that starts with "!" excludes. Without filters, all
   * run.
   */
  Report(List<String> filters) {
    this.filters = filters;
  }

  void check(String operation, String name, Body body) {
    String full = operation + "/" + name;
    if (!wants(full)) return;
    try {
      body.run();
      ++passed;
      System.out.println("ok " + full);
    } catch (Exception | StackOverflowError error) {
      ++failed;
      System.out.println("FAILED " + full + ": " + describe(error));
    }
  }

  /** Prints the totals. Returns the exit status: 0 if a check ran and none failed. */
  int finish() {
    System.out.println(passed + " passed, " + failed + " failed");
    return passed > 0 && failed == 0 ? 0 : 1;
  }

  private boolean wants(String name) {
    boolean asked = false;
    boolean found = false;
    for (String filter : filters) {
      if (filter.startsWith("!")) {
        if (name.contains(filter.substring(1))) return false;
      } else {
        asked = true;
        found |= name.contains(filter);
      }
    }
    return found || !asked;
  }

  private static String describe(Throwable error) {
    Throwable cause = error instanceof java.lang.reflect.InvocationTargetException ? error.getCause() : error;
    String what = cause.toString();
    if (cause instanceof SystemException system) what += " (minor code " + Integer.toHexString(system.minor) + ")";
    if (!(cause instanceof Mismatch) && cause.getStackTrace().length > 0) what += " at " + cause.getStackTrace()[0];
    what = what.replaceAll("\\s+", " ");
    return what.length() > 400 ? what.substring(0, 400) + "..." : what;
  }

  /** Thrown by a check that fails, with the reason. */
  static final class Mismatch extends RuntimeException {
    Mismatch(String what) {
      super(what);
    }
  }

  static void expect(boolean holds, String what) {
    if (!holds) throw new Mismatch(what);
  }

  static void expectSame(String what, Object got, Object wanted) {
    expect(got.equals(wanted), what + " is " + got + " instead of " + wanted);
  }

  /** Runs a call that must raise this exception, and returns the exception. */
  static <E extends Exception> E expectRaised(Class<E> type, Body call) {
    try {
      call.run();
    } catch (Exception error) {
      if (type.isInstance(error)) return type.cast(error);
      throw new Mismatch(describe(error) + " instead of " + type.getSimpleName());
    }
    throw new Mismatch(type.getSimpleName() + " was not raised");
  }
}
