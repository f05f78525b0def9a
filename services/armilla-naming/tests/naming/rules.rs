//! The rules of access, sharing and sweeping.

use armilla_ipc::host;
use armilla_naming::access::{Client, Operation, Rules, Sweep};
use armilla_naming::model::{Balance, NameComponent, parse_name};
use std::net::IpAddr;

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn name(text: &str) -> Vec<NameComponent> {
    parse_name(text).unwrap()
}

fn at(address: &str) -> Client {
    Client::At(address.parse().unwrap())
}

#[test]
fn the_first_rule_that_fits_decides() {
    let rules = rules(
        "# comment\n\
         allow bind /a from 10.1.0.0/16  # these servers\n\
         deny any /a/secret from any\n\
         allow unbind /a from 10.1.2.3\n\
         deny change / from any\n",
    );
    let allow = |operation, client, text| rules.allow(operation, client, &name(text));
    assert!(allow(Operation::Bind, at("10.1.255.1"), "a/x"));
    assert!(allow(Operation::Bind, at("::ffff:10.1.255.1"), "a"), "IPv4 in IPv6");
    assert!(!allow(Operation::Bind, at("10.2.0.1"), "a/x"));
    assert!(!allow(Operation::Bind, at("10.1.255.1"), "ab"), "a name is not a text");
    assert!(!allow(Operation::Read, Client::Local, "a/secret/x"));
    assert!(allow(Operation::Read, Client::Unknown, "a/x"), "no rule is about it");
    assert!(allow(Operation::Unbind, at("10.1.2.3"), "a"));
    assert!(!allow(Operation::Unbind, at("10.1.2.4"), "a"));
    assert!(!allow(Operation::Bind, Client::Local, "b"));
}

#[test]
fn clients_are_told_apart() {
    let rules =
        rules("allow any / from local\nallow any / from 2001:db8::/32\ndeny any / from any");
    let allow = |client| rules.allow(Operation::Read, client, &[]);
    assert!(allow(Client::Local) && allow(at("2001:db8:1::1")));
    assert!(!allow(at("2001:db9::1")) && !allow(at("32.1.13.184")) && !allow(Client::Unknown));
}

/// A service that publishes an address is called by it from its own host, too.
#[test]
fn a_client_at_an_address_of_this_host_is_local() {
    let rules = rules("deny any / from local");
    for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
        assert_eq!(Client::from(address.parse::<IpAddr>().unwrap()), Client::Local, "{address}");
    }
    let own = host::primary_address();
    assert!(!rules.allow(Operation::Read, own.into(), &[]), "{own}");
    assert!(Client::from(own).is_on_this_host());
    let here = Client::Here("192.0.2.7".parse().unwrap());
    assert!(!rules.allow(Operation::Read, here, &[]));
    let network: Rules = "allow any / from 192.0.2.0/24\ndeny any / from any".parse().unwrap();
    assert!(network.allow(Operation::Bind, here, &[]), "it has that address all the same");
    let other = Client::from("192.0.2.1".parse::<IpAddr>().unwrap());
    assert!(other == at("192.0.2.1") && rules.allow(Operation::Read, other, &[]));
}

/// What a client may over TCP it may by the same-host endpoint, and nothing more by its address.
#[test]
fn a_client_by_the_same_host_endpoint_might_have_any_address_of_the_host() {
    let own = host::addresses().into_iter().find(|ip| !ip.is_loopback());
    for user in [None, Some(7)] {
        let allow = |text: &str| rules(text).allow(Operation::Bind, Client::SameHost(user), &[]);
        assert!(allow("allow any / from local\ndeny any / from any"));
        assert!(!allow("deny any / from local"));
        assert!(!allow("allow any / from 198.51.100.0/24\ndeny any / from any"));
        assert!(allow("deny any / from 198.51.100.0/24"));
        let Some(own) = own else { continue };
        assert!(allow(&format!("allow any / from {own}\ndeny any / from any")));
        assert!(!allow(&format!("deny any / from {own}\ndeny any / from local")));
        assert!(allow(&format!("deny any / from {own}")), "it might have come by 127.0.0.1");
        assert_eq!(
            allow("allow any / from user 7\ndeny any / from any"),
            user == Some(7),
            "the kernel vouches for the user"
        );
        assert_eq!(
            allow(&format!("deny any / from user 7\nallow any / from {own}\ndeny any / from any")),
            user.is_none()
        );
    }
    assert!(Client::SameHost(None).is_on_this_host());
}

#[test]
fn users_of_this_host_are_told_apart() {
    let rules = rules("allow change /a from user 7\nallow read / from local\ndeny any / from any");
    let allow = |operation, client, text| rules.allow(operation, client, &name(text));
    assert!(rules.name_users());
    assert!(allow(Operation::Bind, Client::User(7), "a/x"));
    assert!(!allow(Operation::Bind, Client::User(8), "a/x"));
    assert!(!allow(Operation::Bind, Client::Local, "a/x"), "nobody vouches for the user");
    assert!(!allow(Operation::Bind, at("127.0.0.1"), "a/x"));
    assert!(allow(Operation::Read, Client::User(8), "a/x"), "a user of this host is local");
    let by_name: Rules = "deny any / from user root".parse().unwrap();
    assert!(!by_name.allow(Operation::Read, Client::User(0), &[]));
    assert!(!"allow any / from local".parse::<Rules>().unwrap().name_users());
}

#[test]
fn groups_and_sweeps_hold_below_a_name() {
    let rules = rules("balance nearest /a/b\nbalance least-load /a\nsweep unreachable after 2 /a");
    assert_eq!(rules.balance(&name("a/b/c")), Some(Balance::Nearest));
    assert_eq!(rules.balance(&name("a")), Some(Balance::LeastLoad));
    assert_eq!(rules.balance(&name("b")), None);
    let sweep = Sweep { unreachable: true, checks: 2 };
    assert_eq!(rules.sweep(&name("a/x")), Some(sweep));
    assert_eq!(rules.sweep(&name("x")), None);
}

#[test]
fn errors_point_at_the_word() {
    for (text, line, column, said) in [
        ("permit", 1, 1, "begins with"),
        ("\n  allow walk / from any", 2, 9, "walk"),
        ("allow bind here from any", 1, 12, "begins with /"),
        ("allow bind /a//b from any", 1, 12, "empty"),
        ("allow bind /é för any", 1, 15, "from is needed"),
        ("allow bind /a", 1, 14, "missing: from"),
        ("allow bind /a from nowhere", 1, 20, "nowhere"),
        ("allow bind /a from 10.0.0.0/33", 1, 20, "32 bits"),
        ("allow bind /a from any more", 1, 24, "ended"),
        ("allow bind /a from user", 1, 24, "missing: the name"),
        ("allow bind /a from user no-such:user", 1, 25, "no such user"),
        ("balance fairly /a", 1, 9, "fairly"),
        ("sweep gone after 0 /a", 1, 18, "from 1"),
        ("sweep all after 1 /a", 1, 7, "gone or unreachable"),
    ] {
        let error = text.parse::<Rules>().unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.what.contains(said), "{text:?}: {error}");
    }
}
