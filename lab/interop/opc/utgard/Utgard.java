import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jinterop.dcom.common.JISystem;
import org.jinterop.dcom.core.JIVariant;
import org.openscada.opc.dcom.common.EventHandler;
import org.openscada.opc.dcom.common.KeyedResult;
import org.openscada.opc.dcom.common.KeyedResultSet;
import org.openscada.opc.dcom.common.ResultSet;
import org.openscada.opc.dcom.da.IOPCDataCallback;
import org.openscada.opc.dcom.da.OPCSERVERSTATE;
import org.openscada.opc.dcom.da.ValueData;
import org.openscada.opc.dcom.list.ClassDetails;
import org.openscada.opc.lib.common.ConnectionInformation;
import org.openscada.opc.lib.da.AddFailedException;
import org.openscada.opc.lib.da.Group;
import org.openscada.opc.lib.da.Item;
import org.openscada.opc.lib.da.ItemState;
import org.openscada.opc.lib.da.Server;
import org.openscada.opc.lib.da.WriteRequest;
import org.openscada.opc.lib.da.browser.Branch;
import org.openscada.opc.lib.da.browser.Leaf;
import org.openscada.opc.lib.list.Categories;
import org.openscada.opc.lib.list.Category;
import org.openscada.opc.lib.list.ServerList;

/** Utgard as client of the plant: list, browse, read, write, callbacks.
 * Usage: Utgard HOST SECONDS */
public class Utgard {
    static final String PROG_ID = "Armilla.Plant.1";
    /** Each counts ten times a second. */
    static final int COUNTERS = 100;

    static void check(boolean holds, Object found) {
        if (!holds) throw new AssertionError(found);
    }

    static String list(String host) throws Exception {
        ServerList list = new ServerList(host, "operator", "secret", "PLANT");
        String id = list.getClsIdFromProgId(PROG_ID);
        Collection<ClassDetails> all = list.listServersWithDetails(
            new Category[] {Categories.OPCDAServer20}, new Category[] {});
        check(all.size() == 1, all.size());
        ClassDetails details = all.iterator().next();
        check(details.getProgId().equals(PROG_ID), details.getProgId());
        check(details.getClsId().equalsIgnoreCase(id), details.getClsId());
        System.out.println("Utgard as client: list of servers");
        return id;
    }

    static void names(Branch branch, TreeSet<String> into) {
        for (Leaf leaf : branch.getLeaves()) into.add(leaf.getItemId());
        for (Branch below : branch.getBranches()) names(below, into);
    }

    static void browse(Server server) throws Exception {
        TreeSet<String> tree = new TreeSet<>();
        names(server.getTreeBrowser().browse(), tree);
        TreeSet<String> flat = new TreeSet<>(server.getFlatBrowser().browse());
        check(tree.equals(flat), tree + " and " + flat);
        check(flat.contains("Tank1.Inlet.Setpoint"), flat);
        check(server.getFlatBrowser().browse("Tank1.*").size() == 10, "Tank1.*");
        System.out.println("Utgard as client: " + flat.size() + " items by both browsers");
    }

    static void readAndWrite(Server server) throws Exception {
        Group group = server.addGroup("sync");
        Item setpoint = group.addItem("Tank1.Inlet.Setpoint");
        Item label = group.addItem("Tank1.Label");
        Item level = group.addItem("Tank1.Level");
        check(setpoint.write(new JIVariant(25.5)) == 0, "the setpoint cannot be written");
        ItemState state = setpoint.read(true);
        check(state.getValue().getObjectAsDouble() == 25.5, state);
        check(state.getQuality() == 0xc0, state);
        long age = System.currentTimeMillis() - state.getTimestamp().getTimeInMillis();
        check(Math.abs(age) < 60_000, age);
        // A number for a label becomes text, and a level cannot be written.
        Map<Item, Integer> written = group.write(
            new WriteRequest(label, new JIVariant(7)), new WriteRequest(level, new JIVariant(1.0)));
        check(written.get(label) == 0, written);
        check(written.get(level) == 0xc0040006, written);
        check(label.read(false).getValue().getObjectAsString2().equals("7"), label.read(false));
        check(setpoint.write(new JIVariant(101.0)) == 0xc004000b, "it is out of range");
        try {
            group.addItem("Tank1.Nothing");
            throw new AssertionError("there is no such item");
        } catch (AddFailedException expected) {
            check(expected.getErrors().get("Tank1.Nothing") == 0xc0040007, expected.getErrors());
        }
        Item failed = group.addItem("Tank1.Sensor.Failed");
        failed.write(new JIVariant(true));
        for (int tries = 0; level.read(true).getQuality() != 0x10; tries++) {
            check(tries < 600, level.read(true));
            Thread.sleep(100);
        }
        failed.write(new JIVariant(false));
        group.setActive(false);
        check(!group.isActive(), "it is active");
        group.remove();
        System.out.println("Utgard as client: read, write, quality, errors");
    }

