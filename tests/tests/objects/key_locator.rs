//! A locator of keys: where an object is that the server does not have.

use armilla::{Completion, ExceptionKind, LocationReply, Minor, Orb, SystemException};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    HEADER_LEN, LocateStatus, Message, MessageHeader, MessageKind, TargetAddress, Version,
    encode_locate_request,
};
use armilla_tests::gate::eventually;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::Wire;
use armilla_tests::probe::{Common, EverythingRef};
use std::sync::{Arc, Mutex};

/// A server, another one that has a locator, and a client.
struct Pair {
    server: Server,
    front: Orb,
    client: Orb,
}

impl Pair {
    fn new() -> Self {
        let server =
            Server::of(orbs::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap());
        let front = orbs::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
        front.perform_work().unwrap();
        Self { server, front, client: orbs::builder().build().unwrap() }
    }

    /// A reference at the front with this key.
    fn at_front(&self, key: &str) -> EverythingRef {
        let (host, port) = &self.front.published_addresses().unwrap()[0];
        let url = format!("corbaloc::{host}:{port}/{key}");
        self.client.string_to_object(&url).unwrap().assume()
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.front.shutdown();
        self.client.shutdown();
    }
}

fn of_the_front() -> SystemException {
    SystemException::new(ExceptionKind::Transient, Minor::SERVER_NOT_RUNNING, Completion::Yes)
}

#[test]
fn a_key_of_any_octets_leads_to_another_server() {
    let pair = Pair::new();
    let there = pair.server.local.object().ior();
    pair.front.set_key_locator(move |key, reply| match key.octets() {
        b"\xff\0there" => {
            assert!(key.adapter().is_none() && key.object_id().is_none());
            reply.forward(there.clone());
        }
        b"refused" => reply.raise(of_the_front()),
        b"dropped" => drop(reply),
        b"panics" => panic!("a locator that panics"),
        _ => reply.unknown(),
    });
    let there = pair.at_front("%ff%00there");
    there.ping().unwrap();
    assert!(there.object().locate().unwrap());
    assert!(pair.at_front("%ff%00there").object().locate().unwrap());

    let refused = pair.at_front("refused").ping().unwrap_err();
    assert_eq!((refused.minor(), refused.completed()), (Minor::SERVER_NOT_RUNNING, Completion::No));
    for key in ["dropped", "panics"] {
        let dropped = pair.at_front(key).ping().unwrap_err();
        assert_eq!(
            (dropped.minor(), dropped.completed()),
            (Minor::KEY_NOT_LOCATED, Completion::No)
        );
        assert_eq!(
            pair.at_front(key).object().locate().unwrap_err().minor(),
            Minor::KEY_NOT_LOCATED
        );
    }
    let unknown = pair.at_front("other");
    assert_eq!(unknown.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    assert!(!unknown.object().locate().unwrap());
}

#[test]
fn the_persistent_poa_of_another_server_is_named() {
    let pair = Pair::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let names = seen.clone();
    pair.front.set_key_locator(move |key, reply| {
        let adapter = key.adapter().map(|names| names.join("/"));
        names.lock().unwrap().push((adapter, key.object_id().map(<[u8]>::to_vec)));
        reply.unknown();
    });
    let (host, port) = pair.front.published_addresses().unwrap()[0].clone();
    let elsewhere = orbs::builder().listen("iiop://127.0.0.1:0").unwrap().build().unwrap();
    let outer = elsewhere.root_poa().create_poa("outer").persistent().user_ids().build().unwrap();
    let inner = outer.create_poa("inner").persistent().user_ids().publish_address(host, port);
    let inner = inner.build().unwrap();
    let object = inner.create_object_with_id("IDL:X:1.0", "one").unwrap();
    let text = elsewhere.object_to_string(&object).unwrap();
    let object: EverythingRef = pair.client.string_to_object(&text).unwrap().assume();
    assert_eq!(object.ping().unwrap_err().kind(), ExceptionKind::ObjectNotExist);
    assert!(!object.object().locate().unwrap());
    let expected = (Some("outer/inner".to_owned()), Some(b"one".to_vec()));
    assert_eq!(*seen.lock().unwrap(), [expected.clone(), expected]);
    elsewhere.shutdown();
}

#[test]
fn clients_wait_for_an_answer_without_threads() {
    let pair = Pair::new();
    let waiting = Arc::new(Mutex::new(Vec::<LocationReply>::new()));
    let kept = waiting.clone();
    pair.front.set_key_locator(move |_, reply| kept.lock().unwrap().push(reply));
    let object = pair.at_front("later");
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20)
            .map(|number| match number % 2 {
                0 => scope.spawn(|| object.ping()),
                _ => scope.spawn(|| object.object().locate().map(|here| assert!(here))),
            })
            .collect();
        eventually("all wait", || waiting.lock().unwrap().len() == 20);
        for reply in waiting.lock().unwrap().drain(..) {
            reply.forward(pair.server.local.object().ior());
        }
        calls.into_iter().for_each(|call| call.join().unwrap().unwrap());
    });
}

#[test]
fn the_locator_is_asked_within_the_process_too() {
    let pair = Pair::new();
    let there = pair.server.local.object().ior();
    pair.front.set_key_locator(move |_, reply| reply.forward(there.clone()));
    let (host, port) = &pair.front.published_addresses().unwrap()[0];
    let object = pair.front.string_to_object(&format!("corbaloc::{host}:{port}/k")).unwrap();
    assert!(object.locate().unwrap());
    let object: EverythingRef = object.assume();
    object.ping().unwrap();
}

/// LocateRequests that wait for the locator are requests in progress.
#[test]
fn a_client_has_so_many_locate_requests_without_an_answer_and_no_more() {
    let front = orbs::listening_with(|settings| settings.requests_in_progress = 3);
    front.perform_work().unwrap();
    let waiting: Arc<Mutex<Vec<LocationReply>>> = Arc::default();
    let kept = waiting.clone();
    front.set_key_locator(move |_, reply| kept.lock().unwrap().push(reply));
    let (host, port) = &front.published_addresses().unwrap()[0];
    let mut wire = Wire::connect((host, *port));
    let locate = |id| {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        encode_locate_request(&mut out, Version::V1_2, id, TargetAddress::Key(b"far")).unwrap();
        MessageHeader::finish(&mut out).unwrap();
        out.to_vec()
    };
    let located = |wire: &mut Wire| {
        let reply = wire.message().unwrap();
        let message = Message::parse(&reply).unwrap().unwrap();
        assert_eq!(message.header.kind, MessageKind::LocateReply);
        let word = |at: usize| u32::from_ne_bytes(*reply[at..].first_chunk().unwrap());
        (word(HEADER_LEN), word(HEADER_LEN + 4))
    };
    (0..5).for_each(|id| assert!(wire.send(&locate(id))));
    let exception = LocateStatus::SystemException as u32;
    assert_eq!([(); 2].map(|()| located(&mut wire)), [(3, exception), (4, exception)]);
    assert_eq!(waiting.lock().unwrap().len(), 3);
    let unknown = LocateStatus::UnknownObject as u32;
    for id in 0..3 {
        let reply = waiting.lock().unwrap().remove(0);
        reply.unknown();
        assert_eq!(located(&mut wire), (id, unknown));
    }
    assert!(wire.send(&locate(5)));
    eventually("there is room again", || waiting.lock().unwrap().len() == 1);
    waiting.lock().unwrap().clear();
    assert_eq!(located(&mut wire), (5, exception));
    front.shutdown();
}
