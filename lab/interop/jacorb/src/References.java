package peer;

import static peer.Report.expect;
import static peer.Report.expectRaised;
import static peer.Report.expectSame;

import Interop.*;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.*;
import org.omg.CORBA.Object;
import org.omg.PortableServer.POA;

/** Checks of object references: echo, narrowing, creation and destruction of objects, callbacks. */
final class References {
  private final Report report;
  private final Echo echo;
  private final CallbackServant servant = new CallbackServant();
  private final Callback callback;
  private int stamp;

  References(Report report, Echo echo, POA poa) throws Exception {
    this.report = report;
    this.echo = echo;
    callback = CallbackHelper.narrow(poa.servant_to_reference(servant));
  }

  void run() {
    echoes();
    types();
    counters();
    callbacks();
  }

  /** The client's own object. */
  private static final class CallbackServant extends CallbackPOA {
    private List<String> texts = new ArrayList<>();

    @Override public synchronized void called(String text) {
      texts.add(text);
    }

    @Override public int descend(Echo partner, int depth) {
      return depth == 0 ? 0 : 1 + partner.descend(_this(), depth - 1);
    }

    /** Fails unless these texts have arrived since the previous call. */
    synchronized void expectTexts(String... wanted) {
      boolean same = texts.equals(List.of(wanted));
      int count = texts.size();
      texts = new ArrayList<>();
      expect(same, count + " calls, or other texts, arrived instead of " + wanted.length);
    }
  }

  /** References to one object may differ: in a host name, an address, or a forward. */
  private void expectSameObject(String what, Object got, Object wanted) {
    expect((got == null) == (wanted == null), what + ": nil on one side only");
    if (got == null) return;
    expect(got._is_equivalent(wanted) || shareState(got, wanted), what + ": another object");
  }

  private boolean shareState(Object one, Object other) {
    if (!one._is_a(EchoHelper.id()) || !other._is_a(EchoHelper.id())) return false;
    EchoHelper.narrow(one).await(++stamp);
    return EchoHelper.narrow(other).await() == stamp;
  }

  private void objectEcho(Object given, Object before) {
    var copy = new ObjectHolder();
    var kept = new ObjectHolder(before);
    expectSameObject("result", echo.echo_object(given, copy, kept), before);
    expectSameObject("copy", copy.value, given);
    expectSameObject("kept", kept.value, given);
  }

  private void callbackEcho(Callback given, Callback before) {
    var copy = new CallbackHolder();
    var kept = new CallbackHolder(before);
    expectSameObject("result", echo.echo_callback(given, copy, kept), before);
    expectSameObject("copy", copy.value, given);
    expectSameObject("kept", kept.value, given);
    if (copy.value != null) copy.value.called("through the copy");
  }

  private void expectSameRegistration(Registration got, Registration wanted) {
    expectSame("priority", got.priority, wanted.priority);
    expectSame("label", got.label, wanted.label);
    expectSameObject("target", got.target, wanted.target);
    expectSameObject("anything", got.anything, wanted.anything);
  }

  private void echoes() {
    report.check("echo_object", "servers_object", () -> objectEcho(echo, callback));
    report.check("echo_object", "clients_object", () -> objectEcho(callback, echo));
    report.check("echo_object", "nil", () -> {
      objectEcho(null, echo);
      objectEcho(echo, null);
    });
    report.check("echo_callback", "clients_object", () -> {
      callbackEcho(callback, null);
      servant.expectTexts("through the copy");
    });
    report.check("echo_callback", "nil", () -> callbackEcho(null, callback));
    report.check("echo_callback_seq", "nil_among_others", () -> {
      Callback[] given = {callback, null, callback};
      var copy = new CallbackSeqHolder();
      var kept = new CallbackSeqHolder(new Callback[0]);
      expectSame("result", echo.echo_callback_seq(given, copy, kept).length, 0);
      for (int i = 0; i < given.length; ++i) {
        expectSameObject("copy", copy.value[i], given[i]);
        expectSameObject("kept", kept.value[i], given[i]);
      }
    });
    var full = new Registration((byte) 255, callback, "label", echo);
    var bare = new Registration((byte) 0, null, "", null);
    report.check("echo_registration", "members", () -> {
      var copy = new RegistrationHolder();
      var kept = new RegistrationHolder(bare);
      expectSameRegistration(echo.echo_registration(full, copy, kept), bare);
      expectSameRegistration(copy.value, full);
      expectSameRegistration(kept.value, full);
    });
    report.check("echo_registration_seq", "members", () -> {
      Registration[] given = {full, bare};
      var copy = new RegistrationSeqHolder();
      var kept = new RegistrationSeqHolder(new Registration[0]);
      expectSame("result", echo.echo_registration_seq(given, copy, kept).length, 0);
      for (int i = 0; i < given.length; ++i) {
        expectSameRegistration(copy.value[i], given[i]);
        expectSameRegistration(kept.value[i], given[i]);
      }
    });
  }

