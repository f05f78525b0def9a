package peer;

import Imr.PersistentHelper;
import Imr.PersistentPOA;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.IdAssignmentPolicyValue;
import org.omg.PortableServer.LifespanPolicyValue;
import org.omg.PortableServer.POA;

/**
 * A JacORB server with a persistent POA, and its client, for `lab/interop/imr/check`.
 *
 * <p>`persistent FILE [--late MILLISECONDS] [--property NAME=VALUE]...` writes the reference of its
 * object to FILE, and serves until SIGTERM; with `--late` it makes the object so long after its POA.
 * `persistent --call FILE` prints the number of the process that serves the object.
 */
public final class Persistent extends PersistentPOA {
  @Override
  public int process() {
    return (int) ProcessHandle.current().pid();
  }

  @Override
  public void leave(int status) {
    Runtime.getRuntime().halt(status);
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 2 && arguments[0].equals("--call")) {
      ORB orb = Orbs.init(List.of(), List.of());
      String reference = Files.readString(Path.of(arguments[1])).strip();
      System.out.println(PersistentHelper.narrow(orb.string_to_object(reference)).process());
      orb.shutdown(true);
      System.exit(0);
    }
    List<String> properties = new ArrayList<>();
    long late = 0;
    for (int i = 1; i + 1 < arguments.length; i += 2) {
      switch (arguments[i]) {
        case "--property" -> properties.add(arguments[i + 1]);
        case "--late" -> late = Long.parseLong(arguments[i + 1]);
        default -> throw new IllegalArgumentException(arguments[i]);
      }
    }
    ORB orb = Orbs.init(List.of(), properties);
    // With it a program may serve before its persistent objects are there.
    POA root = Orbs.rootPoa(orb);
    Policy[] policies = {
      root.create_lifespan_policy(LifespanPolicyValue.PERSISTENT),
      root.create_id_assignment_policy(IdAssignmentPolicyValue.USER_ID)
    };
    POA outer = root.create_POA("outer", root.the_POAManager(), policies);
    POA inner = outer.create_POA("inner", root.the_POAManager(), policies);
    byte[] id = "one".getBytes();
    Thread.sleep(late);
    inner.activate_object_with_id(id, new Persistent());
    Orbs.writeWhole(arguments[0], orb.object_to_string(inner.id_to_reference(id)));
    Runtime.getRuntime().addShutdownHook(new Thread(() -> orb.shutdown(true)));
    orb.run();
  }
}
