//! Acting for others.

use crate::world::{Client, Server};
use armilla::ExceptionKind;
use armilla_security::{Authentication, ClientSecurity, Identity};

/// `CN=ann` as a distinguished name.
const ANN: &[u8] = b"\x30\x0e\x31\x0c\x30\x0a\x06\x03\x55\x04\x03\x0c\x03ann";

/// A certificate as far as its subject, which is that.
fn certificate() -> Vec<u8> {
    let signed = [&b"\x30\x19\x02\x01\x07\x30\x00\x30\x00\x30\x00"[..], ANN].concat();
    [&[0x30, signed.len() as u8][..], &signed].concat()
}

fn server() -> Server {
    Server::new(|builder| {
        builder
            .authentication(Authentication::Required)
            .may_assert("gateway@bank", "*@bank")
            .may_assert("gateway@bank", "dn:CN=*")
            .may_assert("gateway@bank", "anonymous")
    })
}

#[test]
fn who_may_acts_for_others_and_the_servant_sees_both() {
    let server = server();
    let security = ClientSecurity::builder().user("gateway".parse().unwrap(), "gate").build();
    let client = Client::with(&server, &security);
    for (identity, caller) in [
        (Identity::User("zoe@bank".parse().unwrap()), "zoe@bank"),
        (Identity::DistinguishedName(ANN.to_vec()), "dn:CN=ann"),
        (Identity::Certificates(vec![certificate(), certificate()]), "dn:CN=ann"),
        (Identity::Anonymous, "anonymous"),
    ] {
        let acting = security.acting_for(&identity).unwrap();
        assert_eq!(client.call(), Ok(1.0), "{caller}");
        drop(acting);
        let expected = format!("{caller} by assertion of gateway@bank by password");
        assert_eq!(server.callers(), [expected]);
    }
    assert_eq!(client.call(), Ok(1.0));
    assert_eq!(server.callers(), ["gateway@bank by password"], "for itself again");
}

#[test]
fn nobody_acts_for_whom_the_rules_do_not_name() {
    let server = server();
    for (user, password, identity) in [
        ("gateway", "gate", "zoe@elsewhere"),
        ("ann", "secret", "zoe@bank"),
        ("gateway", "wrong", "zoe@bank"),
    ] {
        let identity = Identity::User(identity.parse().unwrap());
        let security =
            ClientSecurity::builder().user(user.parse().unwrap(), password).asserting(identity);
        let refused = Client::with(&server, &security.build()).call().unwrap_err();
        assert_eq!(refused.kind(), ExceptionKind::NoPermission);
        assert!(refused.to_string().contains("CSIv2 error 1, 1"), "{refused}");
    }
    assert_eq!(server.callers(), [""; 0]);
}

#[test]
fn a_client_does_not_ask_a_server_that_takes_no_assertions() {
    let server = Server::new(|builder| builder);
    let security = ClientSecurity::builder()
        .user("ann".parse().unwrap(), "secret")
        .asserting(Identity::Anonymous);
    let refused = Client::with(&server, &security.build()).call().unwrap_err();
    assert!(refused.to_string().contains("takes no assertion"), "{refused}");
}
