//! Listening endpoints, and the addresses in references.

use armilla::{ExceptionKind, Orb, Version};
use armilla_giop::ior::{AlternateAddress, Component, IiopProfile};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::peer;
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::net::{IpAddr, TcpListener};
use std::sync::Arc;

/// A server with these options.
fn server(line: &str) -> Server {
    let arguments = line.split_whitespace().map(str::to_owned);
    Server::of(orbs::builder().arguments(arguments).unwrap().build().unwrap())
}

/// The IIOP profiles of the reference to `server`.
fn profiles(server: &Server) -> Vec<IiopProfile> {
    server.local.object().ior().iiop_profiles().map(Result::unwrap).collect()
}

fn hosts(server: &Server) -> Vec<String> {
    profiles(server).into_iter().map(|profile| profile.host).collect()
}

/// Calls the object at the URL by which it is published.
fn call_by_url(server: &Server) -> String {
    let url = server.publish("probe", server.local.object()).unwrap();
    let remote: EverythingRef = orbs::client().resolve(&url).unwrap();
    remote.ping().unwrap();
    url
}

#[test]
fn the_first_free_port_of_a_range_is_taken() {
    let first = server("-ORBEndpoint iiop://127.0.0.1:20000-29999");
    let port = first.address().1;
    let second = server(&format!("-ORBEndpoint iiop://127.0.0.1:{port}-29999"));
    assert!((20_000..30_000).contains(&port) && second.address().1 > port);
    second.remote(&orbs::client()).ping().unwrap();
    let line = format!("iiop://127.0.0.1:{port}-{port}");
    let error = orbs::builder().listen(&line).unwrap().build().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Initialize);
    assert!(error.to_string().contains(&port.to_string()), "{error}");
}

#[test]
fn an_endpoint_publishes_the_host_and_the_port_that_it_is_told_to() {
    let server = server(
        "-ORBAlternateAddresses 0 -ORBEndpoint iiop://127.0.0.1:0?publish=198.51.100.7:12809 \
         -ORBEndpoint iiop://127.0.0.1:0?publish=198.51.100.8&publish=[2001:db8::1]:1",
    );
    let published: Vec<_> = profiles(&server).into_iter().map(|p| (p.host, p.port)).collect();
    assert_eq!(published[0], ("198.51.100.7".into(), 12809));
    assert_eq!(published[1].0, "198.51.100.8");
    assert!(published[1].1 != 0, "the port that it listens at");
    assert_eq!(published[2], ("2001:db8::1".into(), 1));
}

