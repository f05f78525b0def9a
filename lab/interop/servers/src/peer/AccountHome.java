package peer;

import jakarta.ejb.CreateException;
import jakarta.ejb.EJBHome;
import java.rmi.RemoteException;

/** Makes accounts. */
public interface AccountHome extends EJBHome {
  Account create() throws CreateException, RemoteException;
}
