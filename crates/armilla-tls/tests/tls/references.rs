//! What references say about TLS, and that a client keeps to it.

use crate::certificates::{Authority, Identity};
use armilla::interceptor::{Interruption, ServerInterceptor, ServerRequestInfo};
use armilla::{ExceptionKind, Minor, Object, Orb};
use armilla_giop::ior::{Component, IiopProfile, SslSecTrans};
use armilla_tests::orbs::{self, Server};
use armilla_tests::probe::*;
use armilla_tls::{Tls, Verify};

fn server(tls: Tls, endpoints: &[&str]) -> Server {
    let builder = orbs::builder().transport(tls);
    let listen = |builder: armilla::OrbBuilder, at: &&str| builder.listen(at).unwrap();
    Server::of(endpoints.iter().fold(builder, listen).build().unwrap())
}

fn client(tls: Tls) -> Orb {
    orbs::builder().transport(tls).build().unwrap()
}

fn profiles(reference: &EverythingRef) -> Vec<IiopProfile> {
    reference.object().ior().iiop_profiles().map(Result::unwrap).collect()
}

fn tls_of(profile: &IiopProfile) -> Vec<SslSecTrans> {
    let components = profile.components.iter();
    components.filter_map(|tagged| SslSecTrans::from_tagged(tagged).unwrap()).collect()
}

/// The port for TLS in the reference of a server.
pub(crate) fn tls_port(server: &Server) -> u16 {
    profiles(&server.local).iter().flat_map(tls_of).next().unwrap().port
}

#[test]
fn a_port_for_tls_stands_in_the_profile_of_its_host_or_alone() {
    let authority = Authority::new("root");
    let tls = || authority.tls().certificate(authority.issue(&["127.0.0.1"]).pem());
    let alone = server(tls(), &["ssliop://127.0.0.1:0"]);
    let [only] = &profiles(&alone.local)[..] else { panic!("one profile") };
    let [component] = tls_of(only)[..] else { panic!("one component") };
    assert_eq!((only.port, &*only.host), (0, "127.0.0.1"));
    assert_ne!(component.port, 0);
    assert_eq!((component.target_supports.0, component.target_requires.0), (62, 6));

    let both =
        server(tls().verify(Verify::Required), &["ssliop://127.0.0.1:0", "iiop://127.0.0.1:0"]);
    let [only] = &profiles(&both.local)[..] else { panic!("one profile") };
    let [component] = tls_of(only)[..] else { panic!("one component") };
    assert!(only.port != 0 && component.port != 0 && only.port != component.port);
    assert_eq!((component.target_supports.0, component.target_requires.0), (126, 0));

    let apart = server(tls(), &["ssliop://127.0.0.1:0", "iiop://localhost:0"]);
    let [plain, protected] = &profiles(&apart.local)[..] else { panic!("two profiles") };
    assert!(plain.port != 0 && tls_of(plain).is_empty());
    assert!(protected.port == 0 && tls_of(protected).len() == 1);
}

#[test]
fn a_pinned_authority_counts_where_the_certificate_comes_from_it_and_nowhere_else() {
    let root = Authority::new("root");
    let middle = root.below("middle");
    let pinning = || root.tls().settings(|it| it.pins.push(middle.pin()));
    let through = middle.issue(&["127.0.0.1"]);
    let server_of = |identity: &Identity| {
        server(root.tls().certificate(identity.pem()), &["ssliop://127.0.0.1:0"])
    };
    server_of(&through).remote(&client(pinning())).ping().unwrap();
    // Of the root itself, with the certificate of the pinned authority beside it.
    let mut beside = root.issue(&["127.0.0.1"]);
    let end = through.certificate.find("-----END CERTIFICATE-----\n").unwrap() + 26;
    beside.certificate.push_str(&through.certificate[end..]);
    let beside = server_of(&beside);
    beside.remote(&client(root.tls())).ping().unwrap();
    let error = beside.remote(&client(pinning())).ping().unwrap_err();
    assert_eq!(error.minor(), Minor::TLS_CERTIFICATE_REFUSED);
    assert!(error.to_string().contains("is pinned"), "{error}");
}

