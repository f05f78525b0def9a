//! Narrowing, the interfaces of an object, and its existence.

use super::EVERYTHING;
use armilla::{ExceptionKind, Ior, Minor, Object, Orb, Version};
use armilla_giop::MessageKind;
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer::{self, Wire};
use armilla_tests::probe::*;

const COUNTED: &str = "IDL:armilla.org/Probe/Counted:1.0";
const STRANGER: &str = "IDL:armilla.org/Probe/Stranger:1.0";

/// The same reference without what it says of its type, so that the object has to be asked.
fn anonymous(reference: &EverythingRef, client: &Orb) -> Object {
    let ior = Ior { type_id: String::new(), ..reference.object().ior() };
    client.string_to_object(&ior.to_text().unwrap()).unwrap()
}

#[test]
fn narrowing_asks_the_object_only_when_it_must() {
    let server = Server::start();
    let client = orbs::client();
    let remote = server.remote(&client);
    for object in [server.local.object().clone(), anonymous(&remote, &client)] {
        object.narrow::<dyn Everything>().unwrap().ping().unwrap();
        object.narrow::<dyn Counted>().unwrap().increment().unwrap();
        let error = object.narrow::<dyn Stranger>().unwrap_err();
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::BadParam, Minor::WRONG_INTERFACE)
        );
        assert!(error.to_string().contains(STRANGER), "{error}");
        // What the reference does not say, the object does.
        assert!(error.to_string().contains(EVERYTHING), "{error}");
    }
    let silent = peer::resolve(&client, &peer::ior(&[peer::dead_port()], Version::V1_2));
    let silent = anonymous(&silent, &client);
    assert!(format!("{silent:?}").starts_with("Object(of a type"), "{silent:?}");
    let dead = peer::resolve(&client, &peer::ior(&[peer::dead_port()], Version::V1_2));
    assert!(dead.object().narrow::<dyn Everything>().is_ok(), "its type is known");
    let error = dead.object().narrow::<dyn Counted>().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Transient, "its bases are not");
    assert!(Object::nil().narrow::<dyn Everything>().unwrap().is_nil());
}

#[test]
fn is_a_knows_the_interface_and_all_it_inherits_from() {
    let server = Server::start();
    let client = orbs::client();
    let remote = server.remote(&client);
    let objects =
        [server.local.object().clone(), remote.object().clone(), anonymous(&remote, &client)];
    for object in objects {
        let bases = ["Everything", "Named", "Counted", "Common"];
        for id in bases.map(|name| format!("IDL:armilla.org/Probe/{name}:1.0")) {
            assert_eq!(object.is_a(&id), Ok(true), "{id}");
        }
        assert_eq!(object.is_a("IDL:omg.org/CORBA/Object:1.0"), Ok(true));
        for id in [STRANGER, "IDL:armilla.org/Probe/Everything:1.1"] {
            assert_eq!(object.is_a(id), Ok(false), "{id}");
        }
    }
    assert_eq!(Object::nil().is_a(EVERYTHING).unwrap_err().kind(), ExceptionKind::InvObjref);
}

#[test]
fn an_object_says_what_it_really_is() {
    let server = Server::start();
    let client = orbs::client();
    let remote = server.remote(&client);
    let base: CountedRef = remote.upcast();
    for object in [server.local.object(), base.object(), &anonymous(&remote, &client)] {
        assert_eq!(object.repository_id().as_deref(), Ok(EVERYTHING));
    }
    let text = client.object_to_string(&remote).unwrap();
    let again = base.object().orb().unwrap().string_to_object(&text).unwrap();
    assert_eq!(again, *remote.object());
    let nil = Object::nil();
    assert_eq!(nil.repository_id().unwrap_err().kind(), ExceptionKind::InvObjref);
    assert_eq!(nil.orb().unwrap_err().kind(), ExceptionKind::InvObjref);
}

#[test]
fn a_reference_to_a_base_leads_to_the_derived_object() {
    let server = Server::start();
    let remote = server.remote(&orbs::client());
    for probe in [&server.local, &remote] {
        let counted: CountedRef = probe.upcast();
        counted.increment().unwrap();
        let again: EverythingRef = counted.object().narrow().unwrap();
        assert_eq!(again.local().is_some(), probe.local().is_some());
        again.ping().unwrap();
    }
    assert_eq!(server.probe.count().unwrap(), 2);
    assert_eq!(server.local.object().is_a(COUNTED), Ok(true));
}

#[test]
fn an_object_is_found_without_being_called() {
    let server = Server::start();
    for version in peer::VERSIONS {
        let client = orbs::builder().max_giop(version).build().unwrap();
        let remote = server.remote(&client);
        for object in [server.local.object(), remote.object()] {
            assert_eq!((object.locate(), object.non_existent()), (Ok(true), Ok(false)));
        }
        let url = server.publish("probe", server.local.object()).unwrap();
        assert_eq!(client.string_to_object(&url).unwrap().locate(), Ok(true), "by its name");
    }
}

#[test]
fn a_locate_request_in_every_version_and_byte_order_is_answered() {
    let server = Server::start();
    for (version, order) in peer::VERSIONS.iter().flat_map(|v| peer::ORDERS.map(|o| (*v, o))) {
        let mut wire = Wire::connect(server.address());
        let mut out = armilla_cdr::Encoder::new(order);
        let nobody = armilla_giop::TargetAddress::Key(b"nobody");
        armilla_giop::encode_locate_request(&mut out, version, 5, nobody).unwrap();
        armilla_giop::MessageHeader::finish(&mut out).unwrap();
        wire.send(&out.to_vec());
        let answer = wire.message().unwrap();
        assert_eq!(peer::kind(&answer), MessageKind::LocateReply);
        let answer = armilla_giop::Message::parse(&answer).unwrap().unwrap();
        let (header, _) = armilla_giop::decode_locate_reply(&answer).unwrap();
        assert_eq!(header.status, armilla_giop::LocateStatus::UnknownObject);
        assert_eq!((header.request_id, answer.header.version), (5, version));
    }
}
