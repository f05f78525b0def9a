//! Published names, and names that are resolved on demand.

use armilla::{Completion, ExceptionKind, Minor, Object, SystemException, Version};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::{
    LocateStatus, Message, MessageHeader, begin_locate_reply, decode_locate_request,
};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Peer};
use armilla_tests::probe::*;

#[test]
fn a_published_name_leads_to_its_object() {
    let server = Server::start();
    let url = server.publish("The Probe", server.local.object()).unwrap();
    let (host, port) = server.address();
    assert_eq!(url, format!("corbaloc::{host}:{port}/The%20Probe"));
    for version in ["", "iiop:1.0@", "iiop:1.1@", "iiop:1.2@"] {
        let url = match version {
            "" => url.clone(),
            version => url.replace("corbaloc::", &format!("corbaloc:{version}")),
        };
        let remote: EverythingRef = orbs::client().resolve(&url).unwrap();
        remote.ping().unwrap();
    }
    let local: EverythingRef = server.resolve(&url).unwrap();
    local.ping().unwrap();
}

#[test]
fn a_name_that_is_published_again_leads_to_the_new_object() {
    let server = Server::start();
    let client = orbs::client();
    server.publish("name", server.local.object()).unwrap();
    let (probe, other) = orbs::activate(&server);
    let url = server.publish("name", other.object()).unwrap();
    client.resolve::<dyn Everything>(&url).unwrap().increment().unwrap();
    assert_eq!(probe.count().unwrap(), 1);
}

#[test]
fn a_name_can_be_unpublished() {
    let server = Server::start();
    let client = orbs::client();
    let urls = ["b", "a"].map(|name| server.publish(name, server.local.object()).unwrap());
    assert_eq!(server.published_names(), ["a", "b"]);
    assert_eq!(&server.published("b").unwrap(), server.local.object());
    let bound: EverythingRef = client.resolve(&urls[0]).unwrap();
    bound.ping().unwrap();
    assert!(server.unpublish("b") && !server.unpublish("b"));
    assert!(server.published("b").is_none());
    assert_eq!(server.published_names(), ["a"]);
    for orb in [&client, &*server] {
        let error = orb.resolve::<dyn Everything>(&urls[0]).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::ObjectNotExist);
        orb.resolve::<dyn Everything>(&urls[1]).unwrap().ping().unwrap();
    }
    bound.ping().unwrap();
}

#[test]
fn names_that_nobody_published_are_found_when_they_are_asked_for() {
    let server = Server::start();
    let (host, port) = server.address();
    let (host, orb) = (host.to_owned(), orbs::client());
    let url = |name: &str| format!("corbaloc::{host}:{port}/{name}");
    server.publish("known", server.local.object()).unwrap();
    let (found, again) = (server.local.object().clone(), url("cycle"));
    server.publish_on_demand(move |name| match name {
        "found" => Ok(Some(found.clone())),
        "nil" => Ok(Some(Object::nil())),
        "cycle" => orb.string_to_object(&again).map(Some),
        "busy" => {
            let busy = ExceptionKind::NoResources;
            Err(SystemException::new(busy, Minor(7), Completion::No))
        }
        "known" | "panic" => panic!("as it was told"),
        _ => Ok(None),
    });
    for orb in [&orbs::client(), &*server] {
        for name in ["found", "known"] {
            let probe: EverythingRef = orb.resolve(&url(name)).unwrap();
            probe.ping().unwrap();
            assert_eq!(orb.string_to_object(&url(name)).unwrap().locate(), Ok(true));
        }
        for (name, kind) in [
            ("nil", ExceptionKind::ObjectNotExist),
            ("other", ExceptionKind::ObjectNotExist),
            ("%ff", ExceptionKind::ObjectNotExist),
            ("busy", ExceptionKind::NoResources),
            ("panic", ExceptionKind::Unknown),
            ("cycle", ExceptionKind::Transient),
        ] {
            let error = orb.resolve::<dyn Everything>(&url(name)).unwrap_err();
            assert_eq!(error.kind(), kind, "{name}: {error}");
        }
    }
    server.publish_on_demand(|_| Ok(None));
    let error = orbs::client().resolve::<dyn Everything>(&url("found")).unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::ObjectNotExist);
}

#[test]
fn what_cannot_be_published_is_refused() {
    let server = Server::start();
    let nil = server.publish("nil", Object::nil()).unwrap_err();
    assert_eq!(nil.kind(), ExceptionKind::InvObjref);
    let unnamed = server.publish("", server.local.object()).unwrap_err();
    assert_eq!(unnamed.kind(), ExceptionKind::BadParam);
}

#[test]
fn a_client_is_forwarded_once_and_then_calls_directly() {
    let server = Server::start();
    let target = server.local.object().ior();
    let peer = Peer::answering(move |request| peer::forward(request, &target));
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    (0..3).for_each(|_| remote.ping().unwrap());
    remote.increment().unwrap();
    assert_eq!(server.probe.count().unwrap(), 1);
    drop(peer);
    remote.ping().unwrap();
}

#[test]
fn an_unpublished_name_does_not_exist() {
    let server = Server::start();
    let (host, port) = server.address();
    let url = format!("corbaloc::{host}:{port}/nobody");
    let client = orbs::client();
    let error = client.resolve::<dyn Everything>(&url).unwrap_err();
    assert_eq!((error.kind(), error.completed()), (ExceptionKind::ObjectNotExist, Completion::No));
    assert!(error.to_string().contains(&url), "{error}");
    let object = client.string_to_object(&url).unwrap();
    assert_eq!(object.non_existent(), Ok(true));
    assert_eq!(object.locate(), Ok(false));
}

#[test]
fn a_server_may_raise_object_not_exist_where_it_is_asked_for_the_place_of_an_object() {
    let peer = Peer::start(|_, mut wire| {
        let Some(octets) = wire.message() else { return };
        let message = Message::parse(&octets).unwrap().unwrap();
        let id = decode_locate_request(&message).unwrap().request_id;
        let mut out = Encoder::new(ByteOrder::Big);
        begin_locate_reply(&mut out, Version::V1_2, id, LocateStatus::SystemException);
        out.put_string("IDL:omg.org/CORBA/OBJECT_NOT_EXIST:1.0").unwrap();
        out.put_u32(0);
        out.put_u32(1);
        MessageHeader::finish(&mut out).unwrap();
        wire.send(&out.to_vec());
    });
    let remote = peer.reference(&orbs::client(), Version::V1_2);
    assert_eq!(remote.object().locate(), Ok(false));
}
