package peer;

import static peer.Report.expect;
import static peer.Report.expectRaised;
import static peer.Report.expectSame;

import Interop.*;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.omg.CORBA.Any;
import org.omg.CORBA.AnyHolder;
import org.omg.CORBA.BooleanHolder;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TypeCode;
import org.omg.CORBA.TypeCodeHolder;
import org.omg.CORBA.portable.Streamable;

/** Checks of interop_values.idl: wide strings, fixed-point numbers, anys, TypeCodes, valuetypes. */
final class Exotic {
  /** A number with as many digits as its type, because JacORB does not write leading zeros. */
  private static final String ALL_DIGITS = "123456789012.345678";

  private final Report report;
  private final ORB orb;
  private final Exotics exotics;
  private final Mirror mirror;

  Exotic(Report report, ORB orb, Echo echo) {
    this.report = report;
    this.orb = orb;
    exotics = ExoticsHelper.narrow(echo.exotics());
    mirror = MirrorHelper.narrow(echo.mirror());
  }

  void run() throws Exception {
    echoes();
    anys();
    typeCodes();
    sharing();
    values();
    specialValues();
  }

  // ---- Wide text and fixed-point numbers -------------------------------------------------------

  private static BigDecimal[] numbers(String... texts) {
    return Arrays.stream(texts).map(BigDecimal::new).toArray(BigDecimal[]::new);
  }

  private void echoes() throws Exception {
    String wide = "aZ\u007f\u0080\u00ff\u0100\u20ac\uffee";
    exchange("echo_wchar", "beyond_latin_1", wide.chars().mapToObj(c -> (Object) (char) c).toArray());
    exchange("echo_wstring", "every_length", "", "x", "wide \u00e9\u20ac\uffee", "\ud800\udf48\ud83d\ude00");
    exchange("echo_wstring", "100_kb", "w".repeat(50_000), "\u20ac".repeat(50_001));
    exchange("echo_caption", "full", "", "12345678", "\u20ac");
    exchange("echo_wchar_seq", "lengths", wide.toCharArray(), new char[0]);
    exchange("echo_wstring_seq", "lengths", new String[] {"", wide}, new String[0]);
    exchange("echo_price", "all_digits", (Object[]) numbers(ALL_DIGITS, "-" + ALL_DIGITS));
    BigDecimal[] prices = numbers("0.000000", "1.500000", "-0.000001", "999999999999.999999");
    exchange("echo_price", "extremes", (Object[]) prices);
    exchange("echo_price_seq", "lengths", prices, new BigDecimal[0]);
    exchange("echo_whole", "31_digits", (Object[]) numbers("0", "-7", "9".repeat(31)));
    exchange("echo_fraction", "below_one", (Object[]) numbers("0.00000", "0.00001", "-0.99999"));
    exchange("echo_label", "alignment", label('\u20ac', "odd"), label('x', ""), label('y', "even"));
    report.check("raise_rejected", "members", () -> {
      Made made = new Made(orb);
      Rejected error = expectRaised(Rejected.class,
          () -> exotics.raise_rejected("why \u20ac", made.make(15), new BigDecimal(ALL_DIGITS)));
      expectSame("reason and cost", List.of(error.reason, error.cost),
          List.of("why \u20ac", new BigDecimal(ALL_DIGITS)));
      expect(made.is(15, error.evidence), "other evidence");
    });
  }

  private static Label label(char initial, String text) {
    return new Label((byte) 1, initial, (byte) 2, text, new BigDecimal(ALL_DIGITS), (byte) 3);
  }

  private void exchange(String operation, String name, Object... values) throws Exception {
    Method method = Arrays.stream(ExoticsOperations.class.getMethods())
        .filter(candidate -> candidate.getName().equals(operation)).findFirst().orElseThrow();
    Class<?> holder = method.getParameterTypes()[1];
    report.check(operation, name, () -> {
      for (int i = 0; i < values.length; ++i) {
        Object before = values[(i + 1) % values.length];
        Streamable copy = Holders.of(holder, null);
        Streamable kept = Holders.of(holder, before);
        Object result = method.invoke(exotics, values[i], copy, kept);
        expect(Same.same(result, before), "result is " + result + " instead of " + before);
        expect(Same.same(Holders.get(copy), values[i]), "copy is " + Holders.get(copy) + " instead of " + values[i]);
        expect(Same.same(Holders.get(kept), values[i]), "kept is " + Holders.get(kept) + " instead of " + values[i]);
      }
    });
  }

