package peer;

import jakarta.transaction.RollbackException;
import jakarta.transaction.TransactionManager;
import java.util.concurrent.TimeUnit;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.rmi.PortableRemoteObject;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;

/** What an account does for its clients. */
final class Work {
  private Work() {}

  private static ORB orb() throws NamingException {
    return (ORB) new InitialContext().lookup("java:comp/ORB");
  }

  /** An account of ours. */
  private static Account account(String reference) throws NamingException {
    return (Account) PortableRemoteObject.narrow(orb().string_to_object(reference), Account.class);
  }

  /** Asks an account of ours who calls it, by the ORB of the server, so its interceptors say for whom. */
  static String ask(String reference) throws Exception {
    return account(reference).caller();
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

  private static TransactionManager manager() throws NamingException {
    InitialContext names = new InitialContext();
    try {
      return (TransactionManager) names.lookup("java:jboss/TransactionManager");
    } catch (NamingException notWildFly) {
      return (TransactionManager) names.lookup("java:appserver/TransactionManager");
    }
  }

  /**
   * `enlist FILE` and `rollback-only FILE` in the transaction of the call; `root CASE FILE REFERENCE` in one
   * that begins and ends here, in which an account of ours takes part.
   */
  static String run(String what) throws Exception {
    String[] words = what.split(" ");
    TransactionManager manager = manager();
    switch (words[0]) {
      case "enlist":
      case "rollback-only":
        if (manager.getTransaction() == null) return "no transaction";
        manager.getTransaction().enlistResource(new Noting(words[1]));
        if (words[0].equals("rollback-only")) manager.setRollbackOnly();
        return "done";
      case "root":
        return root(manager, words[1], words[2], words[3]);
      default:
        return "unknown: " + what;
    }
  }

  private static String root(TransactionManager manager, String test, String file, String reference)
      throws Exception {
    manager.setTransactionTimeout(test.equals("timeout") ? 2 : 60);
    manager.begin();
    try {
      // Who dies before it decides hears of votes last, after all others.
      boolean last = test.equals("dies-before");
      if (!last) manager.getTransaction().enlistResource(new Noting(file));
      String word = test.equals("rollback-only") ? "rollback-only" : "enlist";
      String answer = account(reference).work(word + " ours");
      if (!answer.equals("done")) return answer;
      if (last) manager.getTransaction().enlistResource(new Noting(file));
      if (test.equals("timeout")) TimeUnit.SECONDS.sleep(5);
      if (test.equals("rollback")) manager.rollback();
      else manager.commit();
      return "done";
    } catch (RollbackException rolledBack) {
      return "rolled back";
    } finally {
      try {
        if (manager.getTransaction() != null) manager.rollback();
      } catch (Exception over) {
        // It has ended.
      }
    }
  }
}
