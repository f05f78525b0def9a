package peer;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.omg.CORBA.Any;
import org.omg.CORBA.ORB;
import org.omg.CORBA.TCKind;
import org.omg.CORBA.TypeCode;
import org.omg.CosTrading.Admin;
import org.omg.CosTrading.FollowOption;
import org.omg.CosTrading.FollowOptionHelper;
import org.omg.CosTrading.Link;
import org.omg.CosTrading.Lookup;
import org.omg.CosTrading.LookupHelper;
import org.omg.CosTrading.LookupPackage.HowManyProps;
import org.omg.CosTrading.LookupPackage.SpecifiedProps;
import org.omg.CosTrading.Offer;
import org.omg.CosTrading.OfferIdIteratorHolder;
import org.omg.CosTrading.OfferIdSeqHolder;
import org.omg.CosTrading.OfferIterator;
import org.omg.CosTrading.OfferIteratorHolder;
import org.omg.CosTrading.OfferSeqHolder;
import org.omg.CosTrading.Policy;
import org.omg.CosTrading.PolicyNameSeqHolder;
import org.omg.CosTrading.Property;
import org.omg.CosTrading.Proxy;
import org.omg.CosTrading.Register;
import org.omg.CosTrading.RegisterPackage.OfferInfo;
import org.omg.CosTradingDynamic.DPEvalFailure;
import org.omg.CosTradingDynamic.DynamicProp;
import org.omg.CosTradingDynamic.DynamicPropEvalHelper;
import org.omg.CosTradingDynamic.DynamicPropEvalPOA;
import org.omg.CosTradingDynamic.DynamicPropHelper;
import org.omg.CosTradingRepos.ServiceTypeRepository;
import org.omg.CosTradingRepos.ServiceTypeRepositoryHelper;
import org.omg.CosTradingRepos.ServiceTypeRepositoryPackage.IncarnationNumber;
import org.omg.CosTradingRepos.ServiceTypeRepositoryPackage.ListOption;
import org.omg.CosTradingRepos.ServiceTypeRepositoryPackage.PropStruct;
import org.omg.CosTradingRepos.ServiceTypeRepositoryPackage.PropertyMode;
import org.omg.CosTradingRepos.ServiceTypeRepositoryPackage.SpecifiedServiceTypes;
import org.omg.CosTradingRepos.ServiceTypeRepositoryPackage.TypeStruct;
import org.omg.PortableServer.POA;

/** A session with a trading service. Prints every result, or the name of the exception. */
final class Trader {
  private final ORB orb;
  private final POA poa;
  private final Lookup lookup;
  private final Register register;
  private final ServiceTypeRepository types;
  private final String other;

  private Trader(ORB orb, String reference, String other) throws Exception {
    this.orb = orb;
    this.other = other;
    poa = Orbs.rootPoa(orb);
    lookup = LookupHelper.narrow(orb.string_to_object(reference));
    register = lookup.register_if();
    types = ServiceTypeRepositoryHelper.narrow(lookup.type_repos());
  }

  /** `trader REF OTHER`: the references of two traders without contents. */
  public static void main(String[] arguments) throws Exception {
    ORB orb = Orbs.init(List.of(), List.of());
    Trader trader = new Trader(orb, arguments[0], arguments[1]);
    trader.serviceTypes();
    trader.offers();
    trader.queries();
    trader.policies();
    trader.iterators();
    trader.dynamicProperties();
    trader.linksAndProxies();
    trader.withdrawals();
    orb.shutdown(true);
  }

  private interface Call {
    Object call() throws Exception;
  }

  /** Prints what a call returns, or the exception that it raises. */
  private static void show(String what, Call call) {
    Object result;
    try {
      result = call.call();
    } catch (org.omg.CORBA.UserException exception) {
      result = "! " + exception.getClass().getSimpleName();
    } catch (org.omg.CORBA.SystemException exception) {
      result = "! " + exception.getClass().getSimpleName();
    } catch (Exception exception) {
      result = "? " + exception;
    }
    System.out.println(what + " -> " + result);
  }

  private TypeCode type(TCKind kind) {
    return kind == TCKind.tk_string ? orb.create_string_tc(0) : orb.get_primitive_tc(kind);
  }

  private PropStruct declared(String name, TypeCode type, PropertyMode mode) {
    return new PropStruct(name, type, mode);
  }

  private Property property(String name, Object value) {
    Any any = orb.create_any();
    if (value instanceof String text) any.insert_string(text);
    else if (name.endsWith("_card") || name.equals("hop_count")) any.insert_ulong((Integer) value);
    else simple(any, value);
    return new Property(name, any);
  }

