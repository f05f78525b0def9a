package peer;

import jakarta.ejb.SessionContext;
import javax.naming.InitialContext;
import javax.rmi.PortableRemoteObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;

/** What an account does for its clients. */
final class Work {
  private Work() {}

  /** Asks an account of ours who calls it. */
  static String ask(ORB orb, String reference) throws Exception {
    Object account = PortableRemoteObject.narrow(orb.string_to_object(reference), Account.class);
    return ((Account) account).caller();
  }

  /** The first system exception behind a failure, or the failure. */
  static String shown(Throwable failure) {
    for (Throwable it = failure; it != null; it = it.getCause()) {
      if (it instanceof SystemException) {
        SystemException system = (SystemException) it;
        String[] ended = {"executed", "not executed", "maybe executed"};
        return it.getClass().getSimpleName() + " " + ended[system.completed.value()];
      }
    }
    StringBuilder text = new StringBuilder();
    for (Throwable it = failure; it != null; it = it.getCause()) text.append(it).append("; ");
    return text.toString();
  }

  static String run(SessionContext context, String what) throws Exception {
    switch (what) {
      case "rollback-only":
        context.setRollbackOnly();
        return "marked";
      default:
        return "unknown: " + what;
    }
  }
}
