//! Outgoing messages in fragments.

use armilla::{AnyServant, Cookie, ObjectId, Poa, ServantLocator, ServantManager};
use armilla::{Threading, Version};
use armilla_giop::{HEADER_LEN, MessageHeader, MessageKind};
use armilla_tests::gate;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer, Request, Wire};
use armilla_tests::probe::{Everything, EverythingRef, Named, everything};
use armilla_tests::servant::Probe;
use std::sync::{Arc, Mutex};

const SIZE: usize = 512;

#[test]
fn requests_and_replies_of_any_size_arrive_whole() {
    let fragmenting = || orbs::builder().settings(|settings| settings.fragment_size = Some(SIZE));
    for version in [Version::V1_1, Version::V1_2] {
        let listening = fragmenting().listen("iiop://127.0.0.1:0").unwrap();
        let server = Server::of(listening.build().unwrap());
        let client = fragmenting().max_giop(version).build().unwrap();
        let remote = server.remote(&client);
        for length in [0, 1, 400, 500, 600, 10_000, 100_000, 1_000_000] {
            let octets: Vec<u8> = (0..length).map(|n| n as u8).collect();
            let mut kept = octets.clone();
            let (result, copy) = remote.echo_octets(&octets, &mut kept).unwrap();
            let arrived = [&result, &copy, &kept].iter().all(|arrived| **arrived == octets);
            assert!(arrived, "{length} octets in GIOP {version}");
        }
    }
}

#[test]
fn a_request_is_cut_to_the_size_that_was_asked_for() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sizes = seen.clone();
    let peer = Peer::start(move |_, mut wire: Wire| {
        loop {
            let Some(octets) = wire.message() else { return };
            let header = MessageHeader::decode(octets.first_chunk().unwrap()).unwrap();
            sizes.lock().unwrap().push((header.kind, octets.len()));
            if header.more_fragments {
                continue;
            }
            // The id stands first in a fragment of 1.2.
            let id = octets[HEADER_LEN..].first_chunk().copied().map(u32::from_ne_bytes).unwrap();
            let operation = String::new();
            let (version, order) = (header.version, header.order);
            wire.send(&peer::done(&Request { id, operation, version, order, octets }));
        }
    });
    let client =
        orbs::builder().settings(|settings| settings.fragment_size = Some(SIZE)).build().unwrap();
    let remote = peer.reference(&client, Version::V1_2);
    remote.set_name(&"x".repeat(1000)).unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], (MessageKind::Request, SIZE));
    assert_eq!(seen[1], (MessageKind::Fragment, SIZE));
    assert_eq!(seen[2].0, MessageKind::Fragment);
    assert_eq!(seen.len(), 3);
}

#[test]
fn the_main_thread_serves_what_came_in_fragments() {
    for version in [Version::V1_1, Version::V1_2] {
        let server = Server::start();
        let poa = server.root_poa().create_poa("main").policy(Threading::MainThread);
        let near: EverythingRef =
            poa.build().unwrap().activate(everything::tie(Probe::default())).unwrap();
        let client = orbs::builder().settings(|settings| settings.fragment_size = Some(SIZE));
        let far = orbs::travel(&near, &client.max_giop(version).build().unwrap());
        let octets: Vec<u8> = (0..5000).map(|n| n as u8).collect();
        std::thread::scope(|scope| {
            let call = scope.spawn(|| far.echo_octets(&octets, &mut octets.clone()).unwrap());
            gate::eventually("work comes", || server.work_pending().unwrap());
            server.perform_work().unwrap();
            let (result, copy) = call.join().unwrap();
            assert!(result == octets && copy == octets, "GIOP {version}");
        });
    }
}

#[test]
fn collocated_calls_are_not_fragmented() {
    let orb = orbs::builder().settings(|settings| {
        settings.fragment_size = Some(SIZE);
        settings.collocation = armilla::Collocation::ThroughPoa;
    });
    let server = Server::of(orb.listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
    let lent: Arc<dyn Everything> = server.probe.clone();
    let lending = server.root_poa().create_poa("lending").user_ids();
    let lending = lending.servant_manager(ServantManager::locator(Lender(lent))).build().unwrap();
    let lent: EverythingRef = lending.create_reference_with_id("one").unwrap();
    let far = orbs::travel(&lent, &orbs::client());
    for object in [&server.local, &lent, &far] {
        assert_eq!(object.produce(5000).unwrap().len(), 5000);
    }
}

/// Lends one servant for every request.
struct Lender(Arc<dyn Everything>);

impl ServantLocator for Lender {
    fn preinvoke(
        &self,
        _: &ObjectId,
        _: &Poa,
        _: &str,
    ) -> Result<(AnyServant, Cookie), armilla::ServantManagerError> {
        Ok((self.0.clone().into(), Cookie::default()))
    }
}
