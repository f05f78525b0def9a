import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.logging.Level;
import org.jinterop.dcom.common.JIException;
import org.jinterop.dcom.common.JISystem;
import org.jinterop.dcom.core.IJIComObject;
import org.jinterop.dcom.core.JICallBuilder;
import org.jinterop.dcom.core.JIClsid;
import org.jinterop.dcom.core.JIComServer;
import org.jinterop.dcom.core.JIFlags;
import org.jinterop.dcom.core.JILocalCoClass;
import org.jinterop.dcom.core.JILocalInterfaceDefinition;
import org.jinterop.dcom.core.JILocalMethodDescriptor;
import org.jinterop.dcom.core.JILocalParamsDescriptor;
import org.jinterop.dcom.core.JISession;
import org.jinterop.dcom.core.JIString;
import org.jinterop.dcom.core.JIVariant;
import org.jinterop.dcom.impls.JIObjectFactory;
import org.jinterop.dcom.impls.automation.FuncDesc;
import org.jinterop.dcom.impls.automation.IJIDispatch;
import org.jinterop.dcom.impls.automation.IJITypeInfo;
import org.jinterop.dcom.impls.automation.IJITypeLib;
import org.jinterop.dcom.impls.automation.TypeAttr;

/** j-Interop as client of our server: activation at level connect, then privacy; calls by number and
 * by name. Usage: Client HOST */
public class Client {
    static void check(boolean holds, Object found) {
        if (!holds) throw new AssertionError(found);
    }

    /** A session serves one object. Its own objects are called at the level of its calls, and as server
     * j-Interop knows no session security. */
    static JISession session(boolean security) {
        JISession session = JISession.createSession("STUDY", "operator", "secret");
        session.useSessionSecurity(security);
        session.useNTLMv2(true);
        session.setGlobalSocketTimeout(15000);
        return session;
    }

    static void strings(JISession session, String host) throws Exception {
        JIClsid id = JIClsid.valueOf("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d02");
        JIComServer server = new JIComServer(id, host, session);
        IJIComObject unknown = server.createInstance();
        IJIComObject object = unknown.queryInterface("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01");
        JICallBuilder call = new JICallBuilder(true);
        call.setOpnum(0);
        call.addInParamAsInt(7, JIFlags.FLAG_NULL);
        call.addOutParamAsObject(new JIString(JIFlags.FLAG_REPRESENTATION_STRING_BSTR), JIFlags.FLAG_NULL);
        Object[] results = object.call(call);
        String text = ((JIString) results[0]).getString();
        check(text.startsWith("7---") && text.length() == 80, text);
        object.addRef();
        object.release();
    }

    static void byName(JISession session, String host) throws Exception {
        JIClsid id = JIClsid.valueOf("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d32");
        JIComServer server = new JIComServer(id, host, session);
        IJIComObject unknown = server.createInstance();
        IJIComObject object = unknown.queryInterface(IJIDispatch.IID);
        IJIDispatch adder = (IJIDispatch) JIObjectFactory.narrowObject(object);
        JIVariant[] sum = adder.callMethodA("Add", new Object[] {new JIVariant(2), new JIVariant(40)});
        check(sum[0].getObjectAsInt() == 42, sum[0]);
        JIVariant[] joined = adder.callMethodA("Join",
            new Object[] {new JIString("one "), new JIString("two")});
        check(joined[0].getObjectAsString2().equals("one two"), joined[0]);
        try {
            adder.callMethodA("Fail", new Object[] {});
            throw new AssertionError("it did not fail");
        } catch (JIException expected) {
            String description = adder.getLastExcepInfo().getExcepDesc();
            check(description.startsWith("as it was asked to"), description);
        }
    }