  private static void simple(Any any, Object value) {
    if (value instanceof Integer number) any.insert_long(number);
    else if (value instanceof Double number) any.insert_double(number);
    else if (value instanceof Float number) any.insert_float(number);
    else if (value instanceof Boolean flag) any.insert_boolean(flag);
    else if (value instanceof Character character) any.insert_char(character);
    else throw new IllegalArgumentException(value.toString());
  }

  private Policy policy(String name, Object value) {
    return new Policy(name, property(name, value).value);
  }

  private Policy follow(FollowOption rule) {
    Any any = orb.create_any();
    FollowOptionHelper.insert(any, rule);
    return new Policy("link_follow_rule", any);
  }

  private org.omg.CORBA.Object object(String name) {
    return orb.string_to_object("corbaloc::printers.invalid/" + name);
  }

  private String incarnation(IncarnationNumber number) {
    return number.high + "." + number.low;
  }

  private void serviceTypes() {
    PropStruct[] printer = {
        declared("name", type(TCKind.tk_string), PropertyMode.PROP_MANDATORY),
        declared("price", type(TCKind.tk_double), PropertyMode.PROP_NORMAL),
        declared("pages", type(TCKind.tk_long), PropertyMode.PROP_NORMAL),
        declared("weight", type(TCKind.tk_float), PropertyMode.PROP_NORMAL),
        declared("grade", type(TCKind.tk_char), PropertyMode.PROP_NORMAL),
        declared("colour", type(TCKind.tk_boolean), PropertyMode.PROP_READONLY),
        declared("sizes", orb.create_sequence_tc(0, type(TCKind.tk_string)), PropertyMode.PROP_NORMAL)};
    PropStruct[] one = {declared("one", type(TCKind.tk_long), PropertyMode.PROP_NORMAL)};
    PropStruct[] two = {one[0], one[0]};
    PropStruct[] changed = {declared("price", type(TCKind.tk_float), PropertyMode.PROP_NORMAL)};
    PropStruct[] stronger = {declared("pages", type(TCKind.tk_long), PropertyMode.PROP_MANDATORY)};
    PropStruct[] weaker = {declared("name", type(TCKind.tk_string), PropertyMode.PROP_NORMAL)};
    String[] none = {};
    show("add Printer", () -> incarnation(types.add_type("Printer", "IDL:omg.org/CORBA/Object:1.0", printer, none)));
    add("Printer", one, none);
    add("1x", one, none);
    add("New", two, none);
    add("New", new PropStruct[] {declared("a b", type(TCKind.tk_long), PropertyMode.PROP_NORMAL)}, none);
    add("New", one, "Unknown");
    add("New", one, "Printer", "Printer");
    add("New", changed, "Printer");
    add("New", weaker, "Printer");
    add("::Office::Laser", stronger, "Printer");
    show("remove Printer", () -> {
      types.remove_type("Printer");
      return "done";
    });
    show("describe Printer", () -> described(types.describe_type("Printer")));
    show("describe Laser", () -> described(types.describe_type("::Office::Laser")));
    show("fully describe Laser", () -> described(types.fully_describe_type("::Office::Laser")));
    show("describe Unknown", () -> described(types.describe_type("Unknown")));
    show("mask", () -> {
      types.mask_type("::Office::Laser");
      return types.describe_type("::Office::Laser").masked;
    });
    show("mask again", () -> {
      types.mask_type("::Office::Laser");
      return "done";
    });
    show("export of a masked type", () -> register.export(object("m"), "::Office::Laser", new Property[] {}));
    show("unmask", () -> {
      types.unmask_type("::Office::Laser");
      return types.describe_type("::Office::Laser").masked;
    });
    show("unmask again", () -> {
      types.unmask_type("::Office::Laser");
      return "done";
    });
    SpecifiedServiceTypes all = new SpecifiedServiceTypes();
    all.__default(ListOption.all);
    show("list", () -> String.join(" ", new TreeSet<>(List.of(types.list_types(all)))));
    SpecifiedServiceTypes since = new SpecifiedServiceTypes();
    show("list since Laser", () -> {
      since.incarnation(types.describe_type("::Office::Laser").incarnation);
      return String.join(" ", types.list_types(since));
    });
  }

  private void add(String name, PropStruct[] properties, String... bases) {
    show("add " + name + " (" + String.join(", ", bases) + ")", () ->
        incarnation(types.add_type(name, "IDL:omg.org/CORBA/Object:1.0", properties, bases)));
  }

  private static String described(TypeStruct type) {
    List<String> properties = new ArrayList<>();
    for (PropStruct property : type.props) properties.add(property.name + ":" + property.mode.value());
    return String.join(" ", properties) + " / " + String.join(" ", type.super_types) + (type.masked ? " masked" : "");
  }

