//! Many references to objects of few servers. References with equal profiles share the routing
//! information of the client; others do not.

use armilla::transport::{Listening, ObjectProfile, Stream, Transport};
use armilla::{ExceptionKind, Ior, Orb, Settings, Version};
use armilla_cdr::CdrResult;
use armilla_giop::ior::{AlternateAddress, Component, IiopProfile, TaggedProfile};
use armilla_giop::{Message, decode_request};
use armilla_ipc::Address;
use armilla_tests::orbs;
use armilla_tests::peer::{self, Peer, Request};
use armilla_tests::probe::*;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What a server was asked for: in which version, and by which key.
type Asked = Arc<Mutex<Vec<(Version, Vec<u8>)>>>;

/// A server that notes what it is asked for.
fn noting() -> (Peer, Asked) {
    let asked = Asked::default();
    let notes = asked.clone();
    let peer = Peer::answering(move |request| {
        notes.lock().unwrap().push((request.version, key(request)));
        peer::done(request)
    });
    (peer, asked)
}

fn key(request: &Request) -> Vec<u8> {
    let message = Message::parse(&request.octets).unwrap().unwrap();
    let (header, _) = decode_request(&message).unwrap();
    header.target.object_key().unwrap().to_vec()
}

fn profile(port: u16, version: Version, key: &[u8]) -> IiopProfile {
    let (host, object_key) = ("127.0.0.1".into(), key.to_vec());
    IiopProfile { version, host, port, object_key, components: Vec::new() }
}

fn reference(client: &Orb, profile: &IiopProfile) -> EverythingRef {
    let type_id = "IDL:armilla.org/Probe/Everything:1.0".into();
    peer::resolve(client, &Ior { type_id, profiles: vec![profile.to_tagged().unwrap()] })
}

#[test]
fn each_object_is_called_by_its_own_key_however_long_that_is() {
    let (peer, asked) = noting();
    let client = orbs::client();
    let keys: Vec<Vec<u8>> = (1..70_u8).map(|length| (0..length).collect()).collect();
    let keys = keys.iter().chain(keys.iter().rev());
    let wanted: Vec<_> = keys.map(|key| (Version::V1_2, key.clone())).collect();
    for (version, key) in &wanted {
        reference(&client, &profile(peer.port(), *version, key)).ping().unwrap();
    }
    assert_eq!(*asked.lock().unwrap(), wanted);
}

#[test]
fn each_object_is_called_in_the_version_that_its_reference_says() {
    let (peer, asked) = noting();
    let client = orbs::client();
    // Several of each in turn, and then one by one.
    let turns = [[0; 4], [1; 4], [2; 4], [0, 1, 2, 0]].concat();
    let versions = turns.into_iter().map(|turn| peer::VERSIONS[turn]);
    let wanted: Vec<_> = versions.map(|version| (version, b"same".to_vec())).collect();
    for (version, key) in &wanted {
        reference(&client, &profile(peer.port(), *version, key)).ping().unwrap();
    }
    assert_eq!(*asked.lock().unwrap(), wanted);
}

#[test]
fn the_same_key_at_another_address_is_another_object() {
    let servers = [noting(), noting(), noting()];
    let client = orbs::client();
    let mut calls = [0; 3];
    for turn in [0, 0, 0, 1, 1, 1, 1, 0, 2, 1, 0, 2, 2, 2, 0] {
        let port = servers[turn].0.port();
        reference(&client, &profile(port, Version::V1_2, b"same")).ping().unwrap();
        calls[turn] += 1;
        assert_eq!(servers.each_ref().map(|(_, asked)| asked.lock().unwrap().len()), calls);
    }
}

#[test]
fn further_components_apply_only_to_references_that_have_them() {
    let (peer, asked) = noting();
    let client = orbs::builder().connect_timeout(Duration::from_secs(2)).build().unwrap();
    let lonely = profile(peer::dead_port(), Version::V1_2, b"same");
    let elsewhere = AlternateAddress { host: "127.0.0.1".into(), port: peer.port() };
    let elsewhere = elsewhere.to_tagged().unwrap();
    let helped = IiopProfile { components: vec![elsewhere], ..lonely.clone() };
    let old = IiopProfile { version: Version::V1_0, ..helped.clone() };
    for turn in 1..=3 {
        (0..3).for_each(|_| reference(&client, &helped).ping().unwrap());
        assert_eq!(asked.lock().unwrap().len(), 3 * turn);
        for without in [&lonely, &old] {
            let error = reference(&client, without).ping().unwrap_err();
            assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
        }
    }
}

#[test]
fn threads_find_their_servers_while_unused_entries_are_removed() {
    let servers = [noting(), noting(), noting()];
    let idle = Duration::from_millis(1);
    let client = orbs::builder().settings(|settings| settings.client_idle = idle).build().unwrap();
    let until = Instant::now() + Duration::from_millis(300);
    let call = |thread: usize| {
        let mut calls = [0_usize; 3];
        while Instant::now() < until {
            // References to one server follow each other, or do not, and are dropped at once.
            for turn in [thread, thread, thread, 0, 1, 2] {
                let (peer, _) = &servers[turn];
                let key = &b"some key"[..1 + calls[turn] % 8];
                reference(&client, &profile(peer.port(), Version::V1_2, key)).ping().unwrap();
                calls[turn] += 1;
            }
            thread::sleep(Duration::from_millis(calls[0] as u64 % 25));
        }
        calls
    };
    let calls: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|thread| scope.spawn(move || call(thread))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for (server, (_, asked)) in servers.iter().enumerate() {
        let made: usize = calls.iter().map(|calls| calls[server]).sum();
        assert_eq!(asked.lock().unwrap().len(), made);
    }
}

/// Reads profiles for IIOP in its own way, where the key begins with `odd`: the address is another.
#[derive(Debug)]
struct Odd(u16);

impl Transport for Odd {
    fn scheme(&self) -> &str {
        "odd"
    }

    fn form(&self) -> &str {
        "none"
    }

    fn listen(&self, _endpoint: &str, _settings: &Settings) -> io::Result<Listening> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn connect(
        &self,
        _address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        let address = Address::tcp("127.0.0.1", self.0);
        armilla_ipc::connect(&address, Some(timeout), &settings.stream_options())
    }

    fn read_profile(&self, profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        let read = IiopProfile::decode_data(&profile.data).ok()?;
        let IiopProfile { version, object_key, components, .. } = read;
        object_key.starts_with(b"odd").then(|| {
            let address = "odd".to_owned();
            Ok(ObjectProfile { address, version, object_key, components })
        })
    }
}

#[test]
fn an_added_transport_may_read_what_a_profile_says_out_of_its_key() {
    let ((usual, by_usual), (odd, by_odd)) = (noting(), noting());
    let client = orbs::builder().transport(Odd(odd.port())).build().unwrap();
    for turn in 1..=4 {
        for key in [b"1st", b"2nd", b"3rd", b"odd"] {
            reference(&client, &profile(usual.port(), Version::V1_2, key)).ping().unwrap();
        }
        let calls = [&by_usual, &by_odd].map(|asked| asked.lock().unwrap().len());
        assert_eq!(calls, [3 * turn, turn]);
    }
}
