//! Rules of access, sharing and sweeping, as clients of a service meet them.

use crate::served;
use armilla::{ExceptionKind, Orb, SameHost};
use armilla_cos_naming::*;
use armilla_naming::access::Rules;
use armilla_naming::model::{Bind, NameTree, ROOT, ReferenceOctets, Target, parse_name};
use armilla_naming::{NamingService, Store};
use served::{Served, name, object, system};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

fn served(rules: &str) -> Served {
    let rules: Rules = rules.parse().unwrap();
    Served::by(NamingService::builder().rules(rules))
}

#[test]
fn what_is_forbidden_under_one_name_is_forbidden_under_all() {
    // The clients of these tests are on this host; 127.0.0.1 is local.
    let served = served("deny change /closed from local\ndeny read /closed/secret from any");
    let root = &served.root;
    let vega = object(&served.client, "vega");
    let open = root.bind_new_context(&name("open")).unwrap();
    root.bind(&name("open/vega"), &vega).unwrap();
    let denied = ExceptionKind::NoPermission;
    assert_eq!(system(root.bind(&name("closed"), &vega)), denied);
    assert_eq!(system(root.bind_new_context(&name("closed"))), denied);
    assert_eq!(system(root.bind_context(&name("closed"), &open)), denied);
    assert!(root.unbind(&name("closed/x")).is_err(), "nothing is there");
}

#[test]
fn a_context_is_protected_however_it_is_reached() {
    let directory = served::Directory::new("protected");
    {
        let store = armilla_naming::Store::open(directory.path()).unwrap();
        let served = Served::by(NamingService::builder().store(store));
        let closed = served.root.bind_new_context(&name("closed")).unwrap();
        served.root.bind_context(&name("link"), &closed).unwrap();
        served.root.bind(&name("closed/vega"), &object(&served.client, "vega")).unwrap();
    }
    let store = armilla_naming::Store::open(directory.path()).unwrap();
    let rules: Rules = "deny any /closed from any".parse().unwrap();
    let served = Served::by(NamingService::builder().store(store).rules(rules));
    let root = &served.root;
    let denied = ExceptionKind::NoPermission;
    for by in ["closed", "link"] {
        let below = name(&format!("{by}/vega"));
        assert_eq!(system(root.resolve(&below)), denied);
        assert_eq!(system(root.unbind(&below)), denied);
        assert_eq!(system(root.rebind(&below, &object(&served.client, "other"))), denied);
    }
    let link: NamingContextRef = root.resolve(&name("link")).unwrap().assume();
    assert_eq!(link.list(1).unwrap_err().kind(), denied);
    assert_eq!(system(link.destroy()), denied);
    assert_eq!(link.new_context().unwrap_err().kind(), denied);
}

/// A service under rules with the contexts `a` and `a/secret`, an object in each, and `b`.
fn with_a_secret(rules: &str) -> Served {
    let store = Store::in_memory();
    let made = |text: &str| store.change(|tree| tree.bind_new_context(ROOT, &parsed(text), 0));
    ["a", "a/secret", "b"].into_iter().for_each(|text| drop(made(text).unwrap()));
    for text in ["a/key", "a/secret/key"] {
        let target = Target::Object(ReferenceOctets::from(&NOTHING[..]));
        let bound = |tree: &NameTree| tree.bind(ROOT, &parsed(text), target.clone(), Bind::New, 0);
        store.change(bound).unwrap();
    }
    Served::by(NamingService::builder().store(store).rules(rules.parse().unwrap()))
}

/// A reference to nothing.
const NOTHING: [u8; 12] = [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0];

fn parsed(text: &str) -> Vec<armilla_naming::model::NameComponent> {
    parse_name(text).unwrap()
}

#[test]
fn no_change_of_what_is_above_takes_a_rule_away() {
    for rule in ["any", "read", "bind", "unbind", "change"] {
        let served = with_a_secret(&format!("deny {rule} /a/secret from any"));
        let root = &served.root;
        let denied = ExceptionKind::NoPermission;
        let a: NamingContextRef = root.resolve(&name("a")).unwrap().assume();
        let b: NamingContextRef = root.resolve(&name("b")).unwrap().assume();
        assert_eq!(system(root.unbind(&name("a"))), denied, "{rule}");
        assert_eq!(system(a.unbind(&name("secret"))), denied, "{rule}");
        assert_eq!(system(root.rebind_context(&name("a"), &b)), denied, "{rule}");
        assert_eq!(system(a.rebind_context(&name("secret"), &b)), denied, "{rule}");
        // Another name, and one that a reference to this service leads through, change nothing.
        let back = served.client.string_to_object(served.service.url()).unwrap().assume();
        root.bind_context(&name("b/root"), &back).unwrap();
        root.bind_context(&name("c"), &a).unwrap();
        for way in ["a", "c", "b/root/a", "b/root/b/root/c"] {
            assert_eq!(system(root.unbind(&name(&format!("{way}/secret")))), denied, "{way}");
            let found = root.resolve(&name(&format!("{way}/secret/key")));
            assert_eq!(found.is_err(), matches!(rule, "any" | "read"), "{rule} {way}: {found:?}");
        }
        root.unbind(&name("c")).unwrap();
        assert_eq!(system(root.unbind(&name("b/root/a"))), denied, "{rule}");
        // What no rule is about goes.
        root.unbind(&name("a/key")).unwrap();
        root.unbind(&name("b")).unwrap();
    }
}