  private Property sizes(String... sizes) {
    Any any = orb.create_any();
    org.omg.CORBA.StringSeqHelper.insert(any, sizes);
    return new Property("sizes", any);
  }

  private void offers() throws Exception {
    Property name = property("name", "a");
    export("without a name");
    export("with a type mismatch", name, property("price", 1));
    export("with a property twice", name, name);
    export("with an illegal name", name, property("a b", 1));
    show("export of nil", () -> register.export(null, "Printer", new Property[] {name}));
    show("export of an unknown type", () -> register.export(object("a"), "Unknown", new Property[] {name}));
    show("export of an illegal type", () -> register.export(object("a"), "a b", new Property[] {name}));
    register.export(object("a"), "Printer", new Property[] {name, property("price", 3.0), property("pages", 10),
        property("weight", 1.5f), property("grade", 'A'), property("colour", true), sizes("a4", "a3")});
    register.export(object("b"), "Printer", new Property[] {property("name", "b"), property("price", 1.0),
        property("pages", 20), property("weight", 9.99f), property("grade", 'B'), property("colour", false), sizes("a4")});
    register.export(object("c"), "Printer", new Property[] {property("name", "it's c"), property("price", 2.0),
        property("pages", 30)});
    String laser = register.export(object("d"), "::Office::Laser",
        new Property[] {property("name", "d"), property("pages", 40), property("room", "12")});
    show("describe", () -> {
      OfferInfo info = register.describe(laser);
      return info.type + " " + info.properties.length + " " + info.reference._is_equivalent(object("d"));
    });
    modify(laser, new String[] {"room"}, property("price", 9.5));
    modify(laser, new String[] {"pages"});
    modify(laser, new String[] {"room"});
    modify(laser, new String[] {"a b"});
    modify(laser, new String[] {}, property("price", "dear"));
    modify(laser, new String[] {}, property("colour", true));
    modify(laser, new String[] {}, property("colour", false));
    show("describe after changes", () -> {
      List<String> names = new ArrayList<>();
      for (Property property : register.describe(laser).properties) names.add(property.name);
      return String.join(" ", new TreeSet<>(names));
    });
    show("describe an illegal id", () -> register.describe("no id").type);
  }

  private void export(String what, Property... properties) {
    show("export " + what, () -> register.export(object("x"), "Printer", properties));
  }

  private void modify(String id, String[] deleted, Property... changed) {
    show("modify -" + String.join(",", deleted) + " +" + changed.length, () -> {
      register.modify(id, deleted, changed);
      return "done";
    });
  }

  private static SpecifiedProps all() {
    SpecifiedProps all = new SpecifiedProps();
    all.__default(HowManyProps.all);
    return all;
  }

  /** The names of offers, in their order. */
  private static String names(Offer[] offers) {
    List<String> names = new ArrayList<>();
    for (Offer offer : offers) {
      String name = "?";
      for (Property property : offer.properties) {
        if (property.name.equals("name")) name = property.value.extract_string();
      }
      names.add(name);
    }
    return String.join(" | ", names);
  }

  private void query(String constraint, String preference, Policy... policies) {
    show("query {" + constraint + "} {" + preference + "}", () -> asked(lookup, constraint, preference, policies));
  }

  private static String asked(Lookup lookup, String constraint, String preference, Policy... policies) throws Exception {
    OfferSeqHolder offers = new OfferSeqHolder();
    PolicyNameSeqHolder limits = new PolicyNameSeqHolder();
    lookup.query("Printer", constraint, preference, policies, all(), 100, offers, new OfferIteratorHolder(), limits);
    return names(offers.value) + (limits.value.length == 0 ? "" : " [" + String.join(" ", limits.value) + "]");
  }

