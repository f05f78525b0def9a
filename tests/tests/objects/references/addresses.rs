//! References with several addresses, IPv6 addresses, and the components of other ORBs.

use super::EVERYTHING;
use armilla::{Completion, ExceptionKind, Ior, Minor, SameHost, Version};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::ior::{IiopProfile, TaggedComponent, TaggedProfile};
use armilla_ipc::host;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer};
use armilla_tests::probe::*;
use armilla_tests::servant::Ear;
use std::net::TcpStream;
use std::time::Duration;

/// Nothing leads to the other addresses of the host.
#[test]
fn an_orb_that_was_not_told_where_listens_only_where_its_references_lead() {
    let server = Server::of(orbs::client());
    let (host, port) = server.address();
    server.remote(&orbs::client()).ping().unwrap();
    TcpStream::connect((host, port)).unwrap();
    // The whole of 127/8 is the loopback interface.
    for other in ["127.0.0.1", "127.0.0.2"].into_iter().filter(|other| *other != host) {
        TcpStream::connect((other, port)).expect_err(other);
    }
}

/// A name may stand for any of them.
#[test]
fn an_orb_that_publishes_something_else_listens_at_every_address() {
    let named = |settings: &mut armilla::Settings| settings.publish_host = Some("localhost".into());
    let server = Server::of(orbs::builder().settings(named).build().unwrap());
    let (host, port) = server.address();
    assert_eq!(host, "localhost");
    TcpStream::connect(("127.0.0.2", port)).unwrap();
}

#[test]
fn a_client_is_called_back_at_the_address_from_which_it_calls() {
    let other = host::address_towards("2001:db8::1".parse().unwrap());
    let Some(other) = other.filter(|other| *other != host::primary_address()) else {
        eprintln!("NOT CHECKED: this host has no second address");
        return;
    };
    let endpoint = format!("iiop://[{other}]:0");
    // The address that a client comes from is one of TCP.
    let server = orbs::builder().settings(|settings| settings.same_host = SameHost::Off);
    let server = Server::of(server.listen(&endpoint).unwrap().build().unwrap());
    // Before it has connected anywhere, and after.
    let clients = [orbs::client(), orbs::client()];
    let remote = clients.each_ref().map(|client| server.remote(client));
    remote[1].ping().unwrap();
    let listens = [host::primary_address(), other];
    for ((client, remote), listens) in clients.iter().zip(&remote).zip(listens) {
        let (ear, me) = Ear::activate(client);
        assert_eq!(client.published_addresses().unwrap()[0].0, listens.to_string());
        remote.call_back(&me, "heard").unwrap();
        assert_eq!(ear.heard(), ["heard"]);
        client.shutdown();
    }
}

#[test]
fn a_url_of_several_addresses_is_tried_until_one_answers() {
    let server = Server::start();
    server.publish("probe", server.local.object()).unwrap();
    let (host, port) = server.address();
    let dead = [peer::dead_port(), peer::dead_port()];
    let url = format!("corbaloc::{host}:{},:{host}:{},:{host}:{port}/probe", dead[0], dead[1]);
    let remote: EverythingRef = orbs::client().resolve(&url).unwrap();
    remote.ping().unwrap();
}

#[test]
fn a_forward_to_several_addresses_is_tried_until_one_answers() {
    let server = Server::start();
    // The object's real key behind two addresses, the first of which is dead.
    let mut target = server.local.object().ior();
    let mut profile = target.iiop_profiles().next().unwrap().unwrap();
    profile.port = peer::dead_port();
    target.profiles.insert(0, profile.to_tagged().unwrap());
    let peer = Peer::answering(move |request| peer::forward(request, &target));
    // Reached at the second address of its own, too.
    let reference = peer::ior(&[peer::dead_port(), peer.port()], Version::V1_2);
    peer::resolve(&orbs::client(), &reference).ping().unwrap();
}

#[test]
fn an_object_on_ipv6_is_called() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        eprintln!("NOT CHECKED: this host has no IPv6 loopback");
        return;
    }
    let orb = orbs::builder().listen("iiop://[::1]:0").unwrap().build().unwrap();
    let server = Server::of(orb);
    let url = server.publish("probe", server.local.object()).unwrap();
    assert!(url.starts_with("corbaloc::[::1]:"), "{url}");
    orbs::client().resolve::<dyn Everything>(&url).unwrap().ping().unwrap();
}

/// A component with octets of its own, behind those of the byte order.
fn component(id: u32, data: &[u8]) -> TaggedComponent {
    TaggedComponent { id, data: [&[0], data].concat() }
}

#[test]
fn components_of_other_orbs_do_not_confuse_the_client() {
    let server = Server::start();
    let good = server.local.object().ior();
    let profile = good.iiop_profiles().next().unwrap().unwrap();
    // As JacORB and TAO write them: the SSL options and port, or port 0; a policy; an address
    // without a listener; a truncated component.
    let dead = peer::dead_port().to_be_bytes();
    let components = [
        component(20, &[0, 0, 0x66, 0, 0x06, 0, 0]),
        component(2, &[0, 0, 0, 0, 0, 27, 0, 0, 0, 1, 0]),
        component(3, &[&[0, 0, 0, 0, 0, 0, 10][..], b"127.0.0.1\0", &dead].concat()),
        TaggedComponent { id: 33, data: Vec::new() },
    ];
    let mut furnished = profile.clone();
    furnished.components.extend(components.clone());
    let furnished = furnished.to_tagged().unwrap();
    let mut multiple = Encoder::new(ByteOrder::Big);
    multiple.put_bool(false);
    multiple.put_u32(1);
    multiple.put_u32(0x4a41_4300);
    multiple.copy_octets(b"\0\0\0\0JAC\0").unwrap();
    let multiple = TaggedProfile { id: 1, data: multiple.to_vec() };
    let tao = TaggedProfile { id: 0x5441_4f00, data: b"\0\x01\0shared memory".to_vec() };
    // A server that takes only SSL says 0 for the port of plain IIOP.
    let secure = IiopProfile { port: 0, components: components.to_vec(), ..profile };
    let secure = secure.to_tagged().unwrap();
    let client = orbs::builder().call_timeout(Some(Duration::from_secs(20))).build().unwrap();
    for profiles in [
        vec![furnished.clone()],
        vec![multiple.clone(), furnished.clone()],
        vec![furnished.clone(), multiple, tao.clone()],
        vec![tao, furnished.clone()],
        vec![secure.clone(), furnished],
    ] {
        let ior = Ior { type_id: EVERYTHING.into(), profiles };
        let remote = peer::resolve(&client, &ior);
        remote.ping().unwrap();
        assert_eq!(client.object_to_string(&remote).unwrap(), ior.to_text().unwrap());
    }
    let only_secure = Ior { type_id: EVERYTHING.into(), profiles: vec![secure] };
    let error = peer::resolve(&client, &only_secure).ping().unwrap_err();
    assert_eq!(error.completed(), Completion::No, "{error}");
}

#[test]
fn a_reference_without_an_address_of_ours_says_so() {
    let client = orbs::client();
    let elsewhere = armilla_giop::ior::TaggedProfile { id: 99, data: vec![1, 2, 3] };
    let ior = Ior { type_id: EVERYTHING.into(), profiles: vec![elsewhere] };
    let remote = peer::resolve(&client, &ior);
    let error = remote.ping().unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::InvObjref, Minor::NO_USABLE_PROFILE));
    assert_eq!(error.completed(), Completion::No);
    let text = client.object_to_string(&remote).unwrap();
    assert_eq!(text, ior.to_text().unwrap(), "it can be passed on all the same");
}
