//! To whom a server connects for a client that listens.

use crate::cache::Pair;
use crate::common::{Scratch, serve, write_image};
use armilla::{Error, Orb, SameHost};
use armilla_imaging::idl::server::{FetchRaises, StoreRaises};
use armilla_imaging::idl::{Image, Server, ServerRef};
use armilla_stream::{FlowConsumer, FlowEndPoint, FlowRequest, Listener};
use std::io::Read;
use std::net::TcpListener;

/// An ORB over TCP alone. Over what does not leave the host, the system vouches for the user of a
/// client, who may name sockets of its own.
fn over_tcp() -> Orb {
    Orb::builder().settings(|settings| settings.same_host = SameHost::Off).build().unwrap()
}

/// Fetches by listening, at an address that the server is to find.
fn fetch_listening(server: &ServerRef, image: &Image) -> Vec<u8> {
    let listener = Listener::builder().tcp("127.0.0.1", 0).start().unwrap();
    let (endpoint, offer) = listener.offer::<FlowConsumer>(0, &["tcp"]).unwrap();
    let agreement = server.fetch(&image.uid, &FlowRequest::listening(endpoint, 0)).unwrap();
    let mut octets = Vec::new();
    offer.wait(agreement.spec).unwrap().read_to_end(&mut octets).unwrap();
    octets
}

/// Asks for flows to these places, and returns why there is none.
fn refusals(server: &ServerRef, uid: &str, places: &[String]) -> [String; 2] {
    let endpoint = FlowEndPoint { r#where: places.to_vec(), token: vec![7; 32], lifetime: 1000 };
    let request = FlowRequest::listening(endpoint, 0);
    let fetched = match server.fetch(uid, &request) {
        Err(Error::User(FetchRaises::NoAgreement(none))) => none.reason,
        other => panic!("{other:?}"),
    };
    let stored = match server.store(10, "", &request) {
        Err(Error::User(StoreRaises::NoAgreement(none))) => none.reason,
        other => panic!("{other:?}"),
    };
    [fetched, stored]
}

/// What a client must not make a server connect to.
fn elsewhere(scratch: &Scratch) -> (Vec<String>, std::os::unix::net::UnixListener) {
    let socket = scratch.file("socket");
    let bound = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    bound.set_nonblocking(true).unwrap();
    let places = [
        format!("unix://{}", socket.display()),
        format!("shm://{}", socket.display()),
        "tcp://192.0.2.7:80".to_owned(),
        "tcp://metadata.invalid:80".to_owned(),
        "tcp://0.0.0.0:80".to_owned(),
    ];
    (places.to_vec(), bound)
}

#[test]
fn a_client_gets_flows_to_where_it_is_and_nowhere_else() {
    let scratch = Scratch::new();
    let (orb, server, store) = serve(&scratch.file("store"), 0);
    let file = scratch.file("file");
    write_image(&file, "1.2.3", 1, 16, 0);
    let image = store.import(&file).unwrap();
    let client = over_tcp();
    let server: ServerRef =
        client.resolve(&orb.object_to_string(server.object()).unwrap()).unwrap();
    assert!(fetch_listening(&server, &image) == std::fs::read(&file).unwrap());
    let (places, bound) = elsewhere(&scratch);
    for reason in refusals(&server, &image.uid, &places) {
        assert!(reason.contains("none of the 5 addresses"), "{reason}");
    }
    assert!(bound.accept().is_err(), "nobody has connected");
    // What is refused leaves nothing behind.
    assert_eq!(std::fs::read_dir(scratch.file("store").join("incoming")).unwrap().count(), 0);
    orb.shutdown();
}

#[test]
fn a_cache_asks_where_its_client_is_before_it_asks_others() {
    let pair = Pair::new(10);
    let images = pair.with_images(1..3);
    let octets = fetch_listening(&pair.server, &images[0]);
    assert_eq!(octets.len() as u64, images[0].size);
    let scratch = Scratch::new();
    let (places, bound) = elsewhere(&scratch);
    let client = over_tcp();
    let server: ServerRef =
        client.resolve(&pair.near.object_to_string(pair.server.object()).unwrap()).unwrap();
    for reason in refusals(&server, &images[1].uid, &places) {
        assert!(reason.contains("none of the 5 addresses"), "{reason}");
    }
    assert!(bound.accept().is_err(), "nobody has connected");
    // An address of this host that nobody listens at any more is still the caller's.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let endpoint =
        FlowEndPoint { r#where: vec![format!("tcp://{gone}")], token: vec![7; 32], lifetime: 1 };
    pair.server.fetch(&images[1].uid, &FlowRequest::listening(endpoint, 0)).unwrap();
}
