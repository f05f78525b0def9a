package peer;

import jakarta.ejb.SessionBean;
import jakarta.ejb.SessionContext;
import javax.naming.InitialContext;
import org.omg.CORBA.ORB;

/** The account: each enterprise bean of the archive is one, with other rules. */
public class AccountBean implements SessionBean {
  private static final long serialVersionUID = 1;
  private transient SessionContext context;

  public void ejbCreate() {}

  @Override
  public void setSessionContext(SessionContext context) {
    this.context = context;
  }

  @Override
  public void ejbRemove() {}

  @Override
  public void ejbActivate() {}

  @Override
  public void ejbPassivate() {}

  public String caller() {
    return context.getCallerPrincipal().getName();
  }

  /** By the ORB of the server, so its interceptors say for whom. */
  public String relay(String reference) {
    try {
      ORB orb = (ORB) new InitialContext().lookup("java:comp/ORB");
      return Work.ask(orb, reference);
    } catch (Throwable failure) {
      return Work.shown(failure);
    }
  }

  public String work(String what) {
    try {
      return Work.run(context, what);
    } catch (Throwable failure) {
      return Work.shown(failure);
    }
  }
}