#[test]
fn a_client_never_uses_the_plain_port_of_a_reference_with_tls() {
    let authority = Authority::new("root");
    let other = Authority::new("other");
    let tls = authority.tls().certificate(authority.issue(&["127.0.0.1"]).pem());
    let server = server(tls, &["iiop://127.0.0.1:0", "ssliop://127.0.0.1:0"]);
    server.remote(&client(authority.tls())).ping().unwrap();
    // It could reach the server by the other port, and does not.
    let error = server.remote(&client(other.tls())).ping().unwrap_err();
    assert_eq!(
        (error.kind(), error.minor()),
        (ExceptionKind::NoPermission, Minor::TLS_CERTIFICATE_REFUSED)
    );
    // An ORB without TLS has no choice, and may.
    server.remote(&orbs::client()).ping().unwrap();
}

/// A reference with the profiles of these, in their order.
fn joined(references: [&EverythingRef; 2], client: &Orb) -> EverythingRef {
    let mut ior = references[0].object().ior().clone();
    ior.profiles.extend(references[1].object().ior().profiles.clone());
    client.resolve(&ior.to_text().unwrap()).unwrap()
}

/// Two members of a group, say: what is asked of one over TLS is not asked of the other in clear.
#[test]
fn a_client_never_goes_on_to_a_plain_profile_of_a_reference_with_tls() {
    let authority = Authority::new("root");
    let identity = authority.issue(&["127.0.0.1"]);
    let tls = || authority.tls().certificate(identity.pem());
    let (protected, plain) = (server(tls(), &["ssliop://127.0.0.1:0"]), Server::start());
    let client = client(authority.tls());
    for references in [[&protected.local, &plain.local], [&plain.local, &protected.local]] {
        let both = joined(references, &client);
        both.set_name("over TLS").unwrap();
        assert_eq!(protected.local.name().as_deref(), Ok("over TLS"));
        protected.local.set_name("").unwrap();
    }
    protected.orb.shutdown();
    for references in [[&protected.local, &plain.local], [&plain.local, &protected.local]] {
        let error = joined(references, &client).ping().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Transient, "{error}");
    }
    // Whoever has no TLS has no choice.
    joined([&protected.local, &plain.local], &orbs::client()).ping().unwrap();
}

/// Sends clients elsewhere.
struct Forwards(Object);

impl ServerInterceptor for Forwards {
    fn receive_request(&self, _: &mut ServerRequestInfo) -> Result<(), Interruption> {
        Err(Interruption::Forward(self.0.clone()))
    }
}

#[test]
fn a_forward_never_leads_from_tls_to_a_plain_port() {
    let authority = Authority::new("root");
    let identity = authority.issue(&["127.0.0.1"]);
    let tls = || authority.tls().certificate(identity.pem());
    let forwarding = |to: &Server, tls: Option<Tls>, endpoint: &str| {
        let builder = tls.into_iter().fold(orbs::builder(), |builder, tls| builder.transport(tls));
        let forwards = Forwards(to.local.object().clone());
        let builder = builder.server_interceptor(forwards).listen(endpoint).unwrap();
        Server::of(builder.build().unwrap())
    };
    let (protected, plain) = (server(tls(), &["ssliop://127.0.0.1:0"]), Server::start());
    let client = client(authority.tls());

    let to_plain = forwarding(&plain, Some(tls()), "ssliop://127.0.0.1:0");
    let forwarded = to_plain.remote(&client);
    for _ in 0..2 {
        let error = forwarded.ping().unwrap_err();
        assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoPermission, Minor::TLS_NEEDED));
        assert!(error.to_string().contains("is forwarded to tcp://127.0.0.1:"), "{error}");
    }
    let reply = forwarded.ping_async();
    assert_eq!(reply.wait().unwrap_err().minor(), Minor::TLS_NEEDED);
    plain.remote(&client).ping().unwrap();

    // The other way is as good as a reference with TLS.
    let to_protected = forwarding(&protected, None, "iiop://127.0.0.1:0");
    to_protected.remote(&client).ping().unwrap();
    let over_tls = forwarding(&protected, Some(tls()), "ssliop://127.0.0.1:0");
    over_tls.remote(&client).ping().unwrap();
}

