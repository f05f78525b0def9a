//! `Lookup`: what queries find, in which order, and within which limits.

use crate::served;
use armilla::{Any, Error, Orb, TypeCode};
use armilla_cos_trading::dynamic::dynamic_prop_eval::{self, EvalDpRaises};
use armilla_cos_trading::dynamic::{DpEvalFailure, DynamicProp, DynamicPropEval};
use armilla_cos_trading::lookup::*;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::{Admin, Link, Lookup, OfferIterator, Register};
use armilla_tests::orbs::listening;
use armilla_trader::Limits;
use served::{ALL, Served, policy, property, text};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

fn stocked() -> Served {
    let served = Served::with_printers();
    for (name, price, pages) in [("a", 3.0, 10), ("b", 1.0, 20), ("c", 2.0, 30), ("d", 9.5, 40)] {
        served.printer(name, price, pages);
    }
    served
}

#[test]
fn constraints_choose_and_preferences_order() {
    let served = stocked();
    assert_eq!(served.find("", "", &[]), "a b c d");
    assert_eq!(served.find("price < 3.0 or pages == 40", "", &[]), "b c d");
    assert_eq!(served.find("pages >= 20", "max price", &[]), "d c b");
    assert_eq!(served.find("", "min price * pages", &[]), "b a c d");
    assert_eq!(served.find("", "with pages > 25", &[]), "c d a b");
    assert_eq!(served.find("name == 'b' and price == 1", "", &[]), "b");
    assert_eq!(served.find("not exist serial", "first", &[]), "a b c d");
    assert_eq!(served.find("serial == 1 or pages > 0", "", &[]), "");
}

#[test]
fn offers_of_derived_types_are_found_unless_the_client_wants_none() {
    let served = stocked();
    served.types.add_type("Laser", "", &[], &["Printer".to_owned()]).unwrap();
    served.register.export(&served.object("l"), "Laser", &[text("name", "l")]).unwrap();
    assert_eq!(served.find("", "", &[]), "a b c d l");
    assert_eq!(served.find("", "", &[policy("exact_type_match", &true)]), "a b c d");
    // Also if there are none of the type itself.
    served.register.withdraw_using_constraint("Printer", "").unwrap();
    assert_eq!(served.find("", "", &[]), "l");
    assert_eq!(served.find("", "", &[policy("exact_type_match", &true)]), "");
    assert!(served.register.withdraw_using_constraint("Printer", "").is_err());
}

#[test]
fn cardinalities_limit_and_are_said() {
    let served = stocked();
    let limited =
        |name: &str, count: u32| served.find("pages > 0", "min price", &[policy(name, &count)]);
    assert_eq!(limited("search_card", 2), "b a [search_card]");
    assert_eq!(limited("match_card", 2), "b a [match_card]");
    assert_eq!(limited("return_card", 2), "b c [return_card]");
    assert_eq!(limited("return_card", 4), "b c a d");
    assert_eq!(served.admin.set_max_match_card(3).unwrap(), 1_000_000);
    assert_eq!(limited("match_card", 4), "b c a [match_card]");
    assert_eq!(served.find("", "", &[]), "a b c [match_card]");
}

#[test]
fn unmodifiable_and_static_offers_can_be_asked_for() {
    let served = stocked();
    assert_eq!(served.find("", "", &[policy("use_modifiable_properties", &false)]), "");
    assert_eq!(served.find("", "", &[policy("use_dynamic_properties", &false)]), "a b c d");
}

fn refusal(served: &Served, query: impl FnOnce(&Served) -> Query<'_>) -> QueryRaises {
    let Query { ty, constraint, preference, policies, desired } = query(served);
    match served.lookup.query(ty, constraint, preference, &policies, &desired, 1) {
        Err(Error::User(raised)) => raised,
        other => panic!("{other:?}"),
    }
}

