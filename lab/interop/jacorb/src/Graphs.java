package peer;

import Interop.Branch;
import Interop.Leaf;
import Interop.Node;
import Interop.Stamp;
import java.util.function.Supplier;
import org.omg.CORBA.DataInputStream;
import org.omg.CORBA.DataOutputStream;
import org.omg.CORBA.MARSHAL;
import org.omg.CORBA.ORB;
import org.omg.CORBA.portable.ValueBase;
import org.omg.CORBA.portable.ValueFactory;

/** The implementations of the valuetypes of interop_values.idl. */
final class Graphs {
  private Graphs() {}

  private static final String PREFIX = "IDL:armilla.org/Interop/";

  static final class PlainNode extends Node {
    private static final long serialVersionUID = 1;
  }

  static final class PlainLeaf extends Leaf {
    private static final long serialVersionUID = 1;
  }

  static final class PlainBranch extends Branch {
    private static final long serialVersionUID = 1;
  }

  /** A valuetype with custom marshalling. */
  static final class PlainStamp extends Stamp {
    private static final long serialVersionUID = 1;

    @Override public void marshal(DataOutputStream out) {
      out.write_longlong(seconds);
      out.write_string(zone);
      out.write_octet((byte) 165);
    }

    @Override public void unmarshal(DataInputStream in) {
      seconds = in.read_longlong();
      zone = in.read_string();
      if (in.read_octet() != (byte) 165) throw new MARSHAL("the mark behind a stamp");
    }
  }

  /** Registers the value factories: of all types, or of nodes only. */
  static void register(ORB orb, boolean nodesAlone) {
    register(orb, "Node", PlainNode::new);
    if (nodesAlone) return;
    register(orb, "Leaf", PlainLeaf::new);
    register(orb, "Branch", PlainBranch::new);
    register(orb, "Stamp", PlainStamp::new);
  }

  private static void register(ORB orb, String name, Supplier<? extends ValueBase> make) {
    ValueFactory factory = in -> in.read_value(make.get());
    ((org.omg.CORBA_2_3.ORB) orb).register_value_factory(PREFIX + name + ":1.0", factory);
  }

  static Node node(int number, Node next, double weight) {
    return initialized(new PlainNode(), number, next, weight);
  }

  private static <N extends Node> N initialized(N node, int number, Node next, double weight) {
    node.number = number;
    node.next = next;
    node.weight = weight;
    return node;
  }

  /** A leaf whose next node and extra node are `node`. */
  static Leaf leaf(int number, Node node, String title) {
    Leaf leaf = initialized(new PlainLeaf(), number, node, 1.5);
    leaf.title = title;
    leaf.extra = node;
    return leaf;
  }

  /** The value of make_branch. */
  static Branch branch(int depth) {
    Branch branch = initialized(new PlainBranch(), depth, null, 0);
    Node child = depth > 0 ? branch(depth - 1) : null;
    branch.children = depth > 0 ? new Node[] {child, child} : new Node[0];
    branch.mark = (byte) 165;
    return branch;
  }

  /** Whether this is the value of make_branch. */
  static boolean isBranch(Node node, int depth) {
    if (!(node instanceof Branch branch) || branch.number != depth || branch.mark != (byte) 165) return false;
    Node[] children = branch.children;
    if (depth == 0) return children.length == 0;
    return children.length == 2 && children[0] == children[1] && isBranch(children[0], depth - 1);
  }

  static Stamp stamp(long seconds, String zone) {
    Stamp stamp = new PlainStamp();
    stamp.seconds = seconds;
    stamp.zone = zone;
    return stamp;
  }
}
