package peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.omg.BiDirPolicy.BIDIRECTIONAL_POLICY_TYPE;
import org.omg.BiDirPolicy.BOTH;
import org.omg.BiDirPolicy.BidirectionalPolicyValueHelper;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.Policy;
import org.omg.PortableServer.ImplicitActivationPolicyValue;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

/** The configuration of JacORB for both programs. */
final class Orbs {
  private Orbs() {}

  /** An ORB with these properties ("name=value") and the ORB_init options in `arguments`. */
  static ORB init(List<String> arguments, List<String> properties) {
    System.setProperty("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    System.setProperty("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    Properties all = new Properties();
    all.setProperty("OAIAddr", "127.0.0.1");
    all.setProperty("jacorb.codeset", "on");
    all.setProperty("jacorb.native_char_codeset", "ISO8859_1");
    // Allows a hundred requests at once.
    all.setProperty("jacorb.poa.queue_max", "10000");
    // No retries: each failure is a result to check.
    all.setProperty("jacorb.retries", "0");
    all.setProperty("jacorb.connection.client.pending_reply_timeout", "5000");
    for (String property : properties) {
      int middle = property.indexOf('=');
      if (middle < 0) throw new IllegalArgumentException(property + " is not NAME=VALUE");
      all.setProperty(property.substring(0, middle), property.substring(middle + 1));
    }
    return ORB.init(arguments.toArray(String[]::new), all);
  }

  static POA rootPoa(ORB orb) throws Exception {
    POA poa = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
    poa.the_POAManager().activate();
    return poa;
  }

  /**
   * A POA for callback objects. Clients are called over the connections of the ORB if the
   * properties include the initializer that defines the policy.
   */
  static POA callbacks(ORB orb, List<String> properties) throws Exception {
    POA root = rootPoa(orb);
    if (properties.stream().noneMatch(property -> property.endsWith("BiDirConnectionInitializer"))) return root;
    Any both = orb.create_any();
    BidirectionalPolicyValueHelper.insert(both, BOTH.value);
    return root.create_POA("callbacks", root.the_POAManager(), new Policy[] {
        root.create_implicit_activation_policy(ImplicitActivationPolicyValue.IMPLICIT_ACTIVATION),
        orb.create_policy(BIDIRECTIONAL_POLICY_TYPE.value, both)});
  }

  /** Writes a temporary file and renames it, so that a waiting process never reads a part of it. */
  static void writeWhole(String file, String text) throws IOException {
    Path unfinished = Path.of(file + ".unfinished");
    Files.writeString(unfinished, text + "\n");
    Files.move(unfinished, Path.of(file), java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }
}