  // ---- Anys and TypeCodes ----------------------------------------------------------------------

  private void anys() {
    Made made = new Made(orb);
    for (int i = 0; i < Made.COUNT; ++i) {
      int which = i;
      int next = which == 1 ? 2 : 1;
      String name = String.valueOf(which);
      report.check("make_any", name, () -> expect(made.is(which, exotics.make_any(which)), "another value"));
      report.check("is_made", name, () -> {
        expect(exotics.is_made(which, made.make(which)), "the server has another");
        expect(!exotics.is_made(which, made.make(next)), "the server takes another for it");
      });
      report.check("echo_any", name, () -> {
        var copy = new AnyHolder();
        var kept = new AnyHolder(made.make(next));
        Any result = exotics.echo_any(made.make(which), copy, kept);
        expect(made.is(next, result), "another result");
        expect(made.is(which, copy.value), "another copy");
        expect(made.is(which, kept.value), "another kept");
      });
    }
  }

  private void typeCodes() {
    Map<String, TypeCode> codes = new LinkedHashMap<>();
    codes.put("any", orb.get_primitive_tc(org.omg.CORBA.TCKind.tk_any));
    codes.put("Basics", BasicsHelper.type());
    codes.put("Person", PersonHelper.type());
    codes.put("ByLong", ByLongHelper.type());
    codes.put("ByColour", ByColourHelper.type());
    codes.put("ByBoolean", ByBooleanHelper.type());
    codes.put("ByChar", ByCharHelper.type());
    codes.put("ByLongLong", ByLongLongHelper.type());
    codes.put("ByKind", ByKindHelper.type());
    codes.put("Folder", FolderHelper.type());
    codes.put("Expression", ExpressionHelper.type());
    codes.put("Matrix", MatrixHelper.type());
    codes.put("TextCube", TextCubeHelper.type());
    codes.put("Failed", FailedHelper.type());
    codes.put("Echo", EchoHelper.type());
    codes.put("SerialAlias", SerialAliasHelper.type());
    codes.put("Codes", CodesHelper.type());
    codes.put("Price", PriceHelper.type());
    codes.put("Caption", CaptionHelper.type());
    codes.put("Node", NodeHelper.type());
    codes.put("Leaf", LeafHelper.type());
    codes.put("Letters", LettersHelper.type());
    codes.put("Numbers", NumbersHelper.type());
    codes.put("Stamp", StampHelper.type());
    codes.forEach((name, code) -> report.check("echo_type", name, () -> {
      TypeCode before = orb.get_primitive_tc(org.omg.CORBA.TCKind.tk_octet);
      var copy = new TypeCodeHolder();
      var kept = new TypeCodeHolder(before);
      expect(exotics.echo_type(code, copy, kept).equal(before), "another result");
      expect(copy.value.equal(code), "another copy");
      expect(kept.value.equal(code), "another kept");
    }));
  }

  // ---- Valuetypes ------------------------------------------------------------------------------