#[test]
fn an_empty_context_is_destroyed_by_whom_the_rules_let_do_all_below() {
    let served = with_a_secret("deny bind /b/reserved from any");
    let context =
        |text: &str| -> NamingContextRef { served.root.resolve(&name(text)).unwrap().assume() };
    assert_eq!(system(context("b").destroy()), ExceptionKind::NoPermission);
    served.root.unbind(&name("a/secret/key")).unwrap();
    context("a/secret").destroy().unwrap();
}

#[test]
fn a_context_gets_a_further_name_from_whom_may_change_it() {
    let served = with_a_secret("deny change /a from any");
    let root = &served.root;
    let a: NamingContextRef = root.resolve(&name("a")).unwrap().assume();
    assert_eq!(system(root.bind_context(&name("b/a"), &a)), ExceptionKind::NoPermission);
    let own = root.new_context().unwrap();
    root.bind_context(&name("b/own"), &own).unwrap();
    root.bind_context(&name("b/again"), &own).unwrap();
}

#[test]
fn names_that_lead_nowhere_or_elsewhere_are_under_rules_too() {
    let (served, far) = (with_a_secret("deny any /b/far/closed from any"), Served::new());
    let root = &served.root;
    let there: NamingContextRef = served::travel(far.root.object(), &served.client).assume();
    root.bind_context(&name("b/far"), &there).unwrap();
    far.root.bind(&name("open"), &object(&far.client, "open")).unwrap();
    far.root.bind(&name("closed"), &object(&far.client, "closed")).unwrap();
    assert!(root.resolve(&name("b/far/open")).is_ok());
    let denied = ExceptionKind::NoPermission;
    for text in ["b/far/closed", "b/far/closed/absent/x"] {
        assert_eq!(system(root.resolve(&name(text))), denied);
        assert_eq!(system(root.unbind(&name(text))), denied);
    }
    let served = with_a_secret("deny read /a/secret from any");
    for text in ["a/secret/key", "a/secret/absent", "a/secret/absent/x", "a/secret/key/x"] {
        assert_eq!(system(served.root.resolve(&name(text))), denied, "it tells what is there");
    }
}

#[test]
fn an_iterator_gives_nothing_to_whom_the_rules_show_nothing() {
    let own = fs::metadata("/proc/self").unwrap().uid();
    let rules = format!("allow any / from user {own}\ndeny any / from any");
    let directory = served::Directory::new("iterators");
    fs::create_dir_all(directory.path()).unwrap();
    let socket = format!("uiop://{}", directory.path().join("names").display());
    let served = Served::at(NamingService::builder().rules(rules.parse().unwrap()), &[&socket]);
    for text in ["a", "b", "c"] {
        served.root.bind_new_context(&name(text)).unwrap();
    }
    let (first, iterator) = served.root.list(1).unwrap();
    assert_eq!(first.len(), 1);
    let profile = iterator.object().ior().iiop_profiles().next().unwrap().unwrap();
    let key: String = profile.object_key.iter().map(|octet| format!("%{octet:02x}")).collect();
    let url = format!("corbaloc::{}:{}/{key}", profile.host, profile.port);
    let stranger = Orb::new().unwrap();
    let found: BindingIteratorRef = stranger.string_to_object(&url).unwrap().assume();
    assert_eq!(found.next_n(9).unwrap_err().kind(), ExceptionKind::NoPermission);
    assert_eq!(iterator.next_n(9).unwrap().1.len(), 2);
    // A client that knows its own iterator knows no other one.
    let (_, other) = served.root.list(1).unwrap();
    let number = |iterator: &BindingIteratorRef| -> u64 {
        let profile = iterator.object().ior().iiop_profiles().next().unwrap().unwrap();
        let digits = profile.object_key.rsplit(|octet| !octet.is_ascii_digit()).next().unwrap();
        String::from_utf8(digits.to_vec()).unwrap().parse().unwrap()
    };
    assert!(number(&iterator).abs_diff(number(&other)) > 1 << 20);
}

