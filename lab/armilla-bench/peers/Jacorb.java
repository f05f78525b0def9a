// JacORB: the same interfaces as ours, the same commands. They are in README.md.
import T.Bench.Drain;
import T.Bench.DrainPOA;
import T.Bench.Entrance;
import T.Bench.EntranceHelper;
import T.Bench.EntrancePOA;
import T.Bench.Library;
import T.Bench.LibraryPOA;
import T.BinStruct;
import T.ttcp_sequence;
import T.ttcp_sequencePOA;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Properties;
import java.util.Set;
import org.omg.CORBA.LongHolder;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;
import org.omg.PortableServer.POAHelper;

public final class Jacorb {
  private static final long SECOND = 1_000_000_000L;

  private static final class Sink extends ttcp_sequencePOA {
    public void sendStructSeq_2way(BinStruct[] s) {}
    public void sendShortSeq_2way(short[] s) {}
    public void sendCharSeq_2way(char[] s) {}
    public void sendLongSeq_2way(int[] s) {}
    public void sendOctetSeq_2way(byte[] s) {}
    public void sendDoubleSeq_2way(double[] s) {}
    public void sendNoParams_2way() {}
    public void sendStructSeq_1way(BinStruct[] s) {}
    public void sendShortSeq_1way(short[] s) {}
    public void sendCharSeq_1way(char[] s) {}
    public void sendLongSeq_1way(int[] s) {}
    public void sendOctetSeq_1way(byte[] s) {}
    public void sendDoubleSeq_1way(double[] s) {}
    public void sendNoParams_1way() {}
  }

  private static final class Counter extends DrainPOA {
    private long octets;
    private long messages;

    private synchronized void take(int length) {
      octets += length;
      ++messages;
    }

    public void send_sequence(byte[] s) { take(s.length); }
    public void send_string(String s) { take(s.length()); }
    public void send_nothing() { take(0); }
    public void put_sequence(byte[] s) {}
    public void put_string(String s) {}

    public synchronized long confirm(LongHolder count) {
      long result = octets;
      count.value = messages;
      octets = messages = 0;
      return result;
    }
  }

  private static final class Shelf extends LibraryPOA {
    private final String[] strings = new String[100];

    Shelf() { Arrays.fill(strings, "x".repeat(80)); }
    public String get_single_string(int index) { return strings[index]; }
    public String[] get_multiple_strings(int index, int count) {
      return Arrays.copyOfRange(strings, index, index + count);
    }
  }

  private static final class Door extends EntrancePOA {
    private final POA root;
    private ttcp_sequence[] made = {};

    Door(POA root) { this.root = root; }

    public ttcp_sequence target() { return new Sink()._this(_orb()); }
    public Drain floods() { return new Counter()._this(_orb()); }
    public Library strings() { return new Shelf()._this(_orb()); }

    public void prepare(int count) {
      made = new ttcp_sequence[count];
      for (int i = 0; i < count; ++i) made[i] = new Sink()._this(_orb());
    }

    public ttcp_sequence[] prepared(int first, int count) {
      return Arrays.copyOfRange(made, first, first + count);
    }
  }

  private interface Call {
    void make(int number);
  }

  private static void report(long total, long[] samples) {
    Arrays.sort(samples);
    int n = samples.length;
    System.out.printf("ok %d %d %d %d %d %d %d%n", total, samples[n / 2], samples[n / 100],
        samples[n - 1 - n / 100], samples[n - 1 - n / 1000], samples[0], samples[n - 1]);
  }

  private static void each(int count, Call call) {
    long[] samples = new long[Math.max(count, 1)];
    long begun = System.nanoTime();
    long before = begun;
    for (int i = 0; i < count; ++i) {
      call.make(i);
      long after = System.nanoTime();
      samples[i] = after - before;
      before = after;
    }
    report(before - begun, samples);
  }

  private final Entrance entrance;
  private final Drain drain;
  private final Library library;
  private ttcp_sequence[] targets;
  /** The number of calls to objects in turn so far; a train makes 100 to each. */
  private int turn;
  /** The operations that were warmed up. */
  private final Set<String> warm = new HashSet<>();

  private Jacorb(Entrance entrance) {
    this.entrance = entrance;
    drain = entrance.floods();
    library = entrance.strings();
    targets = new ttcp_sequence[] {entrance.target()};
  }

  private void objects(int count) {
    long begun = System.nanoTime();
    entrance.prepare(count);
    targets = new ttcp_sequence[count];
    turn = 0;
    for (int first = 0; first < count; first += 1000) {
      ttcp_sequence[] part = entrance.prepared(first, Math.min(1000, count - first));
      System.arraycopy(part, 0, targets, first, part.length);
    }
    report(System.nanoTime() - begun, new long[] {System.nanoTime() - begun});
  }

