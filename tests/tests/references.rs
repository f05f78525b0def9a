//! References: as text, by published names, typed and untyped, and initial ones.

use armilla::{Completion, ExceptionKind, Ior, Minor, Object, Orb, SystemException, Version};
use armilla_cdr::{ByteOrder, Encoder};
use armilla_giop::ior::{IiopProfile, TaggedComponent, TaggedProfile};
use armilla_giop::{
    LocateStatus, Message, MessageHeader, MessageKind, begin_locate_reply, decode_locate_request,
};
use armilla_tests::orbs::{self, Server, travel};
use armilla_tests::peer::{self, Peer, Wire};
use armilla_tests::probe::*;
use armilla_tests::servant::Probe;
use std::fs;
use std::time::Duration;

const EVERYTHING: &str = "IDL:armilla.org/Probe/Everything:1.0";
const COUNTED: &str = "IDL:armilla.org/Probe/Counted:1.0";
const STRANGER: &str = "IDL:armilla.org/Probe/Stranger:1.0";

/// The same reference without what it says of its type, so that the object has to be asked.
fn anonymous(reference: &EverythingRef, client: &Orb) -> Object {
    let ior = Ior { type_id: String::new(), ..reference.object().ior() };
    client.string_to_object(&ior.to_text().unwrap()).unwrap()
}

#[test]
fn a_reference_survives_as_text() {
    let server = Server::start();
    let client = orbs::client();
    let text = server.object_to_string(&server.local).unwrap();
    assert!(text.starts_with("IOR:"), "{text}");
    let remote: EverythingRef = client.resolve(&text).unwrap();
    assert_eq!(client.object_to_string(&remote).unwrap(), text);
    remote.ping().unwrap();
    let upper = text.to_uppercase();
    client.resolve::<dyn Everything>(&upper).unwrap().ping().unwrap();
}

#[test]
fn a_reference_that_comes_home_is_collocated() {
    let server = Server::start();
    let home = travel(&travel(&server.local, &orbs::client()), &server);
    assert!(home.local().is_some());
    assert_eq!(home, server.local);
}

#[test]
fn the_nil_reference_survives_as_text() {
    let orb = orbs::client();
    let text = orb.object_to_string(Object::nil()).unwrap();
    assert!(orb.string_to_object(&text).unwrap().is_nil());
    let error = orb.resolve::<dyn Everything>(&text).unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::InvObjref, Minor::NIL_REFERENCE));
}

