//! What security costs, beside what it is made of, in the same process and the same run:
//!
//! ```text
//! cargo run --release -p armilla-security --example costs [calls|handshakes|contexts|rules]
//! ```
//!
//! - a void call, and one with an answer of 64 KiB, over TLS, and the same octets over bare `rustls`;
//! - handshakes, whole and resumed, and those of bare `rustls`;
//! - a call with a password each time, and with a context that the server keeps, beside one without;
//! - a check against 1,000 rules.
//!
//! Each number is the best of many short rounds, which alternate between the two sides: what else the
//! machine does then, and on which processor a thread is, spoils some of them and not all.

use armilla::transport::Transport;
use armilla::{Orb, OrbBuilder, SameHost, Settings};
use armilla_ipc::Address;
use armilla_security::{
    AccessFile, AccessRules, Authentication, Caller, ClientSecurity, Principal, Proof, Question,
    ScopedName, ServerSecurity,
};
use armilla_tests::orbs::activate;
use armilla_tests::probe::*;
use armilla_tls::{Authority, Issued, Pem, Tls};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};
use std::error::Error;
use std::hint::black_box;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

const DAY: Duration = Duration::from_secs(86_400);
/// How often the two sides of a comparison take turns.
const ROUNDS: usize = 60;
const BULK: u32 = 65_536;

fn main() -> Outcome {
    let only = std::env::args().nth(1);
    let wanted = |part| only.as_deref().is_none_or(|only| only == part);
    let authority = Authority::new("authority", DAY)?;
    let own = authority.issue("server", &["127.0.0.1"], DAY)?;
    let bare = Bare::new(&authority, &own)?;
    if wanted("calls") {
        calls(&authority, &own, &bare)?;
    }
    if wanted("handshakes") {
        handshakes(&authority, &own, &bare)?;
    }
    if wanted("contexts") {
        contexts()?;
    }
    if wanted("rules") {
        rules()?;
    }
    Ok(())
}

/// The best time of `times` repetitions of each side, for one of them.
fn compare(
    times: u32,
    mut ours: impl FnMut() -> Outcome,
    mut theirs: impl FnMut() -> Outcome,
) -> Outcome<[Duration; 2]> {
    let mut best = [Duration::MAX; 2];
    for _ in 0..ROUNDS {
        for (side, best) in best.iter_mut().enumerate() {
            let begun = Instant::now();
            for _ in 0..times {
                if side == 0 { ours()? } else { theirs()? }
            }
            *best = begun.elapsed().div_f64(times.into()).min(*best);
        }
    }
    Ok(best)
}

fn ratio([ours, theirs]: [Duration; 2]) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}

fn serve(orb: OrbBuilder) -> Outcome<(Orb, String)> {
    let orb = orb.build()?;
    let (_, object) = activate(&orb);
    let reference = orb.object_to_string(&object)?;
    Ok((orb, reference))
}

fn plain() -> OrbBuilder {
    Orb::builder().settings(|settings| settings.same_host = SameHost::Off)
}

fn text(pem: &str) -> Pem {
    Pem::Text(pem.into())
}

// ----- calls over TLS

fn calls(authority: &Authority, own: &Issued, bare: &Bare) -> Outcome {
    let sizes = [sizes(|object| Ok(object.ping()?))?, sizes(bulk)?];
    let tls = Tls::new().certificate(text(&own.certificate)).key(text(&own.key));
    let (server, reference) = serve(plain().transport(tls).listen("ssliop://127.0.0.1:0")?)?;
    let tls = Tls::new().roots(text(&authority.own().certificate)).required();
    let client = plain().transport(tls).build()?;
    let object: EverythingRef = client.resolve(&reference)?;
    for (what, times, limit, (there, back)) in
        [("void call", 500, 1.10, sizes[0]), ("64 KiB", 200, 1.05, sizes[1])]
    {
        let mut ping_pong = bare.ping_pong(there, back)?;
        let call: &dyn Fn(&EverythingRef) -> Outcome = match back {
            0..1000 => &|object| Ok(object.ping()?),
            _ => &bulk,
        };
        call(&object)?;
        let times = compare(times, || call(&object), &mut ping_pong)?;
        let [ours, theirs] = times.map(|time| time.as_secs_f64() * 1e6);
        println!(
            "{what} over TLS 1.3: {ours:.1} us, bare rustls with {there} and {back} octets {theirs:.1} us: \
             {:.3} (at most {limit})",
            ratio(times)
        );
    }
    client.shutdown();
    server.shutdown();
    Ok(())
}

fn bulk(object: &EverythingRef) -> Outcome {
    assert_eq!(object.produce(BULK)?.len(), BULK as usize);
    Ok(())
}

