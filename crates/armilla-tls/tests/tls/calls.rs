//! Calls over TLS, by every way in which clients and servers wait for octets.

use crate::certificates::Authority;
use armilla::{AcceptBidirectional, Concurrency, ConnectionPolicy, Orb, Settings, SyncScope};
use armilla_tests::orbs::{self, CONCURRENCIES, Server};
use armilla_tests::probe::*;
use armilla_tests::servant::Ear;
use armilla_tls::{Tls, Verify, Version};
use std::sync::Arc;
use std::thread;

/// A reactor with one thread that is not blocked.
const ONE: Concurrency = Concurrency::LeaderFollowers { min_threads: 1, max_threads: 64 };

fn server(tls: Tls, change: impl FnOnce(&mut Settings)) -> Server {
    let builder = orbs::builder().settings(change).transport(tls);
    Server::of(builder.listen("ssliop://127.0.0.1:0").unwrap().build().unwrap())
}

fn client(tls: Tls, change: impl FnOnce(&mut Settings)) -> Orb {
    orbs::builder().settings(change).transport(tls).build().unwrap()
}

/// Octets of which each differs from its neighbours.
fn octets(count: usize) -> Vec<u8> {
    (0..count).map(|place| (place % 251) as u8).collect()
}

fn echoes(remote: &EverythingRef, size: usize) {
    let (given, mut kept) = (octets(size), b"kept".to_vec());
    let (result, copy) = remote.echo_octets(&given, &mut kept).unwrap();
    assert_eq!((result, copy == given, kept == given), (b"kept".to_vec(), true, true), "{size}");
}

#[test]
fn values_of_every_size_arrive_whatever_threads_a_server_has() {
    let authority = Authority::new("root");
    for concurrency in CONCURRENCIES.into_iter().chain([ONE]) {
        for policy in [ConnectionPolicy::Exclusive, ConnectionPolicy::Multiplexed] {
            let identity = authority.issue(&["127.0.0.1"]);
            let tls = authority.tls().certificate(identity.pem());
            let server = server(tls, |settings| settings.concurrency = concurrency);
            let client = client(authority.tls(), |settings| settings.connection_policy = policy);
            let remote = server.remote(&client);
            // Around the sizes of records and of buffers.
            for size in [0, 1, 100, 4_000, 16_300, 16_384, 16_500, 65_536, 200_000, 1_000_000] {
                echoes(&remote, size);
            }
            client.shutdown();
        }
    }
}

#[test]
fn many_calls_share_a_connection_in_both_versions() {
    let authority = Authority::new("root");
    for version in [Version::Tls12, Version::Tls13] {
        let only = move |tls: Tls| tls.settings(|it| (it.oldest, it.newest) = (version, version));
        let tls = authority.tls().certificate(authority.issue(&["127.0.0.1"]).pem());
        let server = server(only(tls), |settings| settings.concurrency = ONE);
        let client = client(only(authority.tls()), |settings| {
            settings.connection_policy = ConnectionPolicy::Multiplexed;
        });
        let remote = server.remote(&client);
        thread::scope(|scope| {
            for thread in 0..8 {
                let remote = &remote;
                scope.spawn(move || {
                    (0..20).for_each(|call| echoes(remote, thread * 9_000 + call * 7));
                });
            }
        });
        let replies: Vec<_> = (0..50).map(|_| remote.produce_async(30_000)).collect();
        for reply in replies {
            assert_eq!(reply.wait().unwrap().len(), 30_000);
        }
        client.shutdown();
    }
}

#[test]
fn oneway_calls_arrive_in_their_order() {
    let authority = Authority::new("root");
    let tls = authority.tls().certificate(authority.issue(&["127.0.0.1"]).pem());
    let server = server(tls, |_| {});
    for scope in [SyncScope::None, SyncScope::WithTransport, SyncScope::WithServer] {
        let client = client(authority.tls(), |settings| settings.sync_scope = scope);
        let remote = server.remote(&client);
        let before = server.probe.remarks(0).unwrap().len();
        (0..200).for_each(|number| remote.remark(&number.to_string()).unwrap());
        let remarks = remote.remarks(before as u32 + 200).unwrap();
        let expected: Vec<String> = (0..200).map(|number: i32| number.to_string()).collect();
        assert_eq!(remarks[before..], expected, "{scope:?}");
        client.shutdown();
    }
}

#[test]
fn a_server_calls_its_client_back_over_the_connection_of_the_client() {
    let authority = Authority::new("root");
    let identity = authority.issue(&["127.0.0.1"]);
    let tls = || authority.tls().certificate(identity.pem()).verify(Verify::Required);
    let server = server(tls(), |settings| {
        settings.accept_bidirectional = AcceptBidirectional::Checked;
    });
    // Nobody else reaches this one: there is no listener at the port that its references carry.
    let client = orbs::builder()
        .settings(|settings| settings.offer_bidirectional = true)
        .transport(tls())
        .listen("ssliop://127.0.0.1:0?publish=127.0.0.1:9")
        .unwrap()
        .build()
        .unwrap();
    let ear = Arc::new(Ear::default());
    let listener: Arc<dyn Listener> = ear.clone();
    let poa = client.root_poa().create_poa("both ways").bidirectional().build().unwrap();
    let listener: ListenerRef = poa.activate(listener).unwrap();
    ear.myself.set(listener.clone()).unwrap();
    let remote = server.remote(&client);
    remote.call_back(&listener, "over the same connection").unwrap();
    assert_eq!(remote.descend(&listener, 6).unwrap(), 6);
    client.shutdown();
}

#[test]
fn a_servant_knows_how_its_caller_has_proved_who_it_is() {
    let authority = Authority::new("root");
    let identity = authority.issue(&["127.0.0.1"]);
    let tls = authority.tls().certificate(identity.pem()).verify(Verify::Peer);
    let server = server(tls, |_| {});
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let named = armilla_tests::probe::listener::tie(Named(seen.clone()));
    let listener: ListenerRef = server.root_poa().activate(named).unwrap();
    for own in [None, Some(&identity)] {
        let tls = own.map_or(authority.tls(), |own| authority.tls().certificate(own.pem()));
        let client = client(tls, |_| {});
        orbs::travel(&listener, &client).hear("who am I?").unwrap();
        client.shutdown();
    }
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    let subject = |der: &Vec<u8>| armilla_tls::Certificate::parse(der).unwrap().subject.to_string();
    let subjects: Vec<Vec<String>> = seen
        .iter()
        .map(|protection| protection.certificates.iter().map(subject).collect())
        .collect();
    assert_eq!(subjects, [vec![], vec!["CN=probe".to_owned()]]);
    assert!(seen.iter().all(|protection| protection.protocol == "TLS 1.3"), "{seen:?}");
}

/// Notes how its callers are protected.
struct Named(Arc<std::sync::Mutex<Vec<armilla::transport::Protection>>>);

impl Listener for Named {
    fn hear(&self, _: &str) -> Result<(), armilla::SystemException> {
        let caller = armilla::Caller::current().unwrap();
        self.0.lock().unwrap().push((*caller.protection.unwrap()).clone());
        Ok(())
    }

    fn descend(&self, _: &EverythingRef, _: i32) -> Result<i32, armilla::SystemException> {
        Ok(0)
    }
}