  private void sharing() {
    Node one = Graphs.node(1, null, 0.5);
    Node two = Graphs.node(2, one, 0.25);
    report.check("are_one", "shared_and_null", () -> {
      expect(mirror.are_one(two, two), "one value has become two");
      expect(!mirror.are_one(two, one), "two values have become one");
      expect(mirror.are_one(null, null), "null has become something");
    });
    report.check("echo", "shared_among_parameters", () -> {
      var copy = new NodeHolder();
      Node second = mirror.echo(Graphs.leaf(9, one, "leaf"), two, copy);
      Leaf leaf = (Leaf) copy.value;
      expectSame("leaf", List.of(leaf.number, leaf.title, leaf.weight), List.of(9, "leaf", 1.5));
      expect(leaf.next == leaf.extra && leaf.next == second.next, "one value has become two");
      expectSame("second", List.of(second.number, second.weight, second.next.number), List.of(2, 0.25, 1));
    });
    report.check("sum", "chain_of_200", () -> {
      Node chain = null;
      for (int number = 1; number <= 200; ++number) chain = Graphs.node(number, chain, 0);
      expectSame("sum", mirror.sum(chain), 20_100);
    });
    report.check("sum", "cycle", () -> {
      Node last = Graphs.node(4, null, 0);
      Node first = Graphs.node(3, last, 0);
      last.next = first;
      expectSame("sum", mirror.sum(first), 7);
    });
    report.check("echo_nodes", "null_and_shared", () -> {
      Node[] nodes = mirror.echo_nodes(new Node[] {two, null, two, one});
      expect(nodes.length == 4 && nodes[0] == nodes[2] && nodes[1] == null && nodes[0].next == nodes[3],
          "other nodes");
    });
    // omniORB decodes shared values wrongly once a message has 87 values.
    report.check("echo_nodes", "chain_of_80", () -> {
      Node[] given = new Node[80];
      for (int i = 0; i < given.length; ++i) given[i] = Graphs.node(i, i == 0 ? null : given[i - 1], 0.5);
      Node[] got = mirror.echo_nodes(given);
      boolean same = got.length == given.length;
      for (int i = 0; same && i < got.length; ++i) {
        same = got[i].number == i && got[i].next == (i == 0 ? null : got[i - 1]);
      }
      expect(same, "another chain");
    });
  }

  private void values() {
    report.check("make", "leaf", () -> {
      Leaf leaf = mirror.make(1);
      expect(leaf.title.equals("made") && leaf.next == leaf.extra && leaf.next.number == 5 && leaf.next.next == null,
          "another leaf");
    });
    report.check("make", "cycle", () -> {
      Leaf leaf = mirror.make(2);
      expect(leaf.next.next == leaf && leaf.extra == leaf.next, "no cycle");
    });
    report.check("make_branch", "chunks_in_chunks",
        () -> expect(Graphs.isBranch(mirror.make_branch(6), 6), "another branch"));
    report.check("echo", "chunks_in_chunks", () -> {
      var copy = new NodeHolder();
      Node second = mirror.echo(Graphs.branch(6), null, copy);
      expect(second == null && Graphs.isBranch(copy.value, 6), "another branch");
    });
  }

  private void specialValues() {
    report.check("echo_letters", "boxed_once", () -> {
      var areOne = new BooleanHolder();
      expectSame("letters", mirror.echo_letters("letters", "letters", areOne), "letters");
      expectSame("letters", mirror.echo_letters("letters", "others", areOne), "letters");
      expect(!areOne.value, "two have become one");
    });
    report.check("echo_letters", "null",
        () -> expect(mirror.echo_letters(null, null, new BooleanHolder()) == null, "not null"));
    report.check("echo_numbers", "lengths", () -> {
      for (int count : new int[] {0, 1, 1000, 10_000}) {
        int[] given = new int[count];
        Arrays.setAll(given, i -> i);
        var copy = new NumbersHolder();
        expect(Arrays.equals(mirror.echo_numbers(given, copy), given), "another result");
        expect(Arrays.equals(copy.value, given), "another copy");
      }
    });
    report.check("echo_stamp", "custom", () -> {
      var copy = new StampHolder();
      Stamp result = mirror.echo_stamp(Graphs.stamp(Long.MIN_VALUE, "UTC+1"), copy);
      for (Stamp stamp : new Stamp[] {result, copy.value})
        expectSame("stamp", List.of(stamp.seconds, stamp.zone), List.of(Long.MIN_VALUE, "UTC+1"));
    });
    report.check("echo_base", "of_its_own_type", () -> {
      Node node = (Node) mirror.echo_base(Graphs.node(1, null, 0.5));
      expectSame("node", List.of(node.number, node.weight), List.of(1, 0.5));
    });
  }
}