    /** Counts what arrives, and how it follows on what was there. */
    static class Counting implements IOPCDataCallback {
        final Map<Integer, Integer> last = new HashMap<>();
        final CountDownLatch read = new CountDownLatch(1);
        long changes, lost, callbacks;

        public synchronized void dataChange(int transaction, int group, int quality, int error,
                KeyedResultSet<Integer, ValueData> result) {
            callbacks++;
            for (KeyedResult<Integer, ValueData> value : result) {
                try {
                    int count = value.getValue().getValue().getObjectAsInt();
                    Integer before = last.put(value.getKey(), count);
                    if (before != null) lost += count - before - 1;
                    changes++;
                } catch (Exception error2) {
                    lost += 1_000_000;
                }
            }
        }

        public void readComplete(int transaction, int group, int quality, int error,
                KeyedResultSet<Integer, ValueData> result) {
            if (transaction == 77 && result.size() == 1) read.countDown();
        }

        public void writeComplete(int transaction, int group, int error, ResultSet<Integer> result) {}

        public void cancelComplete(int transaction, int group) {}
    }

    static void callbacks(Server server, int seconds) throws Exception {
        server.setDefaultUpdateRate(100);
        server.setDefaultActive(false);
        Group group = server.addGroup("async");
        Counting counting = new Counting();
        EventHandler handler = group.attach(counting);
        String[] names = new String[COUNTERS];
        for (int at = 0; at < COUNTERS; at++) names[at] = String.format("Counters.C%03d", at);
        Map<String, Item> items = group.addItems(names);
        check(items.size() == COUNTERS, items.size());
        group.getAsyncIO20().read(77, items.get(names[0]).getServerHandle());
        check(counting.read.await(60, TimeUnit.SECONDS), "nothing was read");
        group.setActive(true);
        long start = System.nanoTime();
        Thread.sleep(seconds * 1000L);
        long changes, callbacks;
        synchronized (counting) {
            changes = counting.changes;
            callbacks = counting.callbacks;
            check(counting.lost == 0, counting.lost + " lost of " + changes);
        }
        double took = (System.nanoTime() - start) / 1e9;
        long expected = (long) (took * 10 * COUNTERS);
        // A second may still be on its way.
        check(changes > expected - 10 * COUNTERS, changes + " changes, expected " + expected);
        System.out.printf("Utgard as client: %d changes in %.1f s by %d callbacks, none lost%n",
            changes, took, callbacks);
        handler.detach();
        group.remove();
    }

    public static void main(String[] arguments) throws Exception {
        JISystem.setAutoRegisteration(false);
        String host = arguments[0];
        ConnectionInformation information = new ConnectionInformation();
        information.setHost(host);
        information.setDomain("PLANT");
        information.setUser("operator");
        information.setPassword("secret");
        information.setClsid(list(host));
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        Server server = new Server(information, executor);
        server.connect();
        check(server.getServerState().getServerState() == OPCSERVERSTATE.OPC_STATUS_RUNNING,
            server.getServerState().getServerState());
        browse(server);
        readAndWrite(server);
        callbacks(server, Integer.parseInt(arguments[1]));
        server.disconnect();
        System.exit(0);
    }
}
