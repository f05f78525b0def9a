//! Clients over TLS.

use crate::world::{Client, Server, tells_nothing};
use armilla::{AcceptBidirectional, Error, ExceptionKind, Orb, SystemException};
use armilla_giop::ior::{
    Component, CompoundSecMech, CsiSecMechList, IiopProfile, Ior, SslSecTrans, TlsSecTrans,
};
use armilla_security::{AccessRules, Authentication, ClientSecurity};
use armilla_tls::{Authority, Issued, Pem, Tls, Verify};
use bank::bank::account::WithdrawRaises;
use bank::bank::{Account, AccountRef};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(86_400);

fn text(pem: &str) -> Pem {
    Pem::Text(pem.into())
}

/// What one end has: its certificate, if it has one, and the authority that it believes.
fn tls(authority: &Authority, own: Option<&Issued>) -> Tls {
    let tls = Tls::new().roots(text(&authority.own().certificate)).verify(Verify::Peer);
    match own {
        Some(own) => tls.certificate(text(&own.certificate)).key(text(&own.key)),
        None => tls,
    }
}

#[test]
fn a_client_is_known_by_its_certificate_and_needs_no_password() {
    let authority = Authority::new("authority", DAY).unwrap();
    let issue = |name: &str| authority.issue(name, &["127.0.0.1"], DAY).unwrap();
    let server = Orb::builder().transport(tls(&authority, Some(&issue("server"))));
    let rules: AccessRules = "[[rule]]\nallow = [\"dn:CN=gateway*\", \"ann@bank\"]\n\
                              [[assertion]]\nby = \"dn:CN=gateway*\"\nfor = \"ann@bank\"\n"
        .parse()
        .unwrap();
    let server = Server::of(server.listen("ssliop://127.0.0.1:0").unwrap(), |it| {
        it.authentication(Authentication::Required).access(rules)
    });
    let client = |own: Option<&Issued>| Orb::builder().transport(tls(&authority, own));
    let gateway = issue("gateway");
    assert_eq!(Client::of(&server, client(Some(&gateway))).call(), Ok(1.0));
    assert_eq!(server.callers(), ["dn:CN=gateway by certificate"]);

    // It may act for others. Who has a password needs no certificate.
    let ann = armilla_security::Identity::User("ann@bank".parse().unwrap());
    let acting = ClientSecurity::builder().asserting(ann).build();
    let acting = Client::of(&server, client(Some(&gateway)).initializer(acting));
    assert_eq!(acting.call(), Ok(1.0));
    assert_eq!(server.callers(), ["ann@bank by assertion of dn:CN=gateway by certificate"]);
    let ann = ClientSecurity::builder().user("ann".parse().unwrap(), "secret").build();
    assert_eq!(Client::of(&server, client(None).initializer(ann)).call(), Ok(1.0));
    assert_eq!(server.callers(), ["ann@bank by password"]);

    // Others have a certificate and no rule, or no certificate.
    for own in [Some(issue("eve")), None] {
        let refused = Client::of(&server, client(own.as_ref())).account.balance().unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::NoPermission);
        assert!(tells_nothing(&refused), "{refused}");
    }
    assert_eq!(server.callers(), [""; 0]);
}

/// Calls the account that it was told back.
struct CallsBack {
    orb: Orb,
    account: Mutex<String>,
}

impl Account for CallsBack {
    fn balance(&self) -> Result<f64, SystemException> {
        let account: AccountRef = self.orb.resolve(&self.account.lock().unwrap())?;
        account.balance()
    }

    fn deposit(&self, _: f64) -> Result<(), SystemException> {
        Ok(())
    }

    fn withdraw(&self, _: f64) -> Result<(), Error<WithdrawRaises>> {
        Ok(())
    }
}

/// Over the connection that the client has made, the server is the caller.
#[test]
fn rules_of_a_client_that_is_called_back_know_the_server_by_its_certificate() {
    let authority = Authority::new("authority", DAY).unwrap();
    let issue = |name: &str| authority.issue(name, &["127.0.0.1"], DAY).unwrap();
    let orb = Orb::builder()
        .transport(tls(&authority, Some(&issue("server"))))
        .settings(|settings| settings.accept_bidirectional = AcceptBidirectional::Checked)
        .listen("ssliop://127.0.0.1:0")
        .unwrap()
        .build()
        .unwrap();
    let back = Arc::new(CallsBack { orb: orb.clone(), account: Mutex::default() });
    let servant: Arc<dyn Account> = back.clone();
    let servant: AccountRef = orb.root_poa().activate(servant).unwrap();
    let reference = orb.object_to_string(&servant).unwrap();

    for (who, may) in [("dn:CN=server", true), ("dn:CN=client", false), ("anonymous", false)] {
        let rules: AccessRules = format!("[[rule]]\nallow = \"{who}\"\n").parse().unwrap();
        // Nobody listens at the port that its references carry.
        let client = Orb::builder()
            .transport(tls(&authority, Some(&issue("client"))))
            .settings(|settings| settings.offer_bidirectional = true)
            .listen("ssliop://127.0.0.1:0?publish=127.0.0.1:9")
            .unwrap();
        let client = Server::of(client, |it| it.access(rules));
        let poa = client.orb.root_poa().create_poa("both ways").bidirectional().build().unwrap();
        *back.account.lock().unwrap() = client.account_in(&poa);
        let remote: AccountRef = client.orb.resolve(&reference).unwrap();
        let called = remote.balance();
        match may {
            true => {
                assert_eq!(called, Ok(1.0));
                assert_eq!(client.callers(), ["dn:CN=server by certificate"]);
            }
            false => {
                assert_eq!(called.unwrap_err().kind(), ExceptionKind::NoPermission, "{who}");
                assert_eq!(client.callers(), [""; 0]);
            }
        }
    }
    orb.shutdown();
}

