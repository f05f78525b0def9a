package peer;

import Interop.*;
import Interop.LongSeqHolder;
import Interop.OctetSeqHolder;
import Interop.EchoPackage.Completion;
import Interop.EchoPackage.Detailed;
import Interop.EchoPackage.Verdict;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.omg.CORBA.*;
import org.omg.CORBA.portable.Streamable;
import org.omg.PortableServer.POA;

/**
 * The servant of Interop::Echo; see idl/interop.idl. One method implements all operations that
 * follow the echo rule, which it finds by their parameters. The methods of this class implement the
 * others.
 */
public final class EchoServant {
  private final ORB orb;
  private final POA poa;
  private final org.omg.CORBA.Object exotics;
  private final org.omg.CORBA.Object mirror;
  private Echo myself;

  private int level;
  private int await;
  private String label = "";
  private BinStruct record = new BinStruct();
  private Colour foreground = Colour.RED;
  private Colour background = Colour.RED;
  private int[] history = {};
  private long notified;
  private int notifications;

  EchoServant(ORB orb, POA poa) throws UserException {
    this.orb = orb;
    this.poa = poa;
    exotics = poa.servant_to_reference(new ExoticsServant(orb).tie());
    mirror = poa.servant_to_reference(new MirrorServant());
  }

  /** The servant that is registered at the POA. */
  EchoPOATie tie() {
    return new EchoPOATie(answering(EchoOperations.class, this));
  }

  /**
   * Dispatches operations that follow the echo rule to one method, the others to methods of
   * `servant`.
   */
  static <T> T answering(Class<T> operations, java.lang.Object servant) {
    return operations.cast(Proxy.newProxyInstance(operations.getClassLoader(), new Class<?>[] {operations},
        (proxy, method, arguments) -> answer(servant, method, arguments)));
  }

  /** The published reference of this object, set before the first call. */
  void publishAs(Echo reference) {
    myself = reference;
  }

  private static java.lang.Object answer(java.lang.Object servant, Method method, java.lang.Object[] arguments)
      throws Throwable {
    if (isEcho(method)) return echo((Streamable) arguments[1], (Streamable) arguments[2], arguments[0]);
    try {
      return servant.getClass().getMethod(method.getName(), method.getParameterTypes()).invoke(servant, arguments);
    } catch (InvocationTargetException error) {
      throw error.getCause();
    }
  }

  /** Whether an operation has the form T echo_X(in T given, out T copy, inout T kept). */
  static boolean isEcho(Method method) {
    return method.getName().startsWith("echo_") && method.getParameterCount() == 3
        && Streamable.class.isAssignableFrom(method.getParameterTypes()[1]);
  }

  private static java.lang.Object echo(Streamable copy, Streamable kept, java.lang.Object given)
      throws ReflectiveOperationException {
    java.lang.Object result = Holders.get(kept);
    Holders.set(copy, given);
    Holders.set(kept, given);
    return result;
  }

  // ---- Common, constants, attributes -----------------------------------------------------------

  public String description() {
    return "JacORB " + org.jacorb.util.Version.version;
  }

  public void ping() {}

  public Constants all_constants() {
    return new Constants(NAME_LIMIT.value, NEGATIVE_SHORT.value, TOP_SHORT.value, SHIFTED.value, MASKED.value,
        HIGH_BITS.value, FAR_BELOW.value, FAR_ABOVE.value, ALL_ONES.value, AGREED.value, QUOTE.value,
        HEX_CHAR.value, HALF.value, SCALED.value, GREETING.value, FAVOURITE.value);
  }

  public synchronized int level() { return level; }
  public synchronized void level(int value) { level = value; }
  public synchronized String label() { return label; }
  public synchronized void label(String value) { label = value; }
  public synchronized BinStruct record() { return record; }
  public synchronized void record(BinStruct value) { record = value; }
  public synchronized Colour foreground() { return foreground; }
  public synchronized void foreground(Colour value) { foreground = value; }
  public synchronized Colour background() { return background; }
  public synchronized void background(Colour value) { background = value; }
  public synchronized int[] history() { return history; }
  public synchronized void history(int[] value) { history = value; }
  public synchronized int await() { return await; }
  public synchronized void await(int value) { await = value; }

  public void _notify(int n) { count(n); }
  public void notify_mixed(byte tag, double amount, String text) { count((long) amount + text.length()); }
  public synchronized long notified() { return notified; }
  public synchronized int notifications() { return notifications; }

  private synchronized void count(long amount) {
    notified += amount;
    notifications += 1;
  }

  // ---- Mixes of parameters, reserved words -----------------------------------------------------