  private Call call(String what, int units, int each) {
    byte[] octets = new byte[units];
    BinStruct[] structs = new BinStruct[what.endsWith("structs") ? units : 0];
    for (int i = 0; i < structs.length; ++i) structs[i] = new BinStruct((short) 7, 'x', i, (byte) 255, 0.5);
    String text = what.endsWith("-string") ? "x".repeat(units) : "";
    return switch (what) {
      case "void" -> i -> targets[(turn + i) / each % targets.length].sendNoParams_2way();
      case "structs" -> i -> targets[0].sendStructSeq_2way(structs);
      case "octets" -> i -> targets[0].sendOctetSeq_2way(octets);
      case "shorts" -> { short[] s = new short[units]; yield i -> targets[0].sendShortSeq_2way(s); }
      case "longs" -> { int[] s = new int[units]; yield i -> targets[0].sendLongSeq_2way(s); }
      case "doubles" -> { double[] s = new double[units]; yield i -> targets[0].sendDoubleSeq_2way(s); }
      case "oneway-void" -> i -> targets[(turn + i) / each % targets.length].sendNoParams_1way();
      case "oneway-structs" -> i -> targets[0].sendStructSeq_1way(structs);
      case "oneway-octets" -> i -> targets[0].sendOctetSeq_1way(octets);
      case "flood-sequence" -> i -> drain.send_sequence(octets);
      case "flood-string" -> i -> drain.send_string(text);
      case "flood-void" -> i -> drain.send_nothing();
      case "twoway-sequence" -> i -> drain.put_sequence(octets);
      case "twoway-string" -> i -> drain.put_string(text);
      case "single-strings" -> i -> { for (int j = 0; j < units; ++j) library.get_single_string(j); };
      case "many-strings" -> i -> library.get_multiple_strings(0, units);
      default -> null;
    };
  }

  /**
   * Polls until all messages of a flood have arrived, because the confirmation may overtake them.
   */
  private void settle(int count) {
    LongHolder more = new LongHolder();
    long last = System.nanoTime();
    for (long arrived = 0; arrived < count; arrived += more.value) {
      drain.confirm(more);
      long now = System.nanoTime();
      if (more.value > 0) last = now;
      if (now - last > 20 * SECOND)
        throw new IllegalStateException(arrived + " of " + count + " messages arrived");
    }
  }

  /** Makes oneway calls, and waits for their arrival. */
  private void send(String what, int count, Call call) {
    for (int i = 0; i < count; ++i) call.make(i);
    if (what.startsWith("flood-")) settle(count);
    else targets[0].sendNoParams_2way();
  }

  private static boolean isOneway(String what) {
    return what.startsWith("flood-") || what.startsWith("oneway-");
  }

  /** Warms up the JVM: measurements begin after it has compiled the methods. */
  private void warmUp(String what, Call call) {
    long end = System.nanoTime() + 3 * SECOND;
    for (int made = 0; made < 20_000 && System.nanoTime() < end; made += 50) {
      if (isOneway(what)) send(what, 50, call);
      else for (int i = 0; i < 50; ++i) call.make(i);
    }
  }

  private void measure(String what, int units, int count, String order) {
    int each = order.equals("train") ? 100 : 1;
    Call call = call(what, units, each);
    if (call == null) {
      System.out.println("no such command here");
      return;
    }
    if (warm.add(what)) warmUp(what, call);
    if (isOneway(what)) {
      long begun = System.nanoTime();
      send(what, count, call);
      long total = System.nanoTime() - begun;
      report(total, new long[] {total});
    } else {
      each(count, call);
    }
    turn += count;
  }

  private void carryOut(String[] words) {
    if (words.length == 2 && words[0].equals("objects")) objects(Integer.parseInt(words[1]));
    else if (words.length == 5 && words[0].equals("call"))
      measure(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[3]), words[4]);
    else System.out.println("no such command here");
  }

  public static void main(String[] words) throws Exception {
    Properties properties = new Properties();
    properties.put("org.omg.CORBA.ORBClass", "org.jacorb.orb.ORB");
    properties.put("org.omg.CORBA.ORBSingletonClass", "org.jacorb.orb.ORBSingleton");
    properties.put("jacorb.connection.client.tcp_nodelay", "true");
    // A server that cannot keep up with a flood pauses reading instead of discarding requests.
    properties.put("jacorb.poa.queue_wait", "on");
    if (words[0].equals("server")) properties.put("OAIAddr", words[2]);
    ORB orb = ORB.init(new String[] {}, properties);
    if (words[0].equals("server")) {
      POA root = POAHelper.narrow(orb.resolve_initial_references("RootPOA"));
      root.the_POAManager().activate();
      System.out.println(orb.object_to_string(new Door(root)._this(orb)));
      orb.run();
      return;
    }
    Jacorb client = new Jacorb(EntranceHelper.narrow(orb.string_to_object(words[2])));
    System.out.println("ready");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String line = commands.readLine(); line != null; line = commands.readLine()) {
      try {
        client.carryOut(line.trim().split(" +"));
      } catch (RuntimeException error) {
        System.out.println("error " + error.toString().replace('\n', ' '));
      }
    }
    System.exit(0);
  }
}
