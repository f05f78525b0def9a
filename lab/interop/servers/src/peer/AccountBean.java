package peer;

import jakarta.ejb.SessionBean;
import jakarta.ejb.SessionContext;

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

  public String relay(String reference) {
    try {
      return Work.ask(reference);
    } catch (Throwable failure) {
      return Work.shown(failure);
    }
  }

  public String work(String what) {
    try {
      return Work.run(what);
    } catch (Throwable failure) {
      return Work.shown(failure);
    }
  }
}
