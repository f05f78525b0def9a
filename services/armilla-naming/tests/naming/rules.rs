//! The rules of access, sharing and sweeping.

use armilla_ipc::{Address, Credentials, host};
use armilla_naming::access::{Client, Operation, Rules, Sweep, convert};
use armilla_naming::model::{Balance, NameComponent, parse_name};
use armilla_security::{Caller, Principal, Proof};
use std::net::IpAddr;

fn rules(text: &str) -> Rules {
    text.parse().unwrap()
}

fn name(text: &str) -> Vec<NameComponent> {
    parse_name(text).unwrap()
}

fn at(address: &str) -> Client {
    address.parse::<IpAddr>().unwrap().into()
}

/// A client by the same-host endpoint, whose user the kernel may know.
fn same_host(user: Option<u32>) -> Client {
    let credentials = user.map(|user| Credentials { process: 1, user, group: 1 });
    Caller::connected(Address::SameHost, credentials).into()
}

/// A client over a Unix-domain socket.
fn user(number: u32) -> Client {
    let user = Principal::LocalUser(number);
    Caller::new(user, Proof::OperatingSystem, Address::unix("")).into()
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
    let allow = |operation, client: Client, text| rules.allow(operation, &client, &name(text));
    assert!(allow(Operation::Bind, at("10.1.255.1"), "a/x"));
    assert!(allow(Operation::Bind, at("::ffff:10.1.255.1"), "a"), "IPv4 in IPv6");
    assert!(!allow(Operation::Bind, at("10.2.0.1"), "a/x"));
    assert!(!allow(Operation::Bind, at("10.1.255.1"), "ab"), "a name is not a text");
    assert!(!allow(Operation::Read, at("127.0.0.1"), "a/secret/x"));
    assert!(allow(Operation::Read, Client::unknown(), "a/x"), "no rule is about it");
    assert!(allow(Operation::Unbind, at("10.1.2.3"), "a"));
    assert!(!allow(Operation::Unbind, at("10.1.2.4"), "a"));
    assert!(!allow(Operation::Bind, at("127.0.0.1"), "b"));
}

/// What a line for each rule said before, a file in the language of all services says now.
#[test]
fn rules_of_before_are_rules_of_now() {
    let before = "# comment\nallow change /a/x.y from 10.1.0.0/16\ndeny any / from user 7\n\
                  sweep gone after 3 /a\nbalance nearest /b";
    let now = "[[rule]]\nallow = \"*\"\nobject = [\"/a/x.y\", \"/a/x.y/*\"]\n\
               operation = [\"bind\", \"unbind\"]\nnetwork = \"10.1.0.0/16\"\n\n\
               [[rule]]\ndeny = \"uid:7\"\n\n[[rule]]\nallow = \"*\"\n\n\
               [[service.sweep]]\nnames = \"/a\"\nwhat = \"gone\"\nafter = 3\n\n\
               [[service.balance]]\nnames = \"/b\"\nhow = \"nearest\"\n";
    assert_eq!(convert(before).unwrap(), now);
    let (before, now) = (rules(before), rules(now));
    for client in [at("10.1.2.3"), at("192.0.2.1"), user(7), user(8)] {
        for text in ["a", "a/x.y", "a/x.y/z"] {
            for operation in [Operation::Read, Operation::Bind, Operation::Unbind] {
                let ask = |rules: &Rules| rules.allow(operation, &client, &name(text));
                assert_eq!(ask(&before), ask(&now), "{client:?} {operation:?} {text}");
            }
        }
    }
    assert!(convert("allow any /a*b from any").unwrap_err().what.contains("pattern"));
    assert!(!rules("sweep gone after 1 /").restrict(), "everybody may do everything");
}

#[test]
fn clients_are_told_apart() {
    let rules =
        rules("allow any / from local\nallow any / from 2001:db8::/32\ndeny any / from any");
    let allow = |client: Client| rules.allow(Operation::Read, &client, &[]);
    assert!(allow(at("127.0.0.1")) && allow(at("2001:db8:1::1")));
    assert!(!allow(at("2001:db9::1")) && !allow(at("32.1.13.184")) && !allow(Client::unknown()));
}

