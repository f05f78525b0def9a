//! Links between traders, and proxy offers.

use crate::served;
use armilla::Error;
use armilla_cos_trading::link::*;
use armilla_cos_trading::lookup::QueryRaises;
use armilla_cos_trading::proxy::*;
use armilla_cos_trading::register::ResolveRaises;
use armilla_cos_trading::{
    Admin, FollowOption, Link, Lookup, LookupRef, Policy, Proxy, Register, TraderComponents,
};
use served::{Served, policy, text};

const ALWAYS: FollowOption = FollowOption::Always;

/// A trader with one printer.
fn with_printer(name: &str, price: f64) -> Served {
    let served = Served::with_printers();
    served.printer(name, price, 1);
    served
}

fn link(from: &Served, name: &str, to: &Served) {
    from.link.add_link(name, &to.lookup, ALWAYS, ALWAYS).unwrap();
}

fn follow(rule: FollowOption) -> Policy {
    policy("link_follow_rule", &rule)
}

fn path(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn links_are_added_described_modified_and_removed() {
    let (one, two) = (Served::new(), Served::new());
    one.link.add_link("two", &two.lookup, FollowOption::LocalOnly, ALWAYS).unwrap();
    assert_eq!(one.link.list_links().unwrap(), ["two"]);
    let info = one.link.describe_link("two").unwrap();
    assert_eq!(info.def_pass_on_follow_rule, FollowOption::LocalOnly);
    assert_eq!((info.limiting_follow_rule, info.target.is_nil()), (ALWAYS, false));
    assert_eq!(info.target_reg.object(), two.register.object());
    one.link.modify_link("two", FollowOption::IfNoLocal, FollowOption::IfNoLocal).unwrap();
    let info = one.link.describe_link("two").unwrap();
    assert_eq!(info.limiting_follow_rule, FollowOption::IfNoLocal);

    let add = |name: &str, target: &LookupRef, default, limiting| match one
        .link
        .add_link(name, target, default, limiting)
    {
        Err(Error::User(raised)) => raised,
        other => panic!("{other:?}"),
    };
    let local = FollowOption::LocalOnly;
    assert!(matches!(add("", &two.lookup, local, local), AddLinkRaises::IllegalLinkName(_)));
    assert!(matches!(add("two", &two.lookup, local, local), AddLinkRaises::DuplicateLinkName(_)));
    assert!(matches!(
        add("nil", &LookupRef::nil(), local, local),
        AddLinkRaises::InvalidLookupRef(_)
    ));
    assert!(matches!(
        add("three", &two.lookup, ALWAYS, local),
        AddLinkRaises::DefaultFollowTooPermissive(_)
    ));
    one.admin.set_max_link_follow_policy(local).unwrap();
    assert!(matches!(
        add("three", &two.lookup, local, ALWAYS),
        AddLinkRaises::LimitingFollowTooPermissive(_)
    ));
    one.link.remove_link("two").unwrap();
    assert!(matches!(
        one.link.remove_link("two"),
        Err(Error::User(RemoveLinkRaises::UnknownLinkName(_)))
    ));
    assert!(matches!(
        one.link.describe_link("t wo"),
        Err(Error::User(DescribeLinkRaises::IllegalLinkName(_)))
    ));
}

#[test]
fn queries_follow_links_as_the_rules_say() {
    let (one, two) = (with_printer("a", 2.0), with_printer("b", 1.0));
    link(&one, "two", &two);
    // The default follows links only if nothing is found here.
    assert_eq!(one.find("", "", &[]), "a");
    assert_eq!(one.find("price < 2", "", &[]), "b");
    assert_eq!(one.find("price < 2", "", &[follow(FollowOption::LocalOnly)]), "");
    assert_eq!(one.find("", "", &[follow(ALWAYS)]), "a b");
    assert_eq!(one.find("", "min price", &[follow(ALWAYS)]), "b a");
    assert_eq!(
        one.find("", "", &[follow(ALWAYS), policy("return_card", &1_u32)]),
        "a [return_card]"
    );

    one.link.modify_link("two", FollowOption::LocalOnly, FollowOption::IfNoLocal).unwrap();
    assert_eq!(one.find("", "", &[follow(ALWAYS)]), "a");
    one.admin.set_max_follow_policy(FollowOption::LocalOnly).unwrap();
    assert_eq!(one.find("price < 2", "", &[follow(ALWAYS)]), " [link_follow_rule]");
}

#[test]
fn a_query_hops_no_further_than_allowed_and_never_in_circles() {
    let (one, two, three) =
        (with_printer("a", 1.0), with_printer("b", 2.0), with_printer("c", 3.0));
    link(&one, "two", &two);
    link(&two, "three", &three);
    link(&three, "one", &one);
    link(&three, "two", &two);
    link(&one, "itself", &one);
    let hops = |count: u32| one.find("", "", &[follow(ALWAYS), policy("hop_count", &count)]);
    assert_eq!(hops(0), "a [hop_count]");
    assert_eq!(hops(1), "a b");
    assert_eq!(hops(2), "a b c");
    assert_eq!(hops(9), "a b c");
    assert_eq!(hops(11), "a b c [hop_count]");
    assert_eq!(three.find("", "min price", &[follow(ALWAYS)]), "a b c");
}

#[test]
fn a_query_may_start_at_another_trader() {
    let (one, two, three) =
        (with_printer("a", 1.0), with_printer("b", 2.0), with_printer("c", 3.0));
    link(&one, "two", &two);
    link(&two, "three", &three);
    let at = |name: &[&str]| {
        let local = follow(FollowOption::LocalOnly);
        one.find("", "", &[policy("starting_trader", &path(name)), local])
    };
    assert_eq!(at(&["two"]), "b");
    assert_eq!(at(&["two", "three"]), "c");
    assert_eq!(at(&[]), "a");
}

#[test]
fn the_name_of_a_trader_has_no_more_links_than_queries_follow() {
    let one = with_printer("a", 1.0);
    let url = one.orb.publish("TradingService", one.trader.lookup()).unwrap();
    let itself: LookupRef = one.client.resolve(&url).unwrap();
    one.link.add_link("itself", &itself, ALWAYS, ALWAYS).unwrap();
    let circle = |times: usize| vec!["itself".to_owned(); times];
    let query = |times: usize| {
        let start = policy("starting_trader", &circle(times));
        let found = one.lookup.query("Printer", "", "", &[start], &served::ALL, 9);
        found.map(|(offers, ..)| offers.len())
    };
    let is_refused =
        |times| matches!(query(times), Err(Error::User(QueryRaises::InvalidPolicyValue(_))));
    let is_unknown = |times| {
        let resolved = one.register.resolve(&circle(times));
        matches!(resolved, Err(Error::User(ResolveRaises::IllegalTraderName(_))))
    };
    assert_eq!(query(10).unwrap(), 1);
    assert!(one.register.resolve(&circle(10)).is_ok());
    assert!(is_refused(11) && is_unknown(11));
    one.admin.set_max_hop_count(u32::MAX).unwrap();
    assert_eq!(query(20).unwrap(), 1);
    assert!(is_refused(65) && is_unknown(65));
    assert!(is_refused(20_000) && is_unknown(20_000));
}

#[test]
fn a_linked_trader_that_is_gone_is_left_out() {
    let (one, two) = (with_printer("a", 1.0), with_printer("b", 2.0));
    link(&one, "two", &two);
    two.orb.shutdown();
    assert_eq!(one.find("", "", &[follow(ALWAYS)]), "a");
}

#[test]
fn registers_of_other_traders_are_resolved() {
    let (one, two, three) = (Served::new(), Served::new(), Served::new());
    link(&one, "two", &two);
    link(&two, "three", &three);
    let resolve = |name: &[&str]| one.register.resolve(&path(name));
    assert_eq!(resolve(&["two"]).unwrap().object(), two.register.object());
    assert_eq!(resolve(&["two", "three"]).unwrap().object(), three.register.object());
    assert!(matches!(resolve(&[]), Err(Error::User(ResolveRaises::IllegalTraderName(_)))));
    assert!(matches!(
        resolve(&["two", "four"]),
        Err(Error::User(ResolveRaises::UnknownTraderName(_)))
    ));
    assert!(matches!(resolve(&["a b"]), Err(Error::User(ResolveRaises::IllegalTraderName(_)))));
}

#[test]
fn a_proxy_offer_stands_for_a_query_elsewhere() {
    let (one, two) = (with_printer("a", 1.0), with_printer("b", 2.0));
    two.printer("c", 9.0, 1);
    let export = |all: bool, recipe: &str, properties: &[_]| {
        one.proxy.export_proxy(&two.lookup, "Printer", properties, all, recipe, &[])
    };
    let id = export(false, "($*) and price < 5", &[text("name", "store")]).unwrap();
    assert_eq!(one.find("exist name", "", &[]), "a b");
    assert_eq!(one.find("exist name", "max price", &[]), "b a");
    // The proxy offer itself must match.
    assert_eq!(one.find("name == 'c'", "", &[]), "");
    assert_eq!(one.find("exist name", "", &[policy("use_proxy_offers", &false)]), "a");

    let info = one.proxy.describe_proxy(&id).unwrap();
    assert_eq!((info.recipe.as_str(), info.if_match_all), ("($*) and price < 5", false));
    assert_eq!(one.admin.list_proxies(9).unwrap().0, [id.as_str()]);
    assert_eq!(one.admin.list_offers(9).unwrap().0.len(), 1);
    assert!(one.register.withdraw(&id).is_err());
    one.proxy.withdraw_proxy(&id).unwrap();
    assert!(matches!(
        one.proxy.withdraw_proxy(&id),
        Err(Error::User(WithdrawProxyRaises::UnknownOfferId(_)))
    ));

    export(true, "name == $(name)", &[text("name", "c")]).unwrap();
    assert_eq!(one.find("price < 1", "", &[]), "c");
    let refused = |outcome: Result<String, Error<ExportProxyRaises>>| match outcome {
        Err(Error::User(raised)) => raised,
        other => panic!("{other:?}"),
    };
    assert!(matches!(
        refused(export(false, "$(name", &[text("name", "x")])),
        ExportProxyRaises::IllegalRecipe(_)
    ));
    assert!(matches!(
        refused(export(false, "", &[])),
        ExportProxyRaises::MissingMandatoryProperty(_)
    ));
}

#[test]
fn the_parts_of_a_trader_lead_to_one_another() {
    let served = Served::new();
    let lookup = served.admin.lookup_if().unwrap();
    assert_eq!(lookup.object(), served.lookup.object());
    let name = served.orb.publish("Other", served.trader.lookup()).unwrap();
    let name = name.replace("Other", "TradingService");
    let found = served.client.string_to_object(&name).unwrap();
    assert!(found.is_a("IDL:omg.org/CosTrading/Lookup:1.0").unwrap());
}