#[test]
fn published_addresses_take_the_place_of_all_others() {
    let server = server(
        "-ORBEndpoint iiop://127.0.0.1:0 -ORBPublishAddress 198.51.100.7:2809 \
         -ORBPublishAddress [2001:db8::1]:2810 -ORBPublishHost never.example.org",
    );
    let expected = [("198.51.100.7".to_owned(), 2809), ("2001:db8::1".to_owned(), 2810)];
    assert_eq!(server.published_addresses().unwrap(), expected);
    for (bad, why) in [("h", "port is missing"), ("h:x", "no TCP port"), (":1", "HOST:PORT")] {
        let error = Orb::builder().publish_address(bad).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
}

#[test]
fn a_poa_may_publish_addresses_of_its_own() {
    let server = server("-ORBEndpoint iiop://127.0.0.1:0 -ORBEndpoint iiop://127.0.0.1:0");
    let inner = server.published_addresses().unwrap()[1].1;
    let root = server.root_poa();
    let probe = || Arc::new(Probe::default()) as Arc<dyn Everything>;
    let addresses = |reference: &EverythingRef| {
        let profile = reference.object().ior().iiop_profiles().next().unwrap().unwrap();
        let others = profile.components.iter().filter_map(|component| {
            AlternateAddress::from_tagged(component).unwrap().map(|other| (other.host, other.port))
        });
        [(profile.host.clone(), profile.port)].into_iter().chain(others).collect::<Vec<_>>()
    };
    // One of several networks.
    let poa = root.create_poa("inside").publish_address("127.0.0.1", inner).build().unwrap();
    let inside: EverythingRef = poa.activate(probe()).unwrap();
    assert_eq!(addresses(&inside), [("127.0.0.1".to_owned(), inner)]);
    travel(&inside, &orbs::client()).ping().unwrap();
    assert_eq!(addresses(&server.local).len(), 2);

    // What others have to translate, and references that come home all the same.
    let outside = root.create_poa("outside").persistent().user_ids();
    let outside = outside.publish_address("gate.invalid", 2809).publish_address("198.51.100.7", 1);
    let outside = outside.build().unwrap();
    let expected = [("gate.invalid".to_owned(), 2809), ("198.51.100.7".to_owned(), 1)];
    let named: EverythingRef = outside.create_reference_with_id("one").unwrap();
    let active: EverythingRef = outside.activate_with_id("one", probe()).unwrap();
    for reference in [&named, &active] {
        assert_eq!(addresses(reference), expected);
        travel(reference, &server).increment().unwrap();
    }
    assert_eq!(active.count(), Ok(2));

    for (host, port) in [("", 1), ("host", 0), ("two hosts", 1), ("höst", 1), ("nul\0", 1)] {
        let error = root.create_poa("bad").publish_address(host, port).build().unwrap_err();
        assert!(error.to_string().contains("no address for clients"), "{error}");
    }
}

#[test]
fn several_addresses_are_profiles_or_components_by_choice_and_both_are_tried() {
    let dead = peer::dead_port();
    for (choice, count) in [("0", 2), ("1", 1)] {
        let server = server(&format!(
            "-ORBAlternateAddresses {choice} -ORBEndpoint iiop://127.0.0.1:0?publish=127.0.0.1:{dead} \
             -ORBEndpoint iiop://127.0.0.1:0"
        ));
        let profiles = profiles(&server);
        assert_eq!(profiles.len(), count);
        assert_eq!(profiles[0].port, dead);
        let alternates = profiles[0].components_of::<AlternateAddress>().count();
        assert_eq!(alternates, 2 - count);
        server.remote(&orbs::client()).ping().unwrap();
    }
}

#[test]
fn in_iiop_1_0_which_has_no_components_every_address_is_a_profile() {
    let orb = orbs::builder().max_giop(Version::V1_0).settings(|s| s.alternate_addresses = true);
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().listen("iiop://127.0.0.1:0").unwrap();
    let server = Server::of(orb.build().unwrap());
    assert_eq!(profiles(&server).len(), 2);
}

/// Whether this host has IPv6; without it there is nothing to check.
fn has_ipv6() -> bool {
    let has = TcpListener::bind("[::1]:0").is_ok();
    if !has {
        eprintln!("NOT CHECKED: this host has no IPv6");
    }
    has
}

#[test]
fn an_ipv6_address_stands_in_references_without_and_in_urls_with_brackets() {
    if !has_ipv6() {
        return;
    }
    let server = server("-ORBEndpoint iiop://[::1]:0");
    assert_eq!(hosts(&server), ["::1"]);
    server.remote(&orbs::client()).ping().unwrap();
    let url = call_by_url(&server);
    assert!(url.starts_with("corbaloc::[::1]:"), "{url}");
}

#[test]
fn every_interface_means_both_versions_of_ip() {
    for endpoint in ["iiop://:0", "iiop://[::]:0"] {
        if !has_ipv6() {
            continue;
        }
        let server = server(&format!("-ORBEndpoint {endpoint}"));
        let port = server.address().1;
        server.publish("probe", server.local.object()).unwrap();
        for host in ["127.0.0.1", "[::1]"] {
            let url = format!("corbaloc::{host}:{port}/probe");
            let object = orbs::client().string_to_object(&url).unwrap();
            assert_eq!(object.locate(), Ok(true), "{endpoint} by {host}");
        }
    }
}

#[test]
fn names_or_addresses_are_published_by_choice() {
    assert_eq!(hosts(&server("-ORBEndpoint iiop://localhost:0")), ["localhost"]);
    let by_address = server("-ORBEndpoint iiop://localhost:0 -ORBPublishAs address");
    let ip: IpAddr = hosts(&by_address)[0].parse().unwrap();
    assert!(ip.is_loopback());
    let by_name = server("-ORBEndpoint iiop://127.0.0.1:0 -ORBPublishAs name");
    assert_eq!(hosts(&by_name)[0], armilla_ipc::host::name().unwrap());
}

#[test]
fn the_address_of_a_network_is_published_for_every_interface() {
    let server = server("-ORBEndpoint iiop://:0 -ORBPublishNetwork 127.0.0.0/8");
    assert_eq!(hosts(&server), ["127.0.0.1"]);
    let line = ["-ORBEndpoint", "iiop://:0", "-ORBPublishNetwork", "203.0.113.0/24"];
    let builder = Orb::builder().arguments(line.map(str::to_owned)).unwrap();
    let error = builder.build().unwrap_err();
    assert!(error.to_string().contains("no address in 203.0.113.0/24"), "{error}");
}

#[test]
fn a_url_without_a_port_that_leads_nowhere_says_which_port_that_was() {
    let client = orbs::client();
    // A loopback address that nothing uses.
    let error = client.resolve::<dyn Everything>("corbaloc::127.86.75.30/Account").unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient);
    assert!(
        error.to_string().contains("Without a port, a corbaloc: URL means port 2809"),
        "{error}"
    );
}
