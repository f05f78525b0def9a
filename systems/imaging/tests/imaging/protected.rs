//! Images over TLS, and pages behind a login: who is let in, as whom, and who is not.

use crate::common::{Scratch, serve, write_image};
use crate::modalities::{EXPLICIT, MOVE, MR, Peer, import, level, text};
use crate::programs::{Program, run};
use crate::web::{Answer, ask};
use armilla::Orb;
use armilla_imaging::access::token_hash;
use armilla_imaging::audit::Guard;
use armilla_imaging::idl::{Server as _, ServerRef};
use armilla_imaging::procedures::{Procedures, Retry};
use armilla_imaging::server::dimse::{Entity, Modalities, Titles};
use armilla_imaging::store::Store;
use armilla_imaging::web::Web;
use armilla_security::PasswordFile;
use armilla_service::{Console, ConsoleAccess, Lifecycle};
use armilla_stream::{FlowConsumer, FlowOptions, FlowProducer, FlowRequest};
use armilla_tls::{Authority, Pem, Tls, Verify};
use dicom_core::VR;
use dicom_dictionary_std::tags;
use dicom_ul::association::client::ClientAssociationOptions;
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

/// TLS with a certificate of an authority, which is asked of others, too.
fn tls(authority: &Authority, subject: &str) -> Tls {
    let own = authority.issue(subject, &["localhost"], DAY).unwrap();
    let both = Pem::text(format!("{}{}", own.certificate, own.key));
    Tls::new()
        .certificate(both)
        .roots(Pem::text(authority.own().certificate.clone()))
        .verify(Verify::Required)
}

/// An image server with these rules, over a directory of its own.
fn modalities(
    scratch: &Scratch,
    name: &str,
    (rules, tls): (&str, Tls),
    peers: &[(&str, String)],
) -> (Store, Modalities) {
    let directory = scratch.file(name);
    let store = Store::open(&directory, 0).unwrap();
    let peers = peers.iter().map(|(title, at)| ((*title).to_owned(), at.clone()));
    let peers: BTreeMap<_, _> = peers.collect();
    let entity = Entity {
        titles: Titles { own: "ARMILLA".to_owned(), peers, ..Titles::default() },
        store: store.clone(),
        guard: Guard::new(rules.parse().unwrap(), None).unwrap(),
        procedures: Procedures::open(&directory).unwrap(),
        retry: Retry::default(),
        tls,
    };
    (store, Modalities::start(entity).unwrap())
}

/// What became of moving a study from one server to another over TLS.
fn moved(rules: &str, of_one: Tls, of_other: Tls) -> (u16, usize) {
    let scratch = Scratch::new();
    let (other, listens) = modalities(&scratch, "other", (rules, of_other), &[]);
    let at = listens.listen_tls("127.0.0.1:0").unwrap();
    let peers = [("OTHER", format!("tls://localhost:{}", at.port()))];
    let (store, modalities) = modalities(&scratch, "one", ("", of_one), &peers);
    import(&scratch, &store, "1.2.3", 2);
    let at = modalities.listen("127.0.0.1:0").unwrap();
    let keys = [level("STUDY"), text(tags::STUDY_INSTANCE_UID, VR::UI, "1.2.3")];
    let replies = Peer::connect(at, EXPLICIT, false).ask(MOVE, &keys);
    (replies.last().unwrap().status(), other.usage().0 as usize)
}

#[test]
fn images_move_over_tls_and_rules_know_the_peer_by_its_certificate() {
    let authority = Authority::new("clinic", DAY).unwrap();
    let own = |subject| tls(&authority, subject);
    let rules = "allow store user dn:CN=one";
    assert_eq!(moved(rules, own("one"), own("other")), (0, 2));
    // Another name, no certificate, and one of another authority.
    assert_eq!(moved(rules, own("two"), own("other")), (0xa702, 0));
    let nobody = Tls::new().roots(Pem::text(authority.own().certificate.clone()));
    assert_eq!(moved(rules, nobody, own("other")), (0xa702, 0));
    let elsewhere = Authority::new("elsewhere", DAY).unwrap();
    assert_eq!(moved("", tls(&elsewhere, "one"), own("other")), (0xa702, 0));
}