  // ---- Types and lives of objects --------------------------------------------------------------

  private void types() {
    report.check("_is_a", "every_base", () -> {
      for (String base : List.of("Echo", "Values", "Containers", "Common"))
        expect(echo._is_a("IDL:armilla.org/Interop/" + base + ":1.0"), base);
      expect(echo._is_a("IDL:omg.org/CORBA/Object:1.0"), "Object");
    });
    report.check("_is_a", "not_another", () -> {
      expect(!echo._is_a("IDL:armilla.org/Interop/Counter:1.0"), "it is a Counter");
      expect(!echo._is_a("no repository id"), "it is anything");
    });
    report.check("_non_existent", "living", () -> expect(!echo._non_existent(), "it does not exist"));
    report.check("myself", "same_object", () -> {
      expectSameObject("myself", echo.myself(), echo);
      echo.myself().ping();
    });
    report.check("as_object", "narrows", () -> {
      EchoHelper.narrow(echo.as_object()).ping();
      expectRaised(BAD_PARAM.class, () -> CounterHelper.narrow(echo.as_object()));
    });
    report.check("as_common", "narrows", () -> {
      echo.as_common().ping();
      ContainersHelper.narrow(echo.as_common()).ping();
    });
  }

  private void counters() {
    report.check("create_counter", "counts", () -> {
      Counter one = echo.create_counter(10);
      Counter other = echo.create_counter(-1);
      expectSame("counts", List.of(one.next(), other.next(), echo.advance(one), one.value(), other.value()),
          List.of(11, 0, 12, 12, 0));
      one.destroy();
      other.destroy();
    });
    report.check("create_counter", "many", () -> {
      Counter[] counters = new Counter[100];
      for (int start = 0; start < 100; ++start) counters[start] = echo.create_counter(start);
      for (int start = 99; start >= 0; --start) {
        expectSame("value", counters[start].value(), start);
        counters[start].destroy();
      }
    });
    report.check("no_counter", "nil", () -> expect(echo.no_counter() == null, "not nil"));
    report.check("advance", "nil", () -> expectRaised(INV_OBJREF.class, () -> echo.advance(null)));
    report.check("destroy", "object_not_exist", () -> {
      Counter counter = echo.create_counter(0);
      counter.destroy();
      expectRaised(OBJECT_NOT_EXIST.class, counter::next);
      expect(counter._non_existent(), "it still exists");
      Counter another = echo.create_counter(1);
      expectRaised(OBJECT_NOT_EXIST.class, counter::next);
      another.destroy();
    });
    report.check("unknown_operation", "bad_operation", () -> {
      Counter counter = echo.create_counter(0);
      Echo disguised = EchoHelper.unchecked_narrow(counter);
      expectRaised(BAD_OPERATION.class, () -> disguised.pause(0));
      expectSame("next", counter.next(), 1);
      counter.destroy();
    });
  }

  private void callbacks() {
    report.check("call_back", "texts", () -> {
      for (String text : List.of("hello", "", "c".repeat(100_000))) {
        echo.call_back(callback, text);
        servant.expectTexts(text);
      }
    });
    report.check("call_back", "nil", () -> expectRaised(INV_OBJREF.class, () -> echo.call_back(null, "")));
    report.check("call_all", "nil_among_others", () -> {
      expectSame("result", echo.call_all(new Callback[] {null, callback, callback, null, callback}, "all"), 3);
      servant.expectTexts("all", "all", "all");
      expectSame("result", echo.call_all(new Callback[0], "none"), 0);
    });
    for (int depth : new int[] {0, 1, 2, 5})
      report.check("descend", "depth_" + depth, () -> expectSame("result", echo.descend(callback, depth), depth));
  }
}