  public String wide(byte o, double d, char c, long ll, boolean b, String text, short s, Colour colour_in,
      float f, BinStruct bin, int[] numbers, IntHolder tally, StringHolder note, LongSeqHolder out_numbers,
      BinStructHolder out_bin, FloatHolder out_f, ColourHolder out_colour, ShortHolder out_s,
      BooleanHolder out_b, LongHolder out_ll, CharHolder out_c, DoubleHolder out_d, ByteHolder out_o) {
    out_numbers.value = numbers;
    out_bin.value = bin;
    out_f.value = f;
    out_colour.value = colour_in;
    out_s.value = s;
    out_b.value = b;
    out_ll.value = ll;
    out_c.value = c;
    out_d.value = d;
    out_o.value = o;
    tally.value += numbers.length;
    note.value += text;
    return text;
  }

  public boolean outputs_only(ByteHolder o, LongHolder ll, CharHolder c, DoubleHolder d, StringHolder text,
      LongSeqHolder numbers) {
    o.value = 1;
    ll.value = 2;
    c.value = '3';
    d.value = 4.5;
    text.value = "five";
    numbers.value = new int[] {6, 7};
    return true;
  }

  public BinStruct[] echo_at_offset(byte[] filler, BinStruct[] items, OctetSeqHolder filler_copy) {
    filler_copy.value = filler;
    return items;
  }

  public long arithmetic(short a, int b, long c, byte d) { return 10L * a + b + c - Byte.toUnsignedInt(d); }
  public int type(int self) { return self; }
  public int move(int _super) { return _super; }
  public int _class(int crate) { return crate; }
  public int _interface(int module) { return module; }
  public String loop(String fn) { return fn; }

  // ---- Exceptions ------------------------------------------------------------------------------

  public void raise_refused() throws Refused { throw new Refused(); }
  public void raise_failed(String reason, int code) throws Failed { throw new Failed(reason, code); }

  public void raise_detailed(byte lead, BinStruct bin, int[] numbers, ByLong choice, Verdict outcome,
      String reason) throws Detailed {
    throw new Detailed(lead, bin, numbers, choice, outcome, reason);
  }

  public int choose(short which, StringHolder note, DoubleHolder half) throws Refused, Failed, Detailed {
    switch (which) {
      case 0:
        note.value += "!";
        half.value = 0.5;
        return 42;
      case 1:
        throw new Refused();
      case 2:
        throw new Failed(note.value, which);
      case 3:
        ByLong choice = new ByLong();
        choice.tiny((byte) 0);
        throw new Detailed((byte) 3, new BinStruct(), new int[0], choice, Verdict.REJECTED, note.value);
      default:
        throw new BAD_PARAM(0, CompletionStatus.COMPLETED_NO);
    }
  }

  public void raise_system(String name, int minor_code, Completion status) throws ReflectiveOperationException {
    CompletionStatus completed = CompletionStatus.from_int(status.value()); // declared in the same order
    Constructor<? extends SystemException> exception;
    try {
      exception = Class.forName("org.omg.CORBA." + name).asSubclass(SystemException.class)
          .getConstructor(String.class, int.class, CompletionStatus.class);
    } catch (ReflectiveOperationException none) {
      throw new BAD_PARAM(minor_code, completed);
    }
    throw exception.newInstance("raised as asked", minor_code, completed);
  }

  // ---- References and callbacks ----------------------------------------------------------------

  public org.omg.CORBA.Object exotics() { return exotics; }
  public org.omg.CORBA.Object mirror() { return mirror; }

  public Echo myself() { return myself; }
  public org.omg.CORBA.Object as_object() { return myself; }
  public Common as_common() { return myself; }

  /** A transient object with a counter. */
  private static final class CounterServant extends CounterPOA {
    private final POA poa;
    private int value;

    CounterServant(POA poa, int start) {
      this.poa = poa;
      value = start;
    }

    @Override public synchronized int value() { return value; }
    @Override public synchronized int next() { return ++value; }

    @Override public void destroy() {
      try {
        poa.deactivate_object(poa.servant_to_id(this));
      } catch (UserException error) {
        throw new INTERNAL(error.toString());
      }
    }
  }

  public Counter create_counter(int start) throws UserException {
    return CounterHelper.narrow(poa.servant_to_reference(new CounterServant(poa, start)));
  }

  public Counter no_counter() { return null; }
  public int advance(Counter target) { return required(target).next(); }
  public void call_back(Callback cb, String text) { required(cb).called(text); }

  public int call_all(Callback[] cbs, String text) {
    Callback[] living = Arrays.stream(cbs).filter(cb -> cb != null).toArray(Callback[]::new);
    for (Callback cb : living) cb.called(text);
    return living.length;
  }

  public int descend(Callback partner, int depth) {
    return depth == 0 ? 0 : 1 + partner.descend(myself, depth - 1);
  }

  private static <T> T required(T reference) {
    if (reference == null) throw new INV_OBJREF(0, CompletionStatus.COMPLETED_NO);
    return reference;
  }

  // ---- The server ------------------------------------------------------------------------------

  public void pause(int milliseconds) throws InterruptedException { Thread.sleep(milliseconds); }
  public void shutdown() { new Thread(() -> orb.shutdown(false)).start(); }
}
