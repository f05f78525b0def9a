package peer;

import static peer.Report.expect;
import static peer.Report.expectRaised;
import static peer.Report.expectSame;

import Interop.*;
import Interop.LongSeqHolder;
import Interop.OctetSeqHolder;
import Interop.EchoPackage.Completion;
import Interop.EchoPackage.Detailed;
import Interop.EchoPackage.Verdict;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.omg.CORBA.*;

/**
 * Checks of constants, attributes, oneway operations, mixed parameters, reserved names, exceptions.
 */
final class Behaviour {
  private static final String[] SYSTEM_EXCEPTIONS = {"UNKNOWN", "BAD_PARAM", "NO_MEMORY", "IMP_LIMIT",
      "COMM_FAILURE", "INV_OBJREF", "OBJECT_NOT_EXIST", "NO_PERMISSION", "INTERNAL", "MARSHAL", "INITIALIZE",
      "NO_IMPLEMENT", "BAD_TYPECODE", "BAD_OPERATION", "NO_RESOURCES", "NO_RESPONSE", "PERSIST_STORE",
      "BAD_INV_ORDER", "TRANSIENT", "FREE_MEM", "INV_IDENT", "INV_FLAG", "INTF_REPOS", "BAD_CONTEXT",
      "OBJ_ADAPTER", "DATA_CONVERSION", "TRANSACTION_REQUIRED", "TRANSACTION_ROLLEDBACK", "INVALID_TRANSACTION",
      "INV_POLICY", "CODESET_INCOMPATIBLE", "REBIND", "TIMEOUT", "TRANSACTION_UNAVAILABLE", "TRANSACTION_MODE",
      "BAD_QOS"};

  private final Report report;
  private final Echo echo;
  private final Random random = new Random(7);

  Behaviour(Report report, Echo echo) {
    this.report = report;
    this.echo = echo;
  }

  void run() {
    constants();
    attributes();
    oneway();
    parameters();
    reservedNames();
    userExceptions();
    systemExceptions();
    parallel();
  }

  private BinStruct someBin() {
    return new BinStruct((short) random.nextInt(), (char) (random.nextInt(127) + 1), random.nextInt(),
        (byte) random.nextInt(), random.nextGaussian());
  }

  private int[] someNumbers(int count) {
    return random.ints(count).toArray();
  }

  private static String text(BinStruct bin) {
    return Arrays.asList(bin.s, (int) bin.c, bin.l, bin.o, bin.d).toString();
  }

  private void constants() {
    report.check("all_constants", "every", () -> {
      Constants all = echo.all_constants();
      List<java.lang.Object> got = List.of(all.name_limit, all.negative_short, all.top_short, all.shifted,
          all.masked, all.high_bits, all.far_below, all.far_above, all.all_ones, all.agreed, all.quote,
          all.hex_char, all.half, all.scaled, all.greeting, all.favourite.value());
      // The values in the comments of the IDL, not those of JacORB's compiler, which is under test.
      expectSame("constants", got, List.of((short) 16, (short) -3, (short) -1, 271, 68547, -16,
          -Long.MAX_VALUE, -1L, (byte) -1, true, '\'', '~', 0.5f, -0.4, "Hello, \"world\"\t\\ AB", 2));
    });
  }

