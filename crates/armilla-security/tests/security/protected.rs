//! Clients over TLS.

use crate::world::{Client, Server, tells_nothing};
use armilla::{ExceptionKind, Orb};
use armilla_security::{AccessRules, Authentication, ClientSecurity};
use armilla_tls::{Authority, Issued, Pem, Tls, Verify};
use bank::bank::Account;
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