/// How many octets a call and its reply are, seen on the way of a plain one.
fn sizes(call: impl Fn(&EverythingRef) -> Outcome) -> Outcome<(usize, usize)> {
    let proxy = TcpListener::bind("127.0.0.1:0")?;
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let published = proxy.local_addr()?.port();
    let at = format!("iiop://127.0.0.1:{free}?publish=127.0.0.1:{published}");
    let (server, reference) = serve(plain().listen(&at)?)?;
    let seen: Arc<[AtomicUsize; 2]> = Arc::default();
    let counted = seen.clone();
    thread::spawn(move || -> std::io::Result<()> {
        let (client, _) = proxy.accept()?;
        let server = TcpStream::connect(("127.0.0.1", free))?;
        for (at, mut from, mut to) in
            [(0, client.try_clone()?, server.try_clone()?), (1, server, client)]
        {
            let counted = counted.clone();
            thread::spawn(move || -> std::io::Result<()> {
                let mut octets = vec![0; 1 << 17];
                loop {
                    let count = from.read(&mut octets)?;
                    counted[at].fetch_add(count, Ordering::SeqCst);
                    to.write_all(&octets[..count])?;
                    if count == 0 {
                        return Ok(());
                    }
                }
            });
        }
        Ok(())
    });
    let client = plain().build()?;
    let object: EverythingRef = client.resolve(&reference)?;
    // The first call agrees on code sets and more.
    call(&object)?;
    let read = || (seen[0].load(Ordering::SeqCst), seen[1].load(Ordering::SeqCst));
    let before = read();
    call(&object)?;
    let after = read();
    client.shutdown();
    server.shutdown();
    Ok((after.0 - before.0, after.1 - before.1))
}

// ----- bare rustls

struct Bare {
    server: Arc<ServerConfig>,
    client: Arc<ClientConfig>,
    fresh: Arc<ClientConfig>,
}

impl Bare {
    fn new(authority: &Authority, own: &Issued) -> Outcome<Self> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let chain = CertificateDer::pem_slice_iter(own.certificate.as_bytes());
        let chain = chain.collect::<Result<Vec<_>, _>>()?;
        let key = PrivateKeyDer::from_pem_slice(own.key.as_bytes())?;
        let server = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(authority.own().certificate.as_bytes())?)?;
        let client = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let mut fresh = client.clone();
        fresh.resumption = rustls::client::Resumption::disabled();
        Ok(Self { server: server.into(), client: client.into(), fresh: fresh.into() })
    }

    /// A server that answers `there` octets with `back`; what makes one exchange with it.
    fn ping_pong(&self, there: usize, back: usize) -> Outcome<impl FnMut() -> Outcome + use<>> {
        let (listener, config) = (TcpListener::bind("127.0.0.1:0")?, self.server.clone());
        let at = listener.local_addr()?;
        thread::spawn(move || -> std::io::Result<()> {
            let (stream, _) = listener.accept()?;
            stream.set_nodelay(true)?;
            let connection = ServerConnection::new(config).map_err(std::io::Error::other)?;
            let mut tls = rustls::StreamOwned::new(connection, stream);
            let (mut request, reply) = (vec![0; there], vec![1; back]);
            loop {
                tls.read_exact(&mut request)?;
                tls.write_all(&reply)?;
                tls.flush()?;
            }
        });
        let stream = TcpStream::connect(at)?;
        stream.set_nodelay(true)?;
        let name = ServerName::try_from("127.0.0.1")?;
        let connection = ClientConnection::new(self.client.clone(), name)?;
        let mut tls = rustls::StreamOwned::new(connection, stream);
        let (request, mut reply) = (vec![0; there], vec![0; back]);
        Ok(move || {
            tls.write_all(&request)?;
            tls.flush()?;
            tls.read_exact(&mut reply)?;
            Ok(())
        })
    }

    /// A server that makes handshakes, each in turn; its port.
    fn handshakes(&self) -> Outcome<u16> {
        let (listener, config) = (TcpListener::bind("127.0.0.1:0")?, self.server.clone());
        let port = listener.local_addr()?.port();
        thread::spawn(move || -> std::io::Result<()> {
            loop {
                let (mut stream, _) = listener.accept()?;
                let mut tls =
                    ServerConnection::new(config.clone()).map_err(std::io::Error::other)?;
                while tls.is_handshaking() {
                    tls.complete_io(&mut stream)?;
                }
                // The tickets follow the handshake.
                while tls.wants_write() {
                    tls.write_tls(&mut stream)?;
                }
                stream.read_to_end(&mut Vec::new()).ok();
            }
        });
        Ok(port)
    }
}

// ----- handshakes

