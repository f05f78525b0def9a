package peer;

import Interop.Echo;
import Interop.EchoHelper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.omg.CORBA.ORB;
import org.omg.PortableServer.POA;

/**
 * The JacORB client of the interop suite. It calls every operation of an Interop::Echo, checks
 * every result, and prints one line for each check. The checks are in Values, Behaviour and
 * References.
 */
public final class Client {
  private static final String USAGE = """
      usage: client [--utf8] [--exotics] [--shutdown] [--property NAME=VALUE]... [-ORB...]
                    IOR|FILE|corbaloc:...|corbaname:... [FILTER|!FILTER]...
        --utf8                 use UTF-8 as the native code set, and texts beyond Latin-1
        --exotics              make the checks of interop_values.idl instead of those of interop.idl
        --shutdown             end with the operation `shutdown`
        --property NAME=VALUE  a property of JacORB
        FILTER                 a part of the names (operation/case) of the checks to run; with !, not to run""";

  private String target;
  private boolean exotics;
  private boolean shutdown;
  private final List<String> filters = new ArrayList<>();
  private final List<String> properties = new ArrayList<>();
  private final List<String> orbOptions = new ArrayList<>();

  public static void main(String[] arguments) {
    Client client = new Client();
    try {
      client.parse(List.of(arguments));
      System.exit(client.run());
    } catch (IllegalArgumentException error) {
      System.err.println("client: " + error.getMessage() + "\n" + USAGE);
    } catch (Exception error) {
      System.err.println("client: " + error);
    }
    System.exit(2);
  }

  private void parse(List<String> arguments) {
    for (int i = 0; i < arguments.size(); ++i) {
      String argument = arguments.get(i);
      if (argument.equals("--utf8")) {
        Filler.highestChar = 127;
        properties.add("jacorb.native_char_codeset=UTF8");
      } else if (argument.equals("--exotics")) {
        exotics = true;
      } else if (argument.equals("--shutdown")) {
        shutdown = true;
      } else if (argument.equals("--property")) {
        properties.add(arguments.get(++i));
      } else if (argument.startsWith("-ORB")) {
        orbOptions.addAll(List.of(argument, arguments.get(++i)));
      } else if (argument.startsWith("--")) {
        throw new IllegalArgumentException("unknown option " + argument);
      } else if (target == null) {
        target = argument;
      } else {
        filters.add(argument);
      }
    }
    if (target == null) throw new IllegalArgumentException("no object reference given");
  }

  private int run() throws Exception {
    ORB orb = Orbs.init(orbOptions, properties);
    // JacORB offers its own connections only if there is such a POA.
    POA callbacks = Orbs.callbacks(orb, properties);
    Path file = Path.of(target);
    String reference = target.length() < 256 && Files.exists(file) ? Files.readString(file).strip() : target;
    Echo echo = EchoHelper.narrow(orb.string_to_object(reference));
    Report report = new Report(filters);
    Graphs.register(orb, false);
    if (exotics) {
      new Exotic(report, orb, echo).run();
    } else {
      new Values(report, orb, echo).run();
      new Behaviour(report, echo).run();
      new References(report, echo, callbacks).run();
    }
    if (shutdown) echo.shutdown();
    orb.shutdown(true);
    return report.finish();
  }
}