#[test]
fn a_client_that_requires_tls_makes_no_other_connection() {
    let authority = Authority::new("root");
    let server = Server::start();
    let client = client(authority.tls().required());
    let error = server.remote(&client).ping().unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoPermission, Minor::TLS_NEEDED));
    assert!(error.to_string().contains("-ORBTls required=1"), "{error}");
}

#[test]
fn a_client_that_requires_tls_and_is_called_back_listens_over_tls_alone() {
    let authority = Authority::new("root");
    let own = authority.issue(&["127.0.0.1"]);
    let caller = client(authority.tls().certificate(own.pem()).required());
    let (_, listener) = orbs::activate(&caller);
    assert!(caller.published_addresses().unwrap().is_empty(), "no plain port");
    for profile in profiles(&listener) {
        assert!(profile.port == 0 && tls_of(&profile).len() == 1, "{profile:?}");
    }
    // Without a certificate nobody could call it back.
    let error = client(authority.tls().required()).published_addresses().unwrap_err();
    assert_eq!(error.kind(), ExceptionKind::Initialize);
    assert!(error.to_string().contains("an endpoint over TLS needs a certificate"), "{error}");
}

#[test]
fn an_orb_without_tls_says_what_it_lacks() {
    let authority = Authority::new("root");
    let tls = authority.tls().certificate(authority.issue(&["127.0.0.1"]).pem());
    let server = server(tls, &["ssliop://127.0.0.1:0"]);
    let error = server.remote(&orbs::client()).ping().unwrap_err();
    assert_eq!((error.kind(), error.minor()), (ExceptionKind::NoPermission, Minor::TLS_NEEDED));
    assert!(error.to_string().contains("armilla-tls"), "{error}");
}

#[test]
fn a_corbaloc_url_leads_to_a_port_for_tls() {
    let authority = Authority::new("root");
    let tls = authority.tls().certificate(authority.issue(&["localhost"]).pem());
    let server = server(tls, &["ssliop://localhost:0"]);
    server.publish("Probe", server.local.object()).unwrap();
    let port = tls_of(&profiles(&server.local)[0])[0].port;
    let client = client(authority.tls());
    for url in [
        format!("corbaloc:ssliop:1.2@localhost:{port}/Probe"),
        format!("corbaloc:ssliop:localhost:{port}/Probe"),
    ] {
        let remote: EverythingRef = client.resolve(&url).unwrap();
        remote.ping().unwrap();
    }
}

#[test]
fn settings_come_from_the_command_line() {
    let authority = Authority::new("root");
    let directory = std::env::temp_dir().join(format!("armilla-tls-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let write = |name: &str, text: &str| {
        let path = directory.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let identity = authority.issue(&["127.0.0.1"]);
    let certificate = write("server.pem", &identity.certificate);
    let key = write("server.key", &identity.key);
    let roots = write("roots.pem", &authority.pem);
    let line = format!(
        "-ORBEndpoint ssliop://127.0.0.1:0 -ORBCertificate {certificate} -ORBKey {key} \
         -ORBRoots {roots} -ORBVerify required -ORBTls min=1.3,resume=0"
    );
    let arguments = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let builder = orbs::builder().transport(Tls::new());
    let server = Server::of(builder.arguments(arguments(&line)).unwrap().build().unwrap());
    let line = format!("-ORBRoots {roots} -ORBCertificate {certificate} -ORBKey {key}");
    let builder = orbs::builder().transport(Tls::new());
    let client = builder.arguments(arguments(&line)).unwrap().build().unwrap();
    server.remote(&client).ping().unwrap();

    for (line, expected) in [
        ("-ORBCertificate /nowhere/at/all.pem", "/nowhere/at/all.pem"),
        (&*format!("-ORBCertificate {certificate}"), "-ORBKey FILE"),
        (&*format!("-ORBCertificate {roots} -ORBKey {key}"), "cannot be used with"),
        (&*format!("-ORBRoots {key}"), "there is no certificate in it"),
        (&*format!("-ORBKey {key}"), "-ORBCertificate"),
    ] {
        let builder = orbs::builder().transport(Tls::new());
        let error = builder.arguments(arguments(line)).unwrap().build().unwrap_err();
        assert_eq!(error.kind(), ExceptionKind::Initialize, "{line}");
        assert!(error.to_string().contains(expected), "{line}: {error}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}