  private void queries() {
    for (String constraint : new String[] {
        "", "TRUE", "FALSE", "price < 3", "price <= 3 and pages > 10", "price < 2 or pages == 30", "not (price < 3)",
        "not exist price", "exist colour", "colour == TRUE", "colour", "colour or pages > 20", "weight == 1.5",
        "weight > 9.9 and weight < 10", "name == 'b'", "'t' ~ name", "name == 'it\\'s c'", "name >= 'b' and name < 'd'",
        "grade == 'A'", "'a3' in sizes", "'a5' in sizes", "pages / 3 == 3", "pages / 4.0 == 2.5", "pages * 2 + 1 == 21",
        "pages - 10 * 2 == 0", "pages / (pages - 10) == 2", "price > -1", "pages == 2e1", "price == .1e1",
        "((((pages)))) == 10", "2 < pages and pages < 25 and price < 2.5", "weight < 100 or TRUE", "TRUE or weight < 100",
        // What is illegal.
        "price <", "price < 'a'", "price = 3", "(price < 3", "price < 3)", "unknown == 3", "name + 1 == 2", "price + 1",
        "1 < pages < 3", "not not colour", "- price < 3", "'a' in name", "price in sizes", "name == \"b\"", "name == 'b",
        "and", "exist 3"}) {
      query(constraint, "first");
    }
    for (String preference : new String[] {
        "", "first", "min price", "max price", "min price * pages", "max pages", "with price > 1.5", "with colour",
        // What is illegal.
        "least price", "min", "min name", "with price", "max unknown", "first price"}) {
      query("pages < 40", preference);
    }
    show("random", () -> asked(lookup, "", "random").split("\\|").length);
    show("query of an unknown type", () -> asking("Unknown", all()));
    show("query of an illegal type", () -> asking("a b", all()));
    SpecifiedProps some = new SpecifiedProps();
    some.prop_names(new String[] {"pages", "unknown"});
    show("desired properties", () -> asking("::Office::Laser", some));
    SpecifiedProps none = new SpecifiedProps();
    none.__default(HowManyProps.none);
    show("no properties", () -> asking("::Office::Laser", none));
    SpecifiedProps twice = new SpecifiedProps();
    twice.prop_names(new String[] {"pages", "pages"});
    show("properties twice", () -> asking("Printer", twice));
    SpecifiedProps illegal = new SpecifiedProps();
    illegal.prop_names(new String[] {"a b"});
    show("illegal properties", () -> asking("Printer", illegal));
  }

  /** The number of properties of the first offer of a type. */
  private Object asking(String type, SpecifiedProps desired) throws Exception {
    OfferSeqHolder offers = new OfferSeqHolder();
    lookup.query(type, "", "", new Policy[] {}, desired, 9, offers, new OfferIteratorHolder(), new PolicyNameSeqHolder());
    return offers.value.length == 0 ? "none" : offers.value[0].properties.length;
  }

  private void policies() throws Exception {
    query("", "min pages", policy("search_card", 2));
    query("", "min pages", policy("match_card", 2));
    query("", "max pages", policy("return_card", 2));
    query("", "min pages", policy("exact_type_match", true));
    query("", "", policy("hop_count", 1), policy("hop_count", 2));
    query("", "", policy("hop_count", "many"));
    query("", "", policy("a b", 1));
    query("", "min pages", policy("another_vendors_policy", 1));
    Admin admin = lookup.admin_if();
    show("max_return_card", () -> {
      int before = admin.set_max_return_card(1);
      String found = asked(lookup, "", "min pages");
      admin.set_max_return_card(before);
      return found + " " + (admin.max_return_card() == before);
    });
  }

  private void iterators() {
    show("iterator", () -> {
      OfferSeqHolder offers = new OfferSeqHolder();
      OfferIteratorHolder rest = new OfferIteratorHolder();
      lookup.query("Printer", "", "min pages", new Policy[] {}, all(), 1, offers, rest, new PolicyNameSeqHolder());
      OfferIterator iterator = rest.value;
      String found = names(offers.value) + " + " + iterator.max_left();
      boolean more = iterator.next_n(2, offers);
      found += " / " + names(offers.value) + " " + more;
      more = iterator.next_n(2, offers);
      found += " / " + names(offers.value) + " " + more;
      iterator.destroy();
      return found;
    });
    show("list_offers", () -> {
      OfferIdSeqHolder ids = new OfferIdSeqHolder();
      OfferIdIteratorHolder rest = new OfferIdIteratorHolder();
      lookup.admin_if().list_offers(3, ids, rest);
      return ids.value.length + " + " + rest.value.max_left();
    });
  }

  /** Tells prices: the number in `extra_info`, or none. */
  private static final class Prices extends DynamicPropEvalPOA {
    @Override
    public Any evalDP(String name, TypeCode type, Any extra) throws DPEvalFailure {
      if (extra.type().kind() != TCKind.tk_double) throw new DPEvalFailure(name, type, extra);
      return extra;
    }
  }

  private void dynamicProperties() throws Exception {
    Any price = orb.create_any();
    price.insert_double(2.5);
    Any nothing = orb.create_any();
    nothing.insert_boolean(false);
    String told = dynamic("told", "price", TCKind.tk_double, price);
    String untold = dynamic("untold", "price", TCKind.tk_double, nothing);
    show("readonly and dynamic", () -> dynamic("x", "colour", TCKind.tk_boolean, nothing));
    show("dynamic of another type", () -> dynamic("x", "price", TCKind.tk_long, nothing));
    query("price == 2.5", "");
    query("price > 1 and price < 3", "min price");
    query("exist price", "min price");
    Any no = orb.create_any();
    no.insert_boolean(false);
    query("exist price", "min price", new Policy("use_dynamic_properties", no));
    for (String id : new String[] {told, untold}) register.withdraw(id);
  }