#[test]
fn a_user_of_this_host_is_known_over_a_unix_domain_socket() {
    let own = fs::metadata("/proc/self").unwrap().uid();
    let rules = format!("allow change /mine from user {own}\ndeny change / from any");
    let directory = served::Directory::new("users");
    fs::create_dir_all(directory.path()).unwrap();
    let socket = format!("uiop://{}", directory.path().join("names").display());
    let served = Served::at(NamingService::builder().rules(rules.parse().unwrap()), &[&socket]);
    let root = &served.root;
    let vega = object(&served.client, "vega");
    root.bind_new_context(&name("mine")).unwrap();
    root.bind(&name("mine/vega"), &vega).unwrap();
    let denied = ExceptionKind::NoPermission;
    assert_eq!(system(root.bind(&name("vega"), &vega)), denied);
    // By the same-host endpoint the kernel vouches, too; over TCP nobody does.
    let served = Served::by(NamingService::builder().rules(rules.parse().unwrap()));
    let list = served.root.object();
    served.root.bind_new_context(&name("mine")).unwrap();
    assert_eq!(list.way(), Some(armilla::transport::Way::SharedMemory));
    assert_eq!(system(served.root.bind(&name("vega"), &vega)), denied);
    let far = Orb::builder().settings(|settings| settings.same_host = SameHost::Off);
    let far = far.build().unwrap();
    let root: NamingContextRef = served::travel(list, &far).assume();
    assert_eq!(system(root.bind_new_context(&name("mine/other"))), denied);
    // Nor is a user somebody else.
    let rules = format!("allow change / from user {}\ndeny change / from any", own + 1);
    let socket = format!("uiop://{}", directory.path().join("other").display());
    let served = Served::at(NamingService::builder().rules(rules.parse().unwrap()), &[&socket]);
    assert_eq!(system(served.root.bind_new_context(&name("mine"))), denied);
}

/// A server with an object of this name.
fn server(key: &str) -> (Orb, armilla::Object) {
    let orb = Orb::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let object = orb.root_poa().activate(binding_iterator::tie(Empty)).unwrap();
    orb.publish(key, &object).unwrap();
    orb.perform_work().unwrap();
    let object = object.object().clone();
    (orb, object)
}

struct Empty;

impl BindingIterator for Empty {
    fn next_one(&self) -> Result<(bool, Binding), armilla::SystemException> {
        Ok(Default::default())
    }
    fn next_n(&self, _: u32) -> Result<(bool, Vec<Binding>), armilla::SystemException> {
        Ok(Default::default())
    }
    fn destroy(&self) -> Result<(), armilla::SystemException> {
        Ok(())
    }
}

/// How often each object is the answer.
fn answers(served: &Served, text: &str, times: usize) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for _ in 0..times {
        let object = served.root.resolve(&name(text)).unwrap();
        *counts.entry(served.client.object_to_string(&object).unwrap()).or_default() += 1;
    }
    counts
}

#[test]
fn servers_take_turns_and_dead_ones_are_left_out() {
    for rule in ["balance round-robin /db", "balance least-load /db"] {
        let served = served(rule);
        let (first, one) = server("one");
        let (second, two) = server("two");
        // Servers of any vendor bind their own reference; some of them by bind, some by rebind.
        served.root.bind(&name("db"), &served::travel(&one, &served.client)).unwrap();
        served.root.rebind(&name("db"), &served::travel(&two, &served.client)).unwrap();
        served.root.rebind(&name("db"), &served::travel(&two, &served.client)).unwrap();
        let counts = answers(&served, "db", 20);
        assert_eq!(counts.values().copied().collect::<Vec<_>>(), [10, 10], "{rule}");
        first.shutdown();
        let two = served.client.object_to_string(served::travel(&two, &served.client)).unwrap();
        let counts = loop {
            // For two seconds the service believes an earlier check.
            let counts = answers(&served, "db", 10);
            if counts.len() == 1 {
                break counts;
            }
        };
        assert!(counts.contains_key(&two), "{rule}");
        second.shutdown();
        assert!(served.root.resolve(&name("db")).is_ok(), "the client may know better");
    }
}

#[test]
fn a_name_without_a_rule_has_one_server() {
    let served = served("balance round-robin /db");
    let vega = object(&served.client, "vega");
    served.root.bind(&name("other"), &vega).unwrap();
    assert!(served.root.bind(&name("other"), &vega).is_err());
}