#[test]
fn the_port_for_tls_takes_nothing_else_and_goes_on() {
    let scratch = Scratch::new();
    let authority = Authority::new("clinic", DAY).unwrap();
    let tls = tls(&authority, "server");
    let (_store, modalities) = modalities(&scratch, "store", ("", tls.clone()), &[]);
    let at = modalities.listen_tls("127.0.0.1:0").unwrap();
    let options = || {
        let options = ClientAssociationOptions::new().calling_ae_title("DESK");
        let options = options.read_timeout(Duration::from_secs(60));
        options.with_presentation_context(MR, vec![EXPLICIT])
    };
    assert!(options().establish(at).is_err(), "plain DICOM");
    let mut broken = TcpStream::connect(at).unwrap();
    broken.write_all(b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00").unwrap();
    assert!(matches!(broken.read_to_end(&mut Vec::new()), Ok(_) | Err(_)));
    let silent = TcpStream::connect(at).unwrap();
    let options = options().tls_config(tls.client_config().unwrap()).server_name("localhost");
    let association = options.establish_tls(at).unwrap();
    association.release().unwrap();
    drop(silent);
    let (_store, plain) = self::modalities(&scratch, "plain", ("", Tls::new()), &[]);
    let missing = plain.listen_tls("127.0.0.1:0").unwrap_err().to_string();
    assert!(missing.contains("certificate"), "{missing}");
}

/// Logs in, and returns the cookie.
fn log_in(at: SocketAddr) -> String {
    let fields = "user=ann&password=correct+horse";
    let mut stream = TcpStream::connect(at).unwrap();
    let kind = "Content-Type: application/x-www-form-urlencoded";
    let head = format!("POST /login HTTP/1.0\r\nHost: localhost\r\n{kind}\r\n");
    write!(stream, "{head}Content-Length: {}\r\n\r\n{fields}", fields.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let cookie = answer.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

#[test]
fn dicomweb_is_for_who_has_logged_in_and_for_tokens_of_the_rules() {
    let scratch = Scratch::new();
    let (_orb, server, store) = serve(&scratch.file("store"), 0);
    let image = scratch.file("image");
    write_image(&image, "1.2.3", 1, 16, 0);
    store.import(&image).unwrap();
    let mut users = PasswordFile::create(scratch.file("users")).unwrap();
    users.set(&"ann@clinic".parse().unwrap(), b"correct horse").unwrap();
    let access = ConsoleAccess::new().passwords(users, "").unwrap();
    let start = |rules: &str| {
        let guard = Guard::new(rules.parse().unwrap(), Some(&scratch.file("record"))).unwrap();
        let web = Web::new(server.upcast(), guard).with_login(true);
        let console = web.add_to(Console::builder("127.0.0.1:0").access(access.clone()), 1 << 20);
        console.start(&Lifecycle::new()).unwrap()
    };
    let search = |console: &Console, field: &str| -> Answer {
        ask(
            console,
            "GET",
            "studies",
            &format!("Accept: application/dicom+json\r\n{field}\r\n"),
            b"",
        )
    };
    let bearer = |token: &str| format!("Authorization: Bearer {token}\r\n");

    // Without rules no token is known.
    let console = start("");
    assert_eq!(
        (search(&console, "").status, search(&console, &bearer("guess")).status),
        (401, 401)
    );
    let cookie = format!("Cookie: {}\r\n", log_in(console.address()));
    assert_eq!(search(&console, &cookie).json().as_array().unwrap().len(), 1);

    let rules = format!(
        "allow read user ann@clinic\nallow read token desk {}\nallow any from local",
        token_hash("secret")
    );
    let console = start(&rules);
    let cookie = format!("Cookie: {}\r\n", log_in(console.address()));
    // Where the client is opens nothing: it should have logged in.
    for (field, expected) in [
        (String::new(), 401),
        (bearer("guess"), 401),
        (bearer("secret"), 200),
        (cookie.clone(), 200),
    ] {
        assert_eq!(search(&console, &field).status, expected, "{field}");
    }
    let record = std::fs::read_to_string(scratch.file("record")).unwrap();
    assert!(record.contains("\"user\":\"ann@clinic\"") && record.contains("\"token\":\"desk\""));
    // What another site makes the browser send changes nothing.
    let from =
        format!("{cookie}Origin: https://evil.example\r\nContent-Type: application/dicom\r\n");
    assert_eq!(ask(&console, "POST", "studies", &from, b"").status, 403);
}

/// The files of a server that proves who it is, and what clients believe: options for its command.
fn files(scratch: &Scratch, authority: &Authority) -> (Vec<String>, String) {
    let own = authority.issue("images", &["127.0.0.1"], DAY).unwrap();
    let file = |name: &str, text: &str| {
        let path = scratch.file(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (certificate, key) = (file("own.pem", &own.certificate), file("own.key", &own.key));
    let roots = file("roots.pem", &authority.own().certificate);
    let options = ["-ORBCertificate", &certificate, "-ORBKey", &key, "-ORBSameHost", "off"];
    (options.map(str::to_owned).to_vec(), roots)
}

#[test]
fn the_command_sends_and_takes_flows_over_tls() {
    let scratch = Scratch::new();
    let authority = Authority::new("clinic", DAY).unwrap();
    let (options, roots) = files(&scratch, &authority);
    let start = |store: &str, flows: &[&str]| {
        let store = scratch.file(store);
        let own = ["serve", "--store", store.to_str().unwrap()];
        let options: Vec<_> = options.iter().map(String::as_str).collect();
        Program::start_at("ssliop://127.0.0.1:0", &[&own[..], flows, &options].concat())
    };
    let program = start("store", &["--flows-tls", "127.0.0.1:0"]);
    let path = scratch.file("1.dcm");
    let uid = write_image(&path, "1.2.3", 1, 64, 0);
    let octets = std::fs::read(&path).unwrap();

    // A caller from elsewhere: a socket of this host is nothing to it.
    let tls = Tls::new().roots(roots.as_str()).required();
    let client = Orb::builder().transport(tls).build().unwrap();
    let flows = FlowOptions::of(&client);
    let mut request = FlowRequest::connecting_with(0, &flows);
    assert!(!request.connects.contains(&"tcp".to_owned()), "{:?}", request.connects);
    request.connects.retain(|scheme| scheme == "ssliop");
    let server: ServerRef = client.resolve(&program.url).unwrap();
    let upload = server.store(octets.len() as u64, "", &request).unwrap();
    let places = &upload.agreement.listens[0].r#where;
    assert!(!places.is_empty(), "the server listens");
    assert!(places.iter().all(|at| at.starts_with("ssliop://127.0.0.1:")), "{places:?}");
    let producer: FlowProducer = upload.agreement.collect(&flows).unwrap();
    producer.finish_with(&octets).unwrap();
    assert_eq!(server.stored(upload.ticket).unwrap().uid, uid);
    let mut fetched: FlowConsumer = server.fetch(&uid, &request).unwrap().collect(&flows).unwrap();
    let mut back = Vec::new();
    fetched.read_to_end(&mut back).unwrap();
    assert_eq!(back, octets);

    // The command as a client.
    let path = path.to_str().unwrap();
    let sent = run(&["send", &program.url, path, "-ORBRoots", &roots]);
    assert!(sent.status.success(), "{}", String::from_utf8_lossy(&sent.stderr));
    assert_eq!(String::from_utf8_lossy(&sent.stdout).trim(), uid);

    // A server that has no such place offers none in clear instead.
    let without = start("other", &[]);
    let server: ServerRef = client.resolve(&without.url).unwrap();
    request.connects.push("tcp".to_owned());
    let refused = server.store(octets.len() as u64, "", &request).unwrap_err();
    assert!(format!("{refused:?}").contains("NoAgreement"), "{refused:?}");
    client.shutdown();
}