struct Query<'q> {
    ty: &'q str,
    constraint: &'q str,
    preference: &'q str,
    policies: Vec<armilla_cos_trading::Policy>,
    desired: SpecifiedProps,
}

impl Default for Query<'_> {
    fn default() -> Self {
        Self { ty: "Printer", constraint: "", preference: "", policies: Vec::new(), desired: ALL }
    }
}

#[test]
fn illegal_arguments_are_refused() {
    let served = stocked();
    let with = |policies: Vec<_>| refusal(&served, |_| Query { policies, ..Query::default() });
    let named = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let desired = SpecifiedProps::PropNames(names);
        refusal(&served, |_| Query { desired, ..Query::default() })
    };
    assert!(matches!(
        refusal(&served, |_| Query { ty: "1", ..Query::default() }),
        QueryRaises::IllegalServiceType(_)
    ));
    assert!(matches!(
        refusal(&served, |_| Query { ty: "Plotter", ..Query::default() }),
        QueryRaises::UnknownServiceType(_)
    ));
    assert!(matches!(
        refusal(&served, |_| Query { constraint: "prise < 3", ..Query::default() }),
        QueryRaises::IllegalConstraint(raised) if raised.constr == "prise < 3"
    ));
    assert!(matches!(
        refusal(&served, |_| Query { preference: "min name", ..Query::default() }),
        QueryRaises::IllegalPreference(raised) if raised.pref == "min name"
    ));
    assert!(matches!(with(vec![policy("", &1_u32)]), QueryRaises::IllegalPolicyName(_)));
    let twice = vec![policy("hop_count", &1_u32), policy("hop_count", &2_u32)];
    assert!(matches!(with(twice), QueryRaises::DuplicatePolicyName(_)));
    let wrong = vec![policy("hop_count", &true)];
    assert!(matches!(with(wrong), QueryRaises::PolicyTypeMismatch(_)));
    let nowhere = vec![policy("starting_trader", &vec!["nowhere".to_owned()])];
    assert!(matches!(with(nowhere), QueryRaises::InvalidPolicyValue(_)));
    assert!(matches!(named(&["a b"]), QueryRaises::IllegalPropertyName(_)));
    assert!(matches!(named(&["price", "price"]), QueryRaises::DuplicatePropertyName(_)));
}

