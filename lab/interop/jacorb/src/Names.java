package peer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.omg.CORBA.ORB;
import org.omg.CORBA.SystemException;
import org.omg.CosNaming.Binding;
import org.omg.CosNaming.BindingHolder;
import org.omg.CosNaming.BindingIteratorHolder;
import org.omg.CosNaming.BindingListHolder;
import org.omg.CosNaming.BindingType;
import org.omg.CosNaming.NameComponent;
import org.omg.CosNaming.NamingContext;
import org.omg.CosNaming.NamingContextExt;
import org.omg.CosNaming.NamingContextExtHelper;
import org.omg.CosNaming.NamingContextExtPackage.InvalidAddress;
import org.omg.CosNaming.NamingContextHelper;
import org.omg.CosNaming.NamingContextPackage.AlreadyBound;
import org.omg.CosNaming.NamingContextPackage.CannotProceed;
import org.omg.CosNaming.NamingContextPackage.InvalidName;
import org.omg.CosNaming.NamingContextPackage.NotEmpty;
import org.omg.CosNaming.NamingContextPackage.NotFound;

/** Runs the sessions of lab/interop/naming-sessions against a naming service: {@code names URL SESSIONS}. */
public final class Names {
  private static final String[] REASONS = {"MissingNode", "NotContext", "NotObject"};

  private final ORB orb;
  private final NamingContextExt root;
  private final Map<String, NamingContextExt> contexts = new HashMap<>();
  /** The context that the last command gave. */
  private NamingContext made;

  private Names(ORB orb, NamingContextExt root) {
    this.orb = orb;
    this.root = root;
  }