/// By a password, by a certificate, by groups and networks: the language of all services.
#[test]
fn callers_with_names_and_proofs_are_told_apart() {
    let rules = rules(
        r#"
        [groups]
        domes = ["dn:CN=dome*"]

        [[rule]]
        allow = "group:domes"
        object = ["/domes", "/domes/*"]
        network = "10.0.0.0/8"

        [[rule]]
        allow = "*@bank"
        operation = "read"
        proof = "password"
        "#,
    );
    let by = |text: &str, proof, host: &str| {
        Client::from(Caller::new(text.parse().unwrap(), proof, Address::tcp(host, 1)))
    };
    let dome = by("dn:CN=dome 1", Proof::Certificate, "10.1.2.3");
    assert!(rules.allow(Operation::Bind, &dome, &name("domes/x")));
    assert!(rules.allow_whole(&dome, &name("domes")) && !rules.allow_whole(&dome, &[]));
    assert!(!rules.allow(Operation::Read, &dome, &name("others")), "what no rule allows is denied");
    let far = by("dn:CN=dome 1", Proof::Certificate, "192.0.2.1");
    assert!(!rules.allow(Operation::Bind, &far, &name("domes/x")));
    let ann = by("ann@bank", Proof::Password, "192.0.2.1");
    assert!(rules.allow(Operation::Read, &ann, &name("others")));
    assert!(!rules.allow(Operation::Bind, &ann, &name("others")));
    let said = by("ann@bank", Proof::Assertion, "192.0.2.1");
    assert!(!rules.allow(Operation::Read, &said, &name("others")));
}

/// A service that publishes an address is called by it from its own host, too.
#[test]
fn a_client_at_an_address_of_this_host_is_local() {
    let rules = rules("deny any / from local");
    for address in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
        assert!(at(address).is_on_this_host(), "{address}");
        assert!(!rules.allow(Operation::Read, &at(address), &[]), "{address}");
    }
    let own = host::primary_address();
    assert!(!rules.allow(Operation::Read, &own.into(), &[]), "{own}");
    assert!(Client::from(own).is_on_this_host());
    let other = at("192.0.2.1");
    assert!(!other.is_on_this_host() && rules.allow(Operation::Read, &other, &[]));
}

/// What a client may over TCP it may by the same-host endpoint, and nothing more by its address.
#[test]
fn a_client_by_the_same_host_endpoint_might_have_any_address_of_the_host() {
    let own = host::addresses().into_iter().find(|ip| !ip.is_loopback());
    for user in [None, Some(7)] {
        let allow = |text: &str| rules(text).allow(Operation::Bind, &same_host(user), &[]);
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
    assert!(same_host(None).is_on_this_host());
}

#[test]
fn users_of_this_host_are_told_apart() {
    let rules = rules("allow change /a from user 7\nallow read / from local\ndeny any / from any");
    let allow = |operation, client: Client, text| rules.allow(operation, &client, &name(text));
    assert!(allow(Operation::Bind, user(7), "a/x"));
    assert!(!allow(Operation::Bind, user(8), "a/x"));
    assert!(!allow(Operation::Bind, at("127.0.0.1"), "a/x"), "nobody vouches for the user");
    assert!(allow(Operation::Read, user(8), "a/x"), "a user of this host is local");
    let by_name: Rules = "deny any / from user root".parse().unwrap();
    assert!(!by_name.allow(Operation::Read, &user(0), &[]));
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
        ("permit", 1, 7, "no TOML"),
        ("[[service.balance]]\nnames = \"a\"\nhow = \"nearest\"", 2, 9, "begins with /"),
        ("[[service.balance]]\nnames = \"/a\"\nhow = \"fairly\"", 3, 7, "fairly"),
        ("[[service.sweep]]\nnames = \"/\"\nwhat = \"gone\"\nafter = 0", 4, 9, "from 1"),
        ("[[service.sweep]]\nnames = \"/\"\nwhat = \"all\"\nafter = 1", 3, 8, "unreachable"),
        ("[[rule]]\nallow = \"*\"\nobjects = \"/a\"", 3, 1, "unknown"),
        ("\n  allow walk / from any", 2, 9, "walk"),
        ("allow bind here from any", 1, 12, "begins with /"),
        ("allow bind /a//b from any", 1, 12, "empty"),
        ("allow bind /é för any", 1, 15, "from is needed"),
        ("allow bind /a", 1, 14, "missing: from"),
        ("allow any / from any\npermit", 2, 1, "begins with"),
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
