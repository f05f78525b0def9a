package peer;

import jakarta.ejb.EJBObject;
import java.rmi.RemoteException;

/** What our clients call, and what our servers serve. */
public interface Account extends EJBObject {
  /** Who calls, as the container says. */
  String caller() throws RemoteException;

  /** Asks the account with this reference who calls it. */
  String relay(String reference) throws RemoteException;

  /** Does things within the transaction of the call. */
  String work(String what) throws RemoteException;
}