  private void attributes() {
    report.check("description", "present", () -> expect(!echo.description().isEmpty(), "empty"));
    report.check("level", "set_and_get", () -> {
      for (int value : new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE, 0}) {
        echo.level(value);
        expectSame("level", echo.level(), value);
      }
    });
    report.check("label", "set_and_get", () -> {
      for (String value : List.of(Cases.everything(), "l".repeat(100_000), "")) {
        echo.label(value);
        expectSame("label", echo.label(), value);
      }
    });
    report.check("record", "set_and_get", () -> {
      BinStruct value = someBin();
      echo.record(value);
      expectSame("record", text(echo.record()), text(value));
    });
    report.check("foreground", "two_attributes", () -> {
      echo.foreground(Colour.ULTRAVIOLET);
      echo.background(Colour.GREEN);
      expectSame("foreground", echo.foreground(), Colour.ULTRAVIOLET);
      expectSame("background", echo.background(), Colour.GREEN);
    });
    report.check("history", "set_and_get", () -> {
      for (int count : new int[] {0, 1, 10_000}) {
        int[] value = someNumbers(count);
        echo.history(value);
        expect(Arrays.equals(echo.history(), value), "other numbers");
      }
    });
  }

  // ---- Oneway operations -----------------------------------------------------------------------

  /** A oneway call has no reply, so the check waits for its effect. */
  private static void waitUntil(String what, Callable<Boolean> holds) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!holds.call()) {
      expect(System.nanoTime() < deadline, what + " did not arrive within 10 s");
      Thread.sleep(2);
    }
  }

  private void expectAdded(long amount, Runnable calls) throws Exception {
    long sum = echo.notified();
    calls.run();
    waitUntil("the sum", () -> echo.notified() - sum == amount);
  }

  private void oneway() {
    report.check("ping", "returns", echo::ping);
    report.check("notify", "hundred_in_a_row", () -> {
      int count = echo.notifications();
      expectAdded(5050, () -> {
        for (int n = 1; n <= 100; ++n) echo._notify(n);
      });
      expectSame("notifications", echo.notifications() - count, 100);
    });
    report.check("notify_mixed", "padded_arguments",
        () -> expectAdded(1004, () -> echo.notify_mixed((byte) 255, 1000.5, "four")));
    report.check("notify_mixed", "100_kb",
        () -> expectAdded(99_999, () -> echo.notify_mixed((byte) 0, -1, "n".repeat(100_000))));
  }

  // ---- Mixes of parameters, reserved words -----------------------------------------------------

  private void wide(int count) {
    byte o = (byte) random.nextInt();
    double d = random.nextGaussian();
    char c = (char) random.nextInt(128);
    long ll = random.nextLong();
    float f = (float) random.nextGaussian();
    BinStruct bin = someBin();
    int[] numbers = someNumbers(count);
    var tally = new IntHolder(5);
    var note = new StringHolder("note ");
    var outNumbers = new LongSeqHolder();
    var outBin = new BinStructHolder();
    var outF = new FloatHolder();
    var outColour = new ColourHolder();
    var outS = new ShortHolder();
    var outB = new BooleanHolder();
    var outLl = new LongHolder();
    var outC = new CharHolder();
    var outD = new DoubleHolder();
    var outO = new ByteHolder();
    String result = echo.wide(o, d, c, ll, true, "text", (short) -2, Colour.BLUE, f, bin, numbers, tally, note,
        outNumbers, outBin, outF, outColour, outS, outB, outLl, outC, outD, outO);
    expectSame("scalars", List.of(result, tally.value, note.value, outF.value, outColour.value, outS.value,
        outB.value, outLl.value, outC.value, outD.value, outO.value),
        List.of("text", 5 + count, "note text", f, Colour.BLUE, (short) -2, true, ll, c, d, o));
    expect(Arrays.equals(outNumbers.value, numbers), "other numbers");
    expectSame("out_bin", text(outBin.value), text(bin));
  }

  private void parameters() {
    report.check("wide", "random", () -> {
      for (int count = 0; count < 20; ++count) wide(count);
    });
    report.check("outputs_only", "documented_values", () -> {
      var o = new ByteHolder();
      var ll = new LongHolder();
      var c = new CharHolder();
      var d = new DoubleHolder();
      var text = new StringHolder();
      var numbers = new LongSeqHolder();
      boolean result = echo.outputs_only(o, ll, c, d, text, numbers);
      expectSame("outputs", List.of(result, o.value, ll.value, c.value, d.value, text.value,
          numbers.value[0], numbers.value[1]), List.of(true, (byte) 1, 2L, '3', 4.5, "five", 6, 7));
    });
    report.check("echo_at_offset", "every_alignment", () -> {
      for (int offset = 0; offset < 8; ++offset)
        for (int count : new int[] {0, 1, 5}) {
          byte[] filler = new byte[offset];
          random.nextBytes(filler);
          BinStruct[] items = new BinStruct[count];
          Arrays.setAll(items, i -> someBin());
          var copy = new OctetSeqHolder();
          BinStruct[] result = echo.echo_at_offset(filler, items, copy);
          expect(Arrays.equals(copy.value, filler), "another filler");
          expectSame("result", Arrays.stream(result).map(Behaviour::text).toList(),
              Arrays.stream(items).map(Behaviour::text).toList());
        }
    });
    report.check("arithmetic", "signs", () -> {
      expectSame("result", echo.arithmetic((short) 1, 2, 3, (byte) 4), 11L);
      expectSame("result", echo.arithmetic(Short.MIN_VALUE, Integer.MIN_VALUE, 1L << 62, (byte) 255),
          (1L << 62) - 2147483648L - 327680 - 255);
    });
  }

  private void reservedNames() {
    report.check("type", "argument", () -> expectSame("result", echo.type(-1), -1));
    report.check("move", "argument", () -> expectSame("result", echo.move(2), 2));
    report.check("class", "argument", () -> expectSame("result", echo._class(3), 3));
    report.check("interface", "argument", () -> expectSame("result", echo._interface(4), 4));
    report.check("loop", "argument", () -> expectSame("result", echo.loop("fn"), "fn"));
    report.check("await", "set_and_get", () -> {
      echo.await(7);
      expectSame("await", echo.await(), 7);
    });
  }

  // ---- Exceptions ------------------------------------------------------------------------------

  private void failed(String reason) {
    Failed error = expectRaised(Failed.class, () -> echo.raise_failed(reason, Integer.MIN_VALUE));
    expectSame("reason", error.reason, reason);
    expectSame("code", error.code, Integer.MIN_VALUE);
  }

  private void detailed(int count) {
    BinStruct bin = someBin();
    int[] numbers = someNumbers(count);
    ByLong choice = new ByLong();
    choice.text("chosen");
    Detailed error = expectRaised(Detailed.class,
        () -> echo.raise_detailed((byte) 200, bin, numbers, choice, Verdict.REJECTED, "reason"));
    expectSame("members", List.of(error.lead, text(error.record), error.choice.text(), error.outcome, error.reason),
        List.of((byte) 200, text(bin), "chosen", Verdict.REJECTED, "reason"));
    expect(Arrays.equals(error.numbers, numbers), "other numbers");
  }

  private void userExceptions() {
    report.check("raise_refused", "no_members", () -> expectRaised(Refused.class, echo::raise_refused));
    report.check("raise_failed", "members", () -> {
      failed("");
      failed(Cases.everything());
    });
    report.check("raise_failed", "100_kb", () -> failed("r".repeat(100_000)));
    report.check("raise_detailed", "members", () -> {
      for (int count = 0; count < 10; ++count) detailed(count);
    });
    var note = new StringHolder("note");
    var half = new DoubleHolder();
    report.check("choose", "returns", () -> {
      expectSame("result", echo.choose((short) 0, note, half), 42);
      expectSame("note", note.value, "note!");
      expectSame("half", half.value, 0.5);
    });
    report.check("choose", "first_exception",
        () -> expectRaised(Refused.class, () -> echo.choose((short) 1, note, half)));
    report.check("choose", "second_exception", () -> expectSame("code",
        expectRaised(Failed.class, () -> echo.choose((short) 2, note, half)).code, 2));
    report.check("choose", "third_exception", () -> expectSame("lead",
        expectRaised(Detailed.class, () -> echo.choose((short) 3, note, half)).lead, (byte) 3));
    report.check("choose", "system_exception",
        () -> expectRaised(BAD_PARAM.class, () -> echo.choose((short) 4, note, half)));
  }

  /**
   * The server raises the exception with every completion status and a custom minor code. Instead
   * of NO it may say MAYBE, because the servant was entered.
   */
  private void systemException(String name, String wanted) {
    int minor = 0;
    for (Completion status : new Completion[] {Completion.DONE, Completion.NOT_DONE, Completion.PERHAPS_DONE}) {
      int asked = minor;
      SystemException error =
          expectRaised(SystemException.class, () -> echo.raise_system(name, asked, status));
      boolean careful = status == Completion.NOT_DONE
          && error.completed == org.omg.CORBA.CompletionStatus.COMPLETED_MAYBE;
      int completed = careful ? error.completed.value() : status.value();
      expectSame("exception", List.of(error.getClass().getSimpleName(), error.minor, error.completed.value()),
          List.of(wanted, minor, completed));
      minor += 0x7fffffff;
    }
  }

  private void systemExceptions() {
    for (String name : SYSTEM_EXCEPTIONS) report.check("raise_system", name, () -> systemException(name, name));
    report.check("raise_system", "unknown_name", () -> systemException("NO_SUCH_EXCEPTION", "BAD_PARAM"));
    report.check("raise_system", "link_survives", echo::ping);
  }

  // ---- Time and parallelism --------------------------------------------------------------------

  private int wrongCalls(int caller) {
    int wrong = 0;
    for (int i = 0; i < 50; ++i) {
      int given = caller * 1000 + i;
      var copy = new IntHolder();
      var kept = new IntHolder(-given);
      int result = echo.echo_long(given, copy, kept);
      if (result != -given || copy.value != given || kept.value != given) ++wrong;
    }
    return wrong;
  }

  private void parallel() {
    report.check("pause", "50_ms", () -> {
      long start = System.nanoTime();
      echo.pause(50);
      expect(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(50), "returned too early");
    });
    report.check("parallel", "8_threads", () -> {
      ExecutorService threads = Executors.newFixedThreadPool(8);
      List<Future<Integer>> callers = new ArrayList<>();
      for (int i = 1; i <= 8; ++i) {
        int caller = i;
        callers.add(threads.submit(() -> wrongCalls(caller)));
      }
      for (Future<Integer> caller : callers) expectSame("wrong calls", caller.get(), 0);
      threads.shutdown();
    });
  }
}
