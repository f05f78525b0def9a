//! Initial references and URLs.

use armilla::{ExceptionKind, Minor, Object};
use armilla_tests::orbs::{self, Server};
use armilla_tests::peer;
use armilla_tests::probe::*;
use std::fs;

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
fn an_unknown_initial_reference_is_an_error_with_a_hint() {
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
        ("corbaloc:diop:host:2809/key", Minor::BAD_PARAM_INVALID_URL_ADDRESS, "is not supported"),
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
