package peer;

import Interop.*;
import java.io.Serializable;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.omg.CORBA.BooleanHolder;

/** The servant of Interop::Mirror; see idl/interop_values.idl. */
final class MirrorServant extends MirrorPOA {
  @Override public Node echo(Node a, Node b, NodeHolder copy) {
    copy.value = a;
    return b;
  }

  /** In Java, a boxed string is a string, so identity means equality. */
  @Override public String echo_letters(String a, String b, BooleanHolder are_one) {
    are_one.value = a == null ? b == null : a.equals(b);
    return a;
  }

  @Override public int[] echo_numbers(int[] given, NumbersHolder copy) {
    copy.value = given;
    return given;
  }

  @Override public Stamp echo_stamp(Stamp given, StampHolder copy) {
    copy.value = given;
    return given;
  }

  @Override public Node[] echo_nodes(Node[] given) { return given; }
  @Override public Serializable echo_base(Serializable given) { return given; }
  @Override public boolean are_one(Node a, Node b) { return a == b; }

  @Override public int sum(Node first) {
    Set<Node> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    int sum = 0;
    for (Node node = first; node != null && seen.add(node); node = node.next) sum += node.number;
    return sum;
  }

  @Override public Leaf make(int number) {
    Node node = Graphs.node(5, null, 2.5);
    Leaf leaf = Graphs.leaf(number, node, "made");
    if (number == 2) node.next = leaf;
    return leaf;
  }

  @Override public Branch make_branch(int depth) { return Graphs.branch(depth); }
}
