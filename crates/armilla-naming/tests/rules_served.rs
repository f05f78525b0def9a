//! Rules of access, sharing and sweeping, as clients of a service meet them.

mod served;

use armilla::{ExceptionKind, Orb};
use armilla_cos_naming::*;
use armilla_naming::NamingService;
use armilla_naming::access::Rules;
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
    // Over TCP nobody vouches for the user.
    let served = Served::by(NamingService::builder().rules(rules.parse().unwrap()));
    assert_eq!(system(served.root.bind_new_context(&name("mine"))), denied);
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