#[test]
fn only_the_desired_properties_are_returned() {
    let served = stocked();
    let shown = |desired: SpecifiedProps| {
        let (offers, ..) =
            served.lookup.query("Printer", "name == 'a'", "", &[], &desired, 9).unwrap();
        assert_eq!(offers[0].reference, served.object("a"));
        offers[0].properties.iter().map(|p| p.name.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(shown(ALL), "name price pages");
    assert_eq!(shown(SpecifiedProps::Unlisted { discriminator: HowManyProps::None }), "");
    let some = ["pages".to_owned(), "unknown".to_owned()].to_vec();
    assert_eq!(shown(SpecifiedProps::PropNames(some)), "pages");
}

#[test]
fn an_iterator_has_what_does_not_fit() {
    let served = stocked();
    let (first, rest, _) = served.lookup.query("Printer", "", "min price", &[], &ALL, 1).unwrap();
    assert_eq!(first.len(), 1);
    assert_eq!(rest.max_left().unwrap(), 3);
    let (more, two) = rest.next_n(2).unwrap();
    assert_eq!((more, two.len()), (true, 2));
    // The iterator holds what the query found, whatever has happened since.
    served.register.withdraw_using_constraint("Printer", "").unwrap();
    let (more, last) = rest.next_n(2).unwrap();
    assert_eq!((more, last[0].reference == served.object("d")), (false, true));
    assert_eq!(rest.next_n(2).unwrap(), (false, Vec::new()));
    rest.destroy().unwrap();
    assert!(rest.max_left().is_err());
}

#[test]
fn the_iterator_that_was_not_used_for_longest_ends() {
    let served = Served::limited(Limits { iterators: 2, ..Limits::default() });
    served.add_printers();
    (0..3).for_each(|number| drop(served.printer("p", 1.0, number)));
    let iterator = || served.lookup.query("Printer", "", "", &[], &ALL, 0).unwrap().1;
    let (one, two) = (iterator(), iterator());
    one.next_n(1).unwrap();
    let three = iterator();
    assert!(two.next_n(1).is_err());
    assert_eq!(one.max_left().unwrap(), 2);
    assert_eq!(three.max_left().unwrap(), 3);
}

/// Tells prices: twice the number in `extra_info`; it fails without one.
struct Prices {
    asked: Arc<AtomicUsize>,
    delay: Duration,
}

impl DynamicPropEval for Prices {
    fn eval_dp(
        &self,
        name: &str,
        returned_type: &TypeCode,
        extra_info: &Any,
    ) -> Result<Any, Error<EvalDpRaises>> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(self.delay);
        match extra_info.get::<f64>().ok().flatten() {
            Some(half) => Ok(Any::new(&(2.0 * half)).unwrap()),
            None => Err(DpEvalFailure {
                name: name.to_owned(),
                returned_type: returned_type.clone(),
                extra_info: extra_info.clone(),
            }
            .into()),
        }
    }
}

/// Exports a printer whose price is dynamic.
fn dynamic(served: &Served, prices: Prices, name: &str, extra_info: Any) {
    dynamic_of(&served.orb, served, prices, name, extra_info);
}

/// The same with the evaluator in another ORB.
fn dynamic_of(orb: &Orb, served: &Served, prices: Prices, name: &str, extra_info: Any) {
    let prices = orb.root_poa().activate(dynamic_prop_eval::tie(prices)).unwrap();
    let price = DynamicProp { eval_if: prices, returned_type: TypeCode::Double, extra_info };
    let properties = [text("name", name), property("price", &price), property("pages", &5)];
    served.register.export(&served.object(name), "Printer", &properties).unwrap();
}

#[test]
fn dynamic_properties_are_asked_for_when_needed_and_once() {
    let served = stocked();
    let asked = Arc::new(AtomicUsize::new(0));
    let prices = || Prices { asked: asked.clone(), delay: Duration::ZERO };
    dynamic(&served, prices(), "x", Any::new(&1.25).unwrap());
    dynamic(&served, prices(), "broken", Any::default());
    let asks = || asked.swap(0, Ordering::Relaxed);

    assert_eq!(served.find("price == 2.5", "min price", &[]), "x");
    // The value was returned, too.
    assert_eq!(asks(), 2);
    assert_eq!(served.find("pages == 10 and price > 0", "", &[]), "a");
    assert_eq!(asks(), 0);
    assert_eq!(served.find("price < 3", "max price", &[]), "x c b");
    assert_eq!(served.find("exist price", "min price", &[]), "b c x a d broken");
    asks();
    let without = [policy("use_dynamic_properties", &false)];
    assert_eq!(served.find("price < 3", "", &without), "b c");
    assert_eq!(asks(), 0);

    let (offers, ..) = served.lookup.query("Printer", "pages == 5", "", &[], &ALL, 9).unwrap();
    let shown =
        |at: usize| offers[at].properties.iter().map(|p| p.name.as_str()).collect::<Vec<_>>();
    assert_eq!((shown(0), shown(1)), (vec!["name", "price", "pages"], vec!["name", "pages"]));
    assert_eq!(offers[0].properties[1], property("price", &2.5));
}

#[test]
fn an_evaluator_that_hangs_costs_a_query_its_limit_and_nothing_else() {
    let limits = Limits {
        call_time: Duration::from_millis(100),
        query_time: Duration::from_millis(300),
        ..Limits::default()
    };
    let served = Served::limited(limits);
    served.add_printers();
    served.printer("a", 1.0, 5);
    let elsewhere = listening();
    for name in ["x", "y", "z"] {
        let prices = Prices { asked: Arc::default(), delay: Duration::from_secs(2) };
        dynamic_of(&elsewhere, &served, prices, name, Any::new(&0.5).unwrap());
    }
    let (started, slow) = (Instant::now(), served.lookup.clone());
    let slow = std::thread::spawn(move || served::names(&slow, "price == 1", "", &[]));
    // Offers come and go meanwhile.
    served.printer("b", 1.0, 5);
    assert!(slow.join().unwrap().starts_with('a'));
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
}

#[test]
fn readonly_properties_cannot_be_dynamic() {
    use armilla_cos_trading::register::ExportRaises;
    let served = Served::with_printers();
    let prices = Prices { asked: Arc::default(), delay: Duration::ZERO };
    let prices = served.orb.root_poa().activate(dynamic_prop_eval::tie(prices)).unwrap();
    let serial = |returned_type| DynamicProp {
        eval_if: prices.clone(),
        returned_type,
        extra_info: Any::default(),
    };
    let export = |name: &str, ty| {
        let properties = [text("name", "a"), property(name, &serial(ty))];
        served.register.export(&served.object("a"), "Printer", &properties)
    };
    assert!(matches!(
        export("serial", TypeCode::ULong),
        Err(Error::User(ExportRaises::ReadonlyDynamicProperty(_)))
    ));
    assert!(matches!(
        export("price", TypeCode::ULong),
        Err(Error::User(ExportRaises::PropertyTypeMismatch(_)))
    ));
    served.admin.set_supports_dynamic_properties(false).unwrap();
    assert!(matches!(
        export("price", TypeCode::Double),
        Err(Error::User(ExportRaises::PropertyTypeMismatch(_)))
    ));
}

#[test]
fn an_operator_sees_the_ids_of_offers_and_who_did_not_answer() {
    let served = Served::with_printers();
    let id = served.printer("laser", 2.0, 10);
    // A trader that is not there.
    let dead = served.client.string_to_object("corbaloc::127.0.0.1:1/TradingService").unwrap();
    let rule = armilla_cos_trading::FollowOption::Always;
    let limits = policy("link_follow_rule", &rule);
    served.link.add_link("away", &dead.assume(), rule, rule).ok();
    let ask = |policies: &[armilla_cos_trading::Policy]| {
        served.lookup.query("Printer", "", "", policies, &ALL, 10).unwrap()
    };
    let (offers, _, limited) = ask(&[policy("armilla_explain", &true), limits.clone()]);
    let told = offers[0].properties.iter().find(|one| one.name == "armilla_offer_id").unwrap();
    assert_eq!(told.value.get::<String>().unwrap(), Some(id));
    let is_linked = served.link.list_links().unwrap() == ["away"];
    assert_eq!(limited.contains(&"link away".to_owned()), is_linked, "{limited:?}");
    let (offers, _, limited) = ask(&[limits]);
    assert!(offers[0].properties.iter().all(|one| one.name != "armilla_offer_id"));
    assert_eq!(limited, Vec::<String>::new());
}

#[test]
fn ten_thousand_iterators_that_nobody_uses_are_bounded_and_go() {
    let limits = Limits {
        iterators: 50,
        iterator_idle: std::time::Duration::from_millis(200),
        ..Limits::default()
    };
    let served = Served::limited(limits);
    served.add_printers();
    (0..3).for_each(|number| drop(served.printer(&format!("p{number}"), 1.0, number)));
    for _ in 0..5_000 {
        let (_, rest, _) = served.lookup.query("Printer", "", "", &[], &ALL, 1).unwrap();
        let (_, ids) = served.admin.list_offers(1).unwrap();
        assert!(!rest.is_nil() && !ids.is_nil());
    }
    assert!(served.trader.activity().iterators <= 50);
    while served.trader.activity().iterators > 0 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