#[test]
fn references_are_equal_when_they_lead_to_the_same_object() {
    let server = Server::start();
    let client = orbs::client();
    let (one, same) = (server.remote(&client), server.remote(&client));
    let (_, other) = orbs::activate(&server);
    assert_eq!(one, same);
    assert_eq!(one, server.local);
    assert_ne!(server.local, other);
    assert_ne!(one.object(), &Object::nil());
    assert_eq!(Object::nil(), Object::default());
    assert_eq!(one.upcast::<dyn Counted>().object(), one.object());
}

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
fn a_name_may_be_taken_back() {
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
fn a_name_that_nobody_published_does_not_exist() {
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

#[test]
fn a_file_holds_a_reference() {
    let server = Server::start();
    let client = orbs::client();
    let directory = std::env::temp_dir().join(format!("armilla-tests-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let file = |name: &str, content: &str| {
        let path = directory.join(name);
        fs::write(&path, content).unwrap();
        format!("file://{}", path.display())
    };
    let text = server.object_to_string(&server.local).unwrap();
    let url = file("probe with space.ior", &format!("\n {text}\n\n")).replace(' ', "%20");
    client.resolve::<dyn Everything>(&url).unwrap().ping().unwrap();

    let large = "x".repeat((1 << 20) + 1);
    let wrong = [
        (file("loop", "file:///anything"), "refers to another file"),
        (file("empty", ""), "begins no object reference"),
        (file("large", &large), "too many for a reference"),
        (format!("file://{}/missing", directory.display()), "No such file"),
        (format!("file://{}", directory.display()), "directory"),
    ];
    for (url, expected) in wrong {
        let error = client.string_to_object(&url).unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::BadParam);
        assert!(error.to_string().contains(expected), "{url}: {error}");
    }
    fs::remove_dir_all(&directory).unwrap();
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
    }
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

#[test]
fn initial_references_come_from_arguments_from_the_program_and_from_below_a_url() {
    let server = Server::start();
    let url = server.publish("Probe", server.local.object()).unwrap();
    let base = url.strip_suffix("/Probe").unwrap();
    let arguments =
        ["-ORBInitRef", &format!("Near={url}"), "-ORBDefaultInitRef", base].map(str::to_owned);
    let client = orbs::builder().arguments(arguments).unwrap().build().unwrap();
    client.register_initial_reference("Registered", server.local.object()).unwrap();
    for name in ["Near", "Probe", "Registered"] {
        let probe: EverythingRef =
            client.resolve_initial_references(name).unwrap().narrow().unwrap();
        probe.ping().unwrap();
        let by_url: EverythingRef = client.resolve(&format!("corbaloc:rir:/{name}")).unwrap();
        by_url.ping().unwrap();
    }
}

#[test]
fn an_initial_reference_that_nobody_knows_is_an_error_that_says_how_to_name_one() {
    let client = orbs::client();
    for error in [
        client.resolve_initial_references("Dome").unwrap_err(),
        client.string_to_object("corbaloc:rir:/Dome").unwrap_err(),
    ] {
        let expected = (ExceptionKind::BadParam, Minor::NO_INITIAL_REFERENCE);
        assert_eq!((error.kind(), error.minor()), expected);
        let text = error.to_string();
        assert!(text.contains("\"Dome\"") && text.contains("-ORBInitRef Dome="), "{text}");
    }
    let error = client.resolve_initial_references("RootPOA").unwrap_err();
    assert!(error.to_string().contains("Orb::root_poa gives it"), "{error}");
    let error = client.string_to_object("corbaloc:rir:").unwrap_err();
    assert!(error.to_string().contains("NameService"), "{error}");
}

#[test]
fn initial_references_that_lead_to_one_another_in_a_circle_are_an_error() {
    let file = std::env::temp_dir().join(format!("armilla-cycle-{}.ior", std::process::id()));
    fs::write(&file, "corbaloc:rir:/File").unwrap();
    let server = Server::start();
    let arguments = [
        "Self=corbaloc:rir:/Self".to_owned(),
        "There=corbaloc:rir:/Back".to_owned(),
        "Back=corbaname:rir:/There#name".to_owned(),
        format!("File=file://{}", file.display()),
        "Alias=corbaloc:rir:/Probe".to_owned(),
        format!("Probe={}", server.object_to_string(&server.local).unwrap()),
    ];
    let options = arguments.into_iter().flat_map(|given| ["-ORBInitRef".to_owned(), given]);
    let client = orbs::builder().arguments(options).unwrap().build().unwrap();
    for name in ["Self", "There", "File"] {
        let error = client.resolve_initial_references(name).unwrap_err();
        assert_eq!(
            (error.kind(), error.minor()),
            (ExceptionKind::BadParam, Minor::BAD_PARAM_INVALID_URL)
        );
        assert!(error.to_string().contains("leads to itself"), "{error}");
    }
    client.resolve::<dyn Everything>("corbaloc:rir:/Alias").unwrap().ping().unwrap();
    let all = orbs::builder().default_initial_reference("corbaloc:rir:").build().unwrap();
    assert_eq!(
        all.resolve_initial_references("Any").unwrap_err().minor(),
        Minor::BAD_PARAM_INVALID_URL
    );
    fs::remove_file(file).unwrap();
}

#[test]
fn malformed_urls_say_what_is_wrong() {
    let client = orbs::client();
    let table = [
        ("", Minor::BAD_PARAM_INVALID_URL_SCHEME, "begins no object reference"),
        ("localhost:2809", Minor::BAD_PARAM_INVALID_URL_SCHEME, "begins no object reference"),
        ("http://localhost/", Minor::BAD_PARAM_INVALID_URL_SCHEME, "begins no object reference"),
        ("IOR:", Minor::BAD_PARAM_INVALID_URL, "no reference"),
        ("IOR:0", Minor::BAD_PARAM_INVALID_URL, "was it cut?"),
        ("IOR:0g", Minor::BAD_PARAM_INVALID_URL, "is no hexadecimal digit"),
        ("IOR:00000000ffffffff", Minor::BAD_PARAM_INVALID_URL, "no reference"),
        ("corbaloc:", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "lacks a protocol"),
        (
            "corbaloc:host:2809/key",
            Minor::BAD_PARAM_INVALID_URL_ADDRESS,
            "the protocol \"host\" is not supported",
        ),
        ("corbaloc:ssliop:host:2809/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "is not supported"),
        ("corbaloc::host:0/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "is no port"),
        ("corbaloc::host:65536/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "is no port"),
        ("corbaloc::host:/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "is no port"),
        ("corbaloc::::1:2809/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "in brackets"),
        ("corbaloc:iiop:2.0@host/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "is no IIOP version"),
        ("corbaloc::host/a%2", Minor::BAD_PARAM_INVALID_URL_SCHEME_PART, "two hexadecimal digits"),
        ("corbaloc:rir:,:host/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "stands alone"),
        ("corbaloc::host,/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "lacks a protocol"),
        ("corbaname::host#a/", Minor::BAD_PARAM_INVALID_URL_SCHEME_PART, "name"),
        ("file://%ff", Minor::BAD_PARAM_INVALID_URL_SCHEME_PART, "UTF-8"),
    ];
    for (url, reason, expected) in table {
        let error = client.string_to_object(url).unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::BadParam, reason));
        let text = error.to_string();
        assert!(text.contains(expected) && text.contains("hint:"), "{url}: {text}");
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
fn what_other_orbs_put_into_references_leads_astray_nobody() {
    let server = Server::start();
    let good = server.local.object().ior();
    let profile = good.iiop_profiles().next().unwrap().unwrap();
    // As JacORB and TAO write them: what SSL supports and requires, and its port or 0; a policy; an
    // address that nobody listens at; a component cut short.
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

#[test]
fn names_are_refused_before_the_naming_service_is_asked() {
    let nowhere = format!("corbaloc::127.0.0.1:{}/NameService", peer::dead_port());
    let client = orbs::builder().initial_reference("NameService", nowhere).build().unwrap();
    for name in ["", "a//b", "a/", "a.b.c"] {
        for error in [
            client.resolve_name(name).unwrap_err(),
            client.unbind_name(name).unwrap_err(),
            client.bind_name(name, Object::nil()).unwrap_err(),
        ] {
            let got = (error.kind(), error.minor());
            assert_eq!(got, (ExceptionKind::BadParam, Minor::NAMING_FAILED), "{name:?}: {error}");
        }
    }
    assert_eq!(client.resolve_name("a/b").unwrap_err().kind(), ExceptionKind::Transient);
    let error = orbs::client().resolve_name("a/b").unwrap_err();
    assert_eq!(error.minor(), Minor::NO_INITIAL_REFERENCE);
}

#[test]
#[allow(clippy::mutable_key_type)] // What changes in a reference is not what it is compared by.
fn equivalent_references_have_the_same_hash() {
    use std::collections::HashSet;
    let (server, client) = (Server::start(), orbs::client());
    let poa = server.root_poa().create_poa("hashed").user_ids().build().unwrap();
    let without_hint = poa.create_reference_with_id::<dyn Everything>("one").unwrap();
    let one: EverythingRef =
        poa.activate_with_id("one", everything::tie(Probe::default())).unwrap();
    let far = orbs::travel(&one, &client);
    assert!(one.object().is_equivalent(far.object()) && one == without_hint);
    let objects: HashSet<_> = [&one, &far, &without_hint, &server.local].into_iter().collect();
    assert_eq!(objects.len(), 2);
    for maximum in [0, 1, 1000, u32::MAX] {
        let hash = one.object().hash_up_to(maximum);
        assert!(hash <= maximum);
        assert_eq!(hash, far.object().hash_up_to(maximum));
        assert_eq!(hash, without_hint.object().hash_up_to(maximum));
    }
    let nil = EverythingRef::nil();
    assert!(nil == EverythingRef::default() && !objects.contains(&nil));
}