  public static void main(String[] arguments) throws Exception {
    ORB orb = ORB.init(new String[0], new Properties());
    NamingContextExt top = NamingContextExtHelper.narrow(orb.string_to_object(arguments[0]));
    Names session = null;
    for (String read : Files.readAllLines(Path.of(arguments[1]))) {
      String line = read.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("session ")) {
        session = new Names(orb, NamingContextExtHelper.narrow(top.new_context()));
        System.out.println(line);
      } else {
        System.out.println("  " + line + " -> " + session.command(line));
      }
    }
    orb.shutdown(false);
    System.exit(0);
  }

  private String command(String line) {
    List<String> words = new ArrayList<>(Arrays.asList(line.split("\\s+")));
    NamingContextExt context = root;
    if (words.get(0).startsWith("@")) {
      context = contexts.get(words.remove(0).substring(1));
    }
    made = null;
    String answer;
    try {
      answer = perform(context, words);
    } catch (NotFound e) {
      answer = "NotFound " + REASONS[e.why.value()] + " " + text(e.rest_of_name);
    } catch (CannotProceed e) {
      answer = "CannotProceed " + text(e.rest_of_name);
    } catch (InvalidName e) {
      answer = "InvalidName";
    } catch (AlreadyBound e) {
      answer = "AlreadyBound";
    } catch (NotEmpty e) {
      answer = "NotEmpty";
    } catch (InvalidAddress e) {
      answer = "InvalidAddress";
    } catch (SystemException e) {
      answer = named(e);
    }
    int place = words.indexOf(">");
    if (place > 0 && made != null) {
      contexts.put(words.get(place + 1), NamingContextExtHelper.unchecked_narrow(made));
    }
    return answer;
  }

  private String perform(NamingContextExt context, List<String> words)
      throws NotFound, CannotProceed, InvalidName, AlreadyBound, NotEmpty, InvalidAddress {
    String first = argument(words, 1);
    String second = argument(words, 2);
    switch (words.get(0)) {
      case "bind": context.bind(name(first), object(second)); return "ok";
      case "rebind": context.rebind(name(first), object(second)); return "ok";
      case "bind_context": context.bind_context(name(first), context(second)); return "ok";
      case "rebind_context": context.rebind_context(name(first), context(second)); return "ok";
      case "resolve": return shown(context.resolve(name(first)));
      case "resolve_str": return shown(context.resolve_str(first));
      case "unbind": context.unbind(name(first)); return "ok";
      case "destroy": context.destroy(); return "ok";
      case "new_context": made = context.new_context(); return "ok";
      case "bind_new_context": made = context.bind_new_context(name(first)); return "ok";
      case "list": return list(context, Integer.parseInt(first));
      case "iterate": return iterate(context, Integer.parseInt(first));
      case "next_zero": {
        BindingIteratorHolder rest = new BindingIteratorHolder();
        context.list(1, new BindingListHolder(), rest);
        return String.valueOf(rest.value.next_n(0, new BindingListHolder()));
      }
      case "iterator_after_destroy": {
        BindingIteratorHolder rest = new BindingIteratorHolder();
        context.list(1, new BindingListHolder(), rest);
        rest.value.destroy();
        return "ok, " + next(rest);
      }
      case "to_name": return text(context.to_name(first));
      case "to_string": return context.to_string(name(first));
      case "to_url": return context.to_url(first, second);
      case "is_a": return String.valueOf(unnarrowed(context)._is_a(first));
      case "non_existent": return String.valueOf(context._non_existent());
      default: throw new IllegalArgumentException(words.get(0));
    }
  }

  /** The same object without its type, so that JacORB asks the server. */
  private org.omg.CORBA.Object unnarrowed(NamingContextExt context) {
    return orb.string_to_object(orb.object_to_string(context));
  }

  private static String argument(List<String> words, int at) {
    return at < words.size() && !words.get(at).equals("\"\"") ? words.get(at) : "";
  }

  private static String list(NamingContextExt context, int count) {
    BindingListHolder bindings = new BindingListHolder();
    BindingIteratorHolder rest = new BindingIteratorHolder();
    context.list(count, bindings, rest);
    return shown(Arrays.asList(bindings.value)) + (rest.value == null ? "" : " and an iterator");
  }

  private static String iterate(NamingContextExt context, int first) {
    BindingListHolder bindings = new BindingListHolder();
    BindingIteratorHolder rest = new BindingIteratorHolder();
    context.list(first, bindings, rest);
    List<Binding> all = new ArrayList<>(Arrays.asList(bindings.value));
    if (rest.value == null) {
      return shown(all) + " without an iterator";
    }
    BindingHolder one = new BindingHolder();
    if (!rest.value.next_one(one)) {
      return "the iterator gave nothing";
    }
    all.add(one.value);
    while (rest.value.next_n(2, bindings)) {
      all.addAll(Arrays.asList(bindings.value));
    }
    String end = next(rest);
    String destroyed = "ok";
    try {
      rest.value.destroy();
    } catch (SystemException e) {
      destroyed = named(e);
    }
    return shown(all) + ", then " + end + ", " + destroyed;
  }

  private static String next(BindingIteratorHolder rest) {
    try {
      return String.valueOf(rest.value.next_one(new BindingHolder()));
    } catch (SystemException e) {
      return named(e);
    }
  }

  private static String shown(List<Binding> bindings) {
    List<String> all = new ArrayList<>();
    for (Binding binding : bindings) {
      String slash = binding.binding_type == BindingType.ncontext ? "/" : "";
      all.add(text(binding.binding_name) + slash);
    }
    Collections.sort(all);
    return all.size() + " of [" + String.join(" ", all) + "]";
  }

  private String shown(org.omg.CORBA.Object object) {
    if (object == null) {
      return "nil";
    }
    String url = org.jacorb.orb.util.CorbaLoc.generateCorbaloc(orb, object);
    int at = url.indexOf("127.0.0.1:1/");
    if (at >= 0) {
      return "object " + url.substring(at + "127.0.0.1:1/".length());
    }
    try {
      return object._is_a("IDL:omg.org/CosNaming/NamingContext:1.0") ? "context" : "object";
    } catch (SystemException e) {
      return "context that answers " + named(e);
    }
  }

  private org.omg.CORBA.Object object(String text) {
    if (text.equals("object:nil")) {
      return null;
    }
    if (text.startsWith("object:")) {
      return orb.string_to_object("corbaloc::127.0.0.1:1/" + text.substring("object:".length()));
    }
    return contexts.get(text.substring("context:".length()));
  }

  private NamingContext context(String text) {
    switch (text) {
      case "nil": return null;
      case "root": return root;
      case "absent":
        return NamingContextHelper.unchecked_narrow(
            orb.string_to_object("corbaloc::127.0.0.1:1/NameService"));
      default: return contexts.get(text);
    }
  }

  /** CORBA's name of a system exception: COMM_FAILURE for org.omg.CORBA.COMM_FAILURE. */
  private static String named(SystemException exception) {
    return exception.getClass().getSimpleName();
  }

  // Names as text, written here as well: what a service makes of a text is under test.

  private static NameComponent[] name(String text) {
    if (text.isEmpty()) {
      return new NameComponent[0];
    }
    List<NameComponent> name = new ArrayList<>();
    StringBuilder[] parts = {new StringBuilder(), new StringBuilder()};
    int part = 0;
    for (int at = 0; at <= text.length(); at++) {
      char here = at < text.length() ? text.charAt(at) : '/';
      if (here == '/') {
        name.add(new NameComponent(parts[0].toString(), parts[1].toString()));
        parts = new StringBuilder[] {new StringBuilder(), new StringBuilder()};
        part = 0;
      } else if (here == '.') {
        part = 1;
      } else {
        parts[part].append(here == '\\' ? text.charAt(++at) : here);
      }
    }
    return name.toArray(new NameComponent[0]);
  }

  private static String text(NameComponent[] name) {
    List<String> steps = new ArrayList<>();
    for (NameComponent step : name) {
      boolean dotted = !step.kind.isEmpty() || step.id.isEmpty();
      steps.add(escaped(step.id) + (dotted ? "." : "") + escaped(step.kind));
    }
    return String.join("/", steps);
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\\\").replace("/", "\\/").replace(".", "\\.");
  }
}