fn handshakes(authority: &Authority, own: &Issued, bare: &Bare) -> Outcome {
    let settings = Settings::default();
    for (what, resume, times) in [("handshake", false, 20), ("resumed handshake", true, 40)] {
        let server = Tls::new().certificate(text(&own.certificate)).key(text(&own.key));
        let listening = Transport::listen(&server, "127.0.0.1:0", &settings)?;
        let Address::Tcp { port, .. } = *listening.acceptor.local() else {
            return Err("no TCP".into());
        };
        thread::spawn(move || -> std::io::Result<()> {
            while let Some(stream) = listening.acceptor.accept()? {
                stream.send(&[1]).ok();
                stream.recv(&mut [0; 64]).ok();
            }
            Ok(())
        });
        let client = Tls::new().roots(text(&authority.own().certificate));
        let client = client.settings(|it| it.resume = resume);
        let (at, limit) = (format!("ssliop://127.0.0.1:{port}"), Duration::from_secs(10));
        let bare_port = bare.handshakes()?;
        let config = if resume { &bare.client } else { &bare.fresh };
        let name = ServerName::try_from("127.0.0.1")?;
        let ours = || {
            let stream = Transport::connect(&client, &at, limit, &settings)?;
            // Tickets come before the first octet.
            stream.recv(&mut [0; 1])?;
            Ok(())
        };
        let theirs = || {
            let mut stream = TcpStream::connect(("127.0.0.1", bare_port))?;
            stream.set_nodelay(true)?;
            let mut tls = ClientConnection::new(config.clone(), name.clone())?;
            while tls.is_handshaking() {
                tls.complete_io(&mut stream)?;
            }
            tls.read_tls(&mut stream)?;
            tls.process_new_packets()?;
            Ok(())
        };
        let best = compare(times, ours, theirs)?;
        println!(
            "{what}: {:.0}/s, bare rustls {:.0}/s: {:.3} (at least 0.9)",
            1.0 / best[0].as_secs_f64(),
            1.0 / best[1].as_secs_f64(),
            1.0 / ratio(best)
        );
    }
    Ok(())
}

// ----- CSIv2

fn contexts() -> Outcome {
    let secured = |required| -> Outcome<(Orb, String)> {
        let security = ServerSecurity::builder()
            .realm("bank")
            .passwords(|_: &ScopedName, password: &[u8]| password == b"correct horse")
            .authentication(required)
            .build()?;
        serve(plain().listen("iiop://127.0.0.1:0")?.initializer(security))
    };
    let (open, open_reference) = serve(plain().listen("iiop://127.0.0.1:0")?)?;
    let (asking, reference) = secured(Authentication::Required)?;
    let nobody = plain().build()?;
    let plain_object: EverythingRef = nobody.resolve(&open_reference)?;
    plain_object.ping()?;
    for (what, stateful, limit) in [("stateful", true, 0.5), ("stateless", false, 3.0)] {
        let security = ClientSecurity::builder().user("ann".parse()?, "correct horse");
        let client = plain().initializer(security.stateful(stateful).build()).build()?;
        let object: EverythingRef = client.resolve(&reference)?;
        object.ping()?;
        let best = compare(1000, || Ok(object.ping()?), || Ok(plain_object.ping()?))?;
        let more = (best[0].as_secs_f64() - best[1].as_secs_f64()) * 1e6;
        println!("CSIv2, {what}: {more:.2} us more than a call without (at most {limit})");
        client.shutdown();
    }
    for orb in [nobody, open, asking] {
        orb.shutdown();
    }
    Ok(())
}

// ----- rules

fn rules() -> Outcome {
    let address = Address::tcp("192.0.2.1", 4000);
    let user = Principal::User("user999@bank".parse()?);
    let caller = Caller::new(user, Proof::Password, address);
    for (what, rule, operation) in [
        ("another operation", "allow = \"user{}@bank\"\noperation = \"op{}\"", "op999"),
        ("another user", "allow = \"user{}@bank\"\noperation = \"op\"", "op"),
        ("objects of another name", "allow = \"*@bank\"\nobject = [\"/o{}\", \"/o{}/*\"]", "op"),
        (
            "another operation of 1,000 users",
            "allow = \"group:all\"\noperation = \"op{}\"",
            "op999",
        ),
        ("another user, asked of every object", "allow = \"user{}@bank\"", "_is_a"),
    ] {
        let one = |number: u32| format!("[[rule]]\n{rule}\n").replace("{}", &number.to_string());
        let users: Vec<String> = (0..1000).map(|number| format!("user{number}@bank")).collect();
        let rules: String = (0..1000).map(one).collect();
        let rules: AccessRules = format!("groups.all = {users:?}\n{rules}").parse()?;
        let file = AccessFile::from(rules);
        let question = Question {
            caller: &caller,
            adapter: "RootPOA",
            object: "/o999/balance",
            interface: "IDL:Bank/Account:1.0",
            operation,
            at: SystemTime::now(),
        };
        assert!(file.rules().decide(&question).allowed);
        let mut best = Duration::MAX;
        for _ in 0..ROUNDS {
            let begun = Instant::now();
            for _ in 0..10_000 {
                black_box(file.rules().decide(black_box(&question)));
            }
            best = best.min(begun.elapsed() / 10_000);
        }
        println!(
            "check against 1,000 rules, each for {what}: {} ns (at most 100)",
            best.as_nanos()
        );
    }
    Ok(())
}