  private String dynamic(String name, String property, TCKind type, Any extra) throws Exception {
    DynamicProp dynamic = new DynamicProp(
        DynamicPropEvalHelper.narrow(poa.servant_to_reference(new Prices())), type(type), extra);
    Any any = orb.create_any();
    DynamicPropHelper.insert(any, dynamic);
    return register.export(object(name), "Printer", new Property[] {property("name", name), new Property(property, any)});
  }

  private void linksAndProxies() throws Exception {
    Lookup second = LookupHelper.narrow(orb.string_to_object(other));
    ServiceTypeRepository types = ServiceTypeRepositoryHelper.narrow(second.type_repos());
    TypeStruct printer = this.types.describe_type("Printer");
    types.add_type("Printer", printer.if_name, printer.props, new String[] {});
    second.register_if().export(object("z"), "Printer",
        new Property[] {property("name", "z"), property("price", 0.5), property("pages", 5)});
    Link link = lookup.link_if();
    addLink(link, "other", second, FollowOption.local_only, FollowOption.always);
    addLink(link, "other", second, FollowOption.local_only, FollowOption.always);
    addLink(link, "", second, FollowOption.local_only, FollowOption.always);
    addLink(link, "nil", null, FollowOption.local_only, FollowOption.always);
    addLink(link, "rules", second, FollowOption.always, FollowOption.local_only);
    addLink(second.link_if(), "back", lookup, FollowOption.always, FollowOption.always);
    show("list_links", () -> String.join(" ", link.list_links()));
    show("describe_link", () -> link.describe_link("other").limiting_follow_rule.value());
    show("describe an unknown link", () -> link.describe_link("unknown").limiting_follow_rule.value());
    query("pages < 10", "");
    query("", "min pages", follow(FollowOption.local_only));
    query("", "min pages", follow(FollowOption.if_no_local));
    query("", "min pages", follow(FollowOption.always));
    query("", "min pages", follow(FollowOption.always), policy("hop_count", 0));
    Any start = orb.create_any();
    org.omg.CosTrading.TraderNameHelper.insert(start, new String[] {"other"});
    query("", "", new Policy("starting_trader", start), follow(FollowOption.local_only));
    Any nowhere = orb.create_any();
    org.omg.CosTrading.TraderNameHelper.insert(nowhere, new String[] {"nowhere"});
    query("", "", new Policy("starting_trader", nowhere));
    resolve("other");
    resolve("unknown");
    resolve();
    show("remove_link", () -> {
      link.remove_link("other");
      return link.list_links().length;
    });
    show("remove an unknown link", () -> {
      link.remove_link("other");
      return "done";
    });
    proxies(second);
  }

  private void resolve(String... name) {
    show("resolve " + String.join("/", name), () -> register.resolve(name) != null);
  }

  private static void addLink(Link link, String name, Lookup target, FollowOption pass, FollowOption limit) {
    show("add_link " + name, () -> {
      link.add_link(name, target, pass, limit);
      return "done";
    });
  }

  private void proxies(Lookup target) throws Exception {
    Proxy proxy = lookup.proxy_if();
    Property[] name = {property("name", "proxy")};
    Policy[] none = {};
    show("illegal recipe", () -> proxy.export_proxy(target, "Printer", name, false, "$(", none));
    show("proxy for nil", () -> proxy.export_proxy(null, "Printer", name, false, "$*", none));
    String id = proxy.export_proxy(target, "Printer", name, true, "$*", none);
    query("pages < 15", "min pages");
    show("withdraw a proxy as an offer", () -> {
      register.withdraw(id);
      return "done";
    });
    show("describe_proxy", () -> proxy.describe_proxy(id).recipe);
    show("withdraw_proxy", () -> {
      proxy.withdraw_proxy(id);
      return "done";
    });
  }

  private void withdrawals() {
    for (String constraint : new String[] {"pages ==", "pages == 30", "pages == 30"}) {
      show("withdraw {" + constraint + "}", () -> {
        register.withdraw_using_constraint("Printer", constraint);
        return "done";
      });
    }
    show("withdraw an unknown id", () -> {
      register.withdraw("ffffffffffffffff");
      return "done";
    });
    query("", "min pages");
  }
}
