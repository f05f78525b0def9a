package peer;

import Interop.Echo;
import Interop.EchoHelper;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;
import org.omg.CosNaming.NamingContextHelper;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.Servant;

/**
 * The JacORB server of the interop suite. It activates one Interop::Echo, publishes it, and runs
 * until SIGTERM or the operation `shutdown`. The object is in EchoServant.
 */
public final class Server {
  private static final String USAGE = """
      usage: server [--ior-file FILE] [--forward-ior-file FILE] [--key KEY] [--bind-name a/b]
                    [--older yes] [--property NAME=VALUE]... [-ORB...]
        --ior-file FILE          write the object's IOR to FILE (else to standard output)
        --forward-ior-file FILE  write an IOR whose object answers with LOCATION_FORWARD to the first
        --key KEY                give the object this id in a persistent POA
        --bind-name a/b          bind the object in the naming service, making contexts as needed
        --older yes              know no valuetype that inherits from another
        --property NAME=VALUE    a property of JacORB""";

  private String iorFile;
  private String forwardIorFile;
  private String key;
  private String bindName;
  private boolean older;
  private final List<String> properties = new ArrayList<>();
  private final List<String> orbOptions = new ArrayList<>();

  public static void main(String[] arguments) throws Exception {
    Server server = new Server();
    try {
      server.parse(List.of(arguments));
    } catch (IllegalArgumentException error) {
      System.err.println("server: " + error.getMessage() + "\n" + USAGE);
      System.exit(2);
    }
    server.serve();
    System.exit(0);
  }

  private void parse(List<String> arguments) {
    for (int i = 0; i < arguments.size(); i += 2) {
      String name = arguments.get(i);
      if (i + 1 == arguments.size()) throw new IllegalArgumentException(name + " needs a value, or is unknown");
      String value = arguments.get(i + 1);
      switch (name) {
        case "--ior-file" -> iorFile = value;
        case "--forward-ior-file" -> forwardIorFile = value;
        case "--key" -> key = value;
        case "--bind-name" -> bindName = value;
        case "--older" -> older = value.equals("yes");
        case "--property" -> properties.add(value);
        default -> {
          if (!name.startsWith("-ORB")) throw new IllegalArgumentException("unknown option " + name);
          orbOptions.addAll(List.of(name, value));
        }
      }
    }
  }

  private void serve() throws Exception {
    if (key != null) properties.add("jacorb.implname=interop");
    if (forwardIorFile != null) properties.add(Forwarding.PROPERTY);
    ORB orb = Orbs.init(orbOptions, properties);
    POA root = Orbs.rootPoa(orb);
    // JacORB accepts the connections that clients offer only if there is such a POA.
    Orbs.callbacks(orb, properties);
    Graphs.register(orb, older);
    Echo echo = activate(orb, root);
    if (forwardIorFile != null) Orbs.writeWhole(forwardIorFile, Forwarding.start(orb, root, echo));
    if (bindName != null) bind(orb, echo);
    String ior = orb.object_to_string(echo);
    if (iorFile == null) System.out.println(ior);
    else Orbs.writeWhole(iorFile, ior);
    System.out.println("ready");
    orb.run();
  }

  private Echo activate(ORB orb, POA root) throws Exception {
    EchoServant echo = new EchoServant(orb, root);
    Servant servant = echo.tie();
    org.omg.CORBA.Object reference;
    if (key == null) {
      reference = root.servant_to_reference(servant);
    } else {
      POA poa = root.create_POA("persistent", root.the_POAManager(), new Policy[] {
          root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
          root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)});
      poa.activate_object_with_id(key.getBytes(), servant);
      reference = poa.servant_to_reference(servant);
    }
    Echo typed = EchoHelper.narrow(reference);
    echo.publishAs(typed);
    return typed;
  }

  // ---- The naming service ----------------------------------------------------------------------

  private void bind(ORB orb, Echo echo) throws Exception {
    NamingContextExt root = NamingContextExtHelper.narrow(orb.resolve_initial_references("NameService"));
    NameComponent[] path = root.to_name(bindName);
    NamingContext context = root;
    for (int i = 0; i + 1 < path.length; ++i) context = open(context, path[i]);
    context.rebind(new NameComponent[] {path[path.length - 1]}, echo);
  }

  private static NamingContext open(NamingContext parent, NameComponent step) throws Exception {
    NameComponent[] name = {step};
    try {
      return parent.bind_new_context(name);
    } catch (org.omg.CosNaming.NamingContextPackage.AlreadyBound there) {
      return NamingContextHelper.narrow(parent.resolve(name));
    }
  }
}
