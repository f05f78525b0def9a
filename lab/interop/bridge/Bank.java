import java.util.logging.Level;
import org.jinterop.dcom.common.JIException;
import org.jinterop.dcom.common.JISystem;
import org.jinterop.dcom.core.IJIComObject;
import org.jinterop.dcom.core.JICallBuilder;
import org.jinterop.dcom.core.JIClsid;
import org.jinterop.dcom.core.JIComServer;
import org.jinterop.dcom.core.JIFlags;
import org.jinterop.dcom.core.JISession;
import org.jinterop.dcom.core.JIString;
import org.jinterop.dcom.core.JIVariant;
import org.jinterop.dcom.impls.JIObjectFactory;
import org.jinterop.dcom.impls.automation.IJIDispatch;

/** j-Interop calls the bank example, an object of CORBA, by name: as a class of its own, by
 * number, and by the factory; with exceptions of the user and of the system. Usage: Bank HOST */
public class Bank {
    static void check(boolean holds, Object found) {
        if (!holds) throw new AssertionError(found);
    }

    static JISession session() {
        JISession session = JISession.createSession("BANK", "operator", "secret");
        session.useSessionSecurity(true);
        session.useNTLMv2(true);
        session.setGlobalSocketTimeout(15000);
        return session;
    }

    static IJIDispatch activate(JISession session, String host, String clsid) throws Exception {
        JIComServer server = new JIComServer(JIClsid.valueOf(clsid), host, session);
        IJIComObject object = server.createInstance().queryInterface(IJIDispatch.IID);
        return (IJIDispatch) JIObjectFactory.narrowObject(object);
    }

    static double balance(IJIDispatch account) throws Exception {
        return account.get("balance").getObjectAsDouble();
    }

    /** Calls a method that fails; returns what the exception says. */
    static String failure(IJIDispatch object, String method, double amount) throws Exception {
        try {
            object.callMethodA(method, new Object[] {new JIVariant(amount)});
        } catch (JIException expected) {
            return object.getLastExcepInfo().getExcepDesc();
        }
        throw new AssertionError(method + " did not fail");
    }

    /** The same object by the numbers of its view, as `armilla bridge midl` prints them: deposit,
     * withdraw, get_balance. */
    static void byNumber(JISession session, String host, String clsid) throws Exception {
        JIComServer server = new JIComServer(JIClsid.valueOf(clsid), host, session);
        IJIComObject account = server.createInstance().queryInterface("1d7219b8-1e59-cf80-1d48-fb2b2d597cf4");
        JICallBuilder deposit = new JICallBuilder(true);
        deposit.setOpnum(0);
        deposit.addInParamAsDouble(5.0, JIFlags.FLAG_NULL);
        account.call(deposit);
        JICallBuilder balance = new JICallBuilder(true);
        balance.setOpnum(2);
        balance.addOutParamAsType(Double.class, JIFlags.FLAG_NULL);
        double before = (Double) account.call(balance)[0];
        check(before == 75.0, before);
        JICallBuilder withdraw = new JICallBuilder(true);
        withdraw.setOpnum(1);
        withdraw.addInParamAsDouble(500.0, JIFlags.FLAG_NULL);
        try {
            account.call(withdraw);
            throw new AssertionError("withdraw did not fail");
        } catch (JIException expected) {
            // It has not been told of the parameter for exceptions, and takes that for the HRESULT.
        }
    }

    public static void main(String[] arguments) throws Exception {
        JISystem.getLogger().setLevel(Level.OFF);
        JISystem.setAutoRegisteration(false);
        String host = arguments[0];
        JISession session = session();
        IJIDispatch account = activate(session, host, "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e11");
        account.callMethodA("deposit", new Object[] {new JIVariant(100.0)});
        account.callMethodA("Withdraw", new Object[] {new JIVariant(30)});
        check(balance(account) == 70.0, balance(account));
        String user = failure(account, "withdraw", 500);
        check(user.startsWith("CORBA User Exception: [Bank::InsufficientFunds] missing = 430"), user);
        check(balance(account) == 70.0, balance(account));
        JISession.destroySession(session);
        System.out.println("j-Interop calls an object of CORBA: operations, attributes, a user exception");
        session = session();
        byNumber(session, host, "6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1e11");
        JISession.destroySession(session);
        System.out.println("j-Interop calls an object of CORBA by number: operations, an attribute, an exception");
        session = session();
        IJIDispatch factory = activate(session, host, "913d82c0-3b00-11cf-bbfc-444553540000");
        JIVariant[] found = factory.callMethodA("GetObject", new Object[] {new JIString("closed")});
        IJIDispatch closed =
            (IJIDispatch) JIObjectFactory.narrowObject(found[0].getObjectAsComObject());
        String system = failure(closed, "deposit", 1);
        check(system.startsWith("CORBA System Exception: [CORBA::"), system);
        check(system.contains("][NO]"), system);
        JISession.destroySession(session);
        System.out.println("j-Interop finds an object by the factory: a system exception");
        System.exit(0);
    }
}