/// The profiles of a reference.
fn profiles(reference: &str) -> (Ior, Vec<IiopProfile>) {
    let ior: Ior = reference.parse().unwrap();
    let profiles = ior.iiop_profiles().map(Result::unwrap).collect();
    (ior, profiles)
}

fn found<C: Component>(profile: &IiopProfile) -> Option<C> {
    profile.components.iter().find_map(|component| C::from_tagged(component).unwrap())
}

#[test]
fn references_say_which_mechanisms_need_tls_and_where() {
    let authority = Authority::new("authority", DAY).unwrap();
    let own = authority.issue("server", &["127.0.0.1"], DAY).unwrap();
    let server = |endpoints: &[&str], verify| {
        let orb = Orb::builder().transport(tls(&authority, Some(&own)).verify(verify));
        let listen = |orb: armilla::OrbBuilder, at: &&str| orb.listen(at).unwrap();
        let orb = endpoints.iter().fold(orb, listen);
        Server::of(orb, |it| it.authentication(Authentication::Required))
    };
    let (plain, over_tls) = ("iiop://127.0.0.1:0", "ssliop://127.0.0.1:0");
    for (endpoints, verify, expected) in [
        // For each mechanism: its transport, what that requires, the password, all of it.
        (&[plain][..], Verify::Peer, &[(34, 0, 64, 64)][..]),
        (&[over_tls], Verify::Peer, &[(36, 6, 64, 70)]),
        (&[plain, over_tls], Verify::Peer, &[(36, 6, 64, 70), (34, 0, 64, 64)]),
        // A certificate is proof enough.
        (&[over_tls], Verify::Required, &[(36, 70, 0, 70)]),
    ] {
        let server = server(endpoints, verify);
        let (_, profiles) = profiles(&server.reference);
        let [profile] = &profiles[..] else { panic!("{profiles:?}") };
        let list: CsiSecMechList = found(profile).unwrap();
        let seen = list.mechanisms.iter().map(|it| {
            let [_, requires] = it.transport_options().unwrap();
            let layer = it.authentication.target_requires;
            (it.transport.id, requires.0, layer.0, it.target_requires.0)
        });
        assert_eq!(seen.collect::<Vec<_>>(), expected, "{endpoints:?}");
        // The ports are those of the component that others read.
        if let Some(ssl) = found::<SslSecTrans>(profile) {
            let inside = TlsSecTrans::from_tagged(&list.mechanisms[0].transport).unwrap().unwrap();
            assert_eq!(inside.target_supports, ssl.target_supports);
            let at = (&*inside.addresses[0].host, inside.addresses[0].port);
            assert_eq!((at, inside.addresses.len()), (("127.0.0.1", ssl.port), 1));
        }
        server.orb.shutdown();
    }
}

#[test]
fn no_client_uses_a_plain_port_where_every_mechanism_requires_tls() {
    let authority = Authority::new("authority", DAY).unwrap();
    let own = authority.issue("server", &["127.0.0.1"], DAY).unwrap();
    let orb = Orb::builder().transport(tls(&authority, Some(&own)));
    let orb = orb.listen("iiop://127.0.0.1:0").unwrap().listen("ssliop://127.0.0.1:0").unwrap();
    let server = Server::of(orb, |it| it);
    // As GlassFish and Open Liberty publish it: TLS stands in the mechanism alone, and the port of
    // the profile is there.
    let (mut ior, mut profiles) = profiles(&server.reference);
    let list: CsiSecMechList = found(&profiles[0]).unwrap();
    let only = |mechanism: &CompoundSecMech| {
        CsiSecMechList { stateful: false, mechanisms: vec![mechanism.clone()] }.to_tagged().unwrap()
    };
    let profile = &mut profiles[0];
    profile.components.retain(|it| it.id != SslSecTrans::ID && it.id != CsiSecMechList::ID);
    profile.components.push(only(&list.mechanisms[0]));
    assert_ne!(profile.port, 0);
    ior.profiles = vec![profile.to_tagged().unwrap()];
    let reference = ior.to_text().unwrap();

    let ann = ClientSecurity::builder().user("ann".parse().unwrap(), "secret").build();
    let over_tls = Orb::builder().transport(tls(&authority, None)).initializer(ann.clone());
    assert_eq!(Client::to(&reference, over_tls).call(), Ok(1.0));
    assert_eq!(server.callers(), ["ann@bank by password"]);
    let local = |orb: armilla::OrbBuilder| orb.settings(|it| it.local_endpoints = false);
    for orb in [
        Orb::builder(),
        Orb::builder()
            .initializer(ClientSecurity::builder().user("ann".parse().unwrap(), "secret").build()),
    ] {
        let refused = Client::to(&reference, local(orb)).call().unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::NoPermission);
        assert!(refused.to_string().contains("TLS"), "{refused}");
    }
    assert_eq!(server.callers(), [""; 0]);
}
