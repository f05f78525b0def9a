//! HTTPS: what a client meets that speaks it, one that does not, and one that never goes on.

use super::{eventually, half, is_closed};
use armilla_service::axum::Router;
use armilla_service::{Console, ConsoleAccess, ConsoleLimits, ConsoleOptions, Lifecycle};
use armilla_tls::{Authority, Issued, Tls};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

/// A folder of this test, with the files of an authority and of what it has issued.
pub(crate) struct Folder {
    path: PathBuf,
    pub(crate) authority: Authority,
}

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("armilla-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self { path, authority: Authority::new("authority", DAY).unwrap() }
    }

    pub(crate) fn issue(&self, subject: &str) -> Issued {
        let names = ["localhost", "names.example.org", "*.pages.example.org"];
        self.authority.issue(subject, &names, DAY).unwrap()
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A file with a new certificate and its key.
    pub(crate) fn certificate(&self, subject: &str) -> PathBuf {
        let Issued { certificate, key, .. } = self.issue(subject);
        self.file(&format!("{subject}.pem"), &format!("{certificate}{key}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.path).ok();
    }
}

/// A connection over TLS to a server of this authority, by a client with this certificate.
pub(crate) fn connect(
    console: &Console,
    authority: &Authority,
    own: Option<&Issued>,
) -> StreamOwned<ClientConnection, TcpStream> {
    let root = CertificateDer::from_pem_slice(authority.own().certificate.as_bytes()).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(root).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap();
    let builder = builder.with_root_certificates(roots);
    let config = match own {
        None => builder.with_no_client_auth(),
        Some(own) => {
            let chain = CertificateDer::from_pem_slice(own.certificate.as_bytes()).unwrap();
            let key = PrivateKeyDer::from_pem_slice(own.key.as_bytes()).unwrap();
            builder.with_client_auth_cert(vec![chain], key).unwrap()
        }
    };
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    StreamOwned::new(client, TcpStream::connect(console.address()).unwrap())
}

/// Sends a request on a connection of its own, and returns the status and the whole answer.
pub(crate) fn ask(
    mut stream: StreamOwned<ClientConnection, TcpStream>,
    request: &str,
) -> (u16, String) {
    let head = request.replace('\n', "\r\n");
    stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

const METRICS: &str = "GET /metrics HTTP/1.1\nHost: names.example.org";

#[test]
fn a_page_over_https_is_known_by_the_names_of_its_certificate_alone() {
    let folder = Folder::new("page-https");
    let tls = Tls::new().certificate(folder.certificate("page"));
    let console = Console::builder("127.0.0.1:0").tls(tls).start(&Lifecycle::new()).unwrap();
    assert!(console.url().starts_with("https://127.0.0.1:"));
    let (status, answer) = ask(connect(&console, &folder.authority, None), METRICS);
    assert!(status == 200 && answer.contains("armilla_healthy 0\n"), "{answer}");
    assert!(answer.contains("strict-transport-security: max-age=31536000\r\n"), "{answer}");
    for (host, status) in [
        ("evil.example.org", 421),
        ("a.pages.example.org", 200),
        ("a.pages.example.org:443", 200),
        ("a.b.pages.example.org", 421),
    ] {
        let request = format!("GET /metrics HTTP/1.1\nHost: {host}");
        assert_eq!(ask(connect(&console, &folder.authority, None), &request).0, status, "{host}");
    }
    // Plain HTTP is told what is spoken here, and gets nothing else.
    let (status, answer) = super::ask(&console, METRICS);
    assert!(status == 400 && answer.contains("the URL begins with https:"), "{answer}");
}

#[test]
fn a_new_certificate_is_used_without_a_restart_and_a_broken_one_is_not() {
    let folder = Folder::new("page-reload");
    let path = folder.certificate("page");
    let options = ConsoleOptions::from("127.0.0.1:0").certificate(&path, None::<PathBuf>);
    let console = options.start(&Lifecycle::new(), |console| console).unwrap().unwrap();
    let serial = || {
        let mut stream = connect(&console, &folder.authority, None);
        stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
        stream.read_to_string(&mut String::new()).unwrap();
        let own = &stream.conn.peer_certificates().unwrap()[0];
        armilla_tls::Certificate::parse(own).unwrap().serial
    };
    let first = serial();
    let Issued { certificate, key, .. } = folder.issue("page");
    folder.file("page.pem", &format!("{certificate}{key}\n"));
    eventually(|| serial() != first);
    let second = serial();
    folder.file("page.pem", "nothing of use");
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(serial(), second);
}

#[test]
fn an_address_that_others_reach_is_refused_without_protection() {
    let start = |options: ConsoleOptions| options.start(&Lifecycle::new(), |console| console);
    let refused = start(ConsoleOptions::from("0.0.0.0:0")).unwrap_err().to_string();
    assert!(refused.contains("--http-certificate") && refused.contains("--http-insecure"));
    assert!(start(ConsoleOptions::from("0.0.0.0:0").insecure()).unwrap().is_some());
    // The certificate of an ORB protects it there, and leaves a page for this host alone as it is.
    let folder = Folder::new("page-of-orb");
    let tls = Tls::new().certificate(folder.certificate("page"));
    let url = |address: &str| {
        let options = ConsoleOptions::from(address).access(ConsoleAccess::new());
        start(options.tls_of_orb(tls.clone())).unwrap().unwrap().url()
    };
    assert!(url("0.0.0.0:0").starts_with("https:") && url("127.0.0.1:0").starts_with("http:"));
    let missing = ConsoleOptions::from("127.0.0.1:0").certificate("/nowhere.pem", None::<PathBuf>);
    let missing = start(missing).unwrap_err().to_string();
    assert!(missing.contains("/nowhere.pem"), "{missing}");
}

#[test]
fn handshakes_that_never_end_leave_others_their_places_and_are_cut_off() {
    let folder = Folder::new("page-handshakes");
    let tls = Tls::new().certificate(folder.certificate("page"));
    let mut limits = ConsoleLimits::default();
    (limits.connections, limits.per_peer) = (8, 6);
    let console = Console::builder("127.0.0.1:0").tls(tls.clone()).limits(limits.clone());
    let console = console.pages(Router::new()).start(&Lifecycle::new()).unwrap();
    // Nothing, the begin of a record, and one that says more than it has.
    let beginnings: [&[u8]; 3] = [b"", b"\x16\x03", b"\x16\x03\x01\x40\x00\x01"];
    let waiting: Vec<TcpStream> =
        (0..100).map(|number| half(&console, beginnings[number % 3])).collect();
    for _ in 0..10 {
        assert_eq!(ask(connect(&console, &folder.authority, None), METRICS).0, 200);
    }
    eventually(|| waiting.iter().filter(|stream| !is_closed(stream)).count() < 6);
    limits.head = Duration::from_millis(200);
    let console = Console::builder("127.0.0.1:0").tls(tls).limits(limits);
    let console = console.start(&Lifecycle::new()).unwrap();
    let silent = [half(&console, b""), half(&console, b"\x16\x03\x01")];
    eventually(|| silent.iter().all(is_closed));
}