    /** What the object says that it has: its interface, a function, its library and its class. */
    static void described(JISession session, String host) throws Exception {
        JIClsid id = JIClsid.valueOf("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d32");
        JIComServer server = new JIComServer(id, host, session);
        IJIComObject object = server.createInstance().queryInterface(IJIDispatch.IID);
        IJIDispatch adder = (IJIDispatch) JIObjectFactory.narrowObject(object);
        check(adder.getTypeInfoCount() == 1, adder.getTypeInfoCount());
        IJITypeInfo info = adder.getTypeInfo(0);
        TypeAttr attributes = info.getTypeAttr();
        check(attributes.guid.equalsIgnoreCase("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d33"), attributes.guid);
        check(attributes.typekind == 4 && attributes.cFuncs == 4, attributes.cFuncs);
        FuncDesc add = info.getFuncDesc(0);
        check(add.memberId == adder.getIDsOfNames("Add"), add.memberId);
        check(add.cParams == 2 && add.invokeKind == 1, add.cParams);
        check(add.elemdescFunc.typeDesc.vt == 12, add.elemdescFunc.typeDesc.vt);
        Object[] about = info.getDocumentation(-1);
        check(((JIString) about[0]).getString().equals("Adder"), about[0]);
        int base = info.getRefTypeOfImplType(0);
        Object[] standard = info.getRefTypeInfo(base).getDocumentation(-1);
        check(((JIString) standard[0]).getString().equals("IDispatch"), standard[0]);
        IJITypeLib library = (IJITypeLib) info.getContainingTypeLib()[0];
        check(library.getTypeInfoCount() == 4, library.getTypeInfoCount());
        check(library.getTypeInfo(1).getTypeAttr().typekind == 5, "the class");
    }

    /** What our server calls. */
    public static class Listener {
        final List<String> heard = Collections.synchronizedList(new ArrayList<String>());

        public void Told(JIString text) {
            heard.add(text.getString());
        }
    }

    /** Our server calls an object of this program, as client of j-Interop's server. */
    static void calledBack(JISession session, String host) throws Exception {
        JIClsid id = JIClsid.valueOf("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d32");
        JIComServer server = new JIComServer(id, host, session);
        IJIComObject object = server.createInstance().queryInterface(IJIDispatch.IID);
        IJIDispatch adder = (IJIDispatch) JIObjectFactory.narrowObject(object);
        JILocalParamsDescriptor text = new JILocalParamsDescriptor();
        text.addInParamAsObject(new JIString(JIFlags.FLAG_REPRESENTATION_STRING_BSTR), JIFlags.FLAG_NULL);
        JILocalInterfaceDefinition heard =
            new JILocalInterfaceDefinition("6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d35", true);
        heard.addMethodDescriptor(new JILocalMethodDescriptor("Told", 1, text));
        Listener listener = new Listener();
        IJIComObject own = JIObjectFactory.buildObject(session, new JILocalCoClass(heard, listener));
        for (String one : new String[] {"one", "größer"}) {
            try {
                adder.callMethodA("Tell", new Object[] {new JIVariant(own), new JIString(one)});
            } catch (JIException failed) {
                throw new AssertionError(adder.getLastExcepInfo().getExcepDesc());
            }
        }
        check(listener.heard.equals(Arrays.asList("one", "größer")), listener.heard);
    }

    public static void main(String[] arguments) throws Exception {
        JISystem.getLogger().setLevel(Level.OFF);
        JISystem.setAutoRegisteration(false);
        JISession session = session(true);
        strings(session, arguments[0]);
        JISession.destroySession(session);
        System.out.println("j-Interop as client: activation, calls by number");
        session = session(true);
        byName(session, arguments[0]);
        JISession.destroySession(session);
        System.out.println("j-Interop as client: calls by name, exceptions");
        session = session(true);
        described(session, arguments[0]);
        JISession.destroySession(session);
        System.out.println("j-Interop as client: descriptions of types");
        session = session(false);
        calledBack(session, arguments[0]);
        JISession.destroySession(session);
        System.out.println("j-Interop as server: its object is called back");
        System.exit(0);
    }
}
