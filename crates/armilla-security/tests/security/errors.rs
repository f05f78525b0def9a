//! What a server answers to what a client should not send: the exact numbers.

use crate::world::{Back, Client, Raw, Server, tells_nothing};
use armilla::{Completion, ExceptionKind, Ior, Orb};
use armilla_giop::csi::{
    EstablishContext, ExportedName, GSSUP_MECHANISM, GssupError, GssupToken, IdentityToken,
    SECURITY_ATTRIBUTES_CONTEXT, SasMessage,
};
use armilla_giop::{Message, ReplyStatus, ServiceContext, decode_reply};
use armilla_security::{Authentication, GuessLimits};
use armilla_tests::peer::{Wire, request_with_contexts};

fn token(user: &str, password: &str, target: &str) -> Vec<u8> {
    let name = ExportedName { mechanism: GSSUP_MECHANISM, name: target.as_bytes() }.to_octets();
    let target = if target.is_empty() { &[][..] } else { &name };
    let (user, password) = (user.as_bytes(), password.as_bytes());
    GssupToken { user, password, target }.to_octets().unwrap()
}

fn establish<'t>(context: u64, token: &'t [u8], identity: IdentityToken<'t>) -> SasMessage<'t> {
    let authorization = vec![];
    SasMessage::Establish(EstablishContext {
        context,
        authorization,
        identity,
        authentication: token,
    })
}

struct Case {
    server: Server,
    raw: Raw,
    client: Client,
}

fn case(assertions: bool) -> Case {
    let server = Server::new(|it| {
        let it = it.authentication(Authentication::Required);
        if assertions { it.may_assert("gateway@bank", "*@bank") } else { it }
    });
    let raw = Raw::default();
    let client = Client::of(&server, Orb::builder().client_interceptor(raw.clone()));
    Case { server, raw, client }
}

impl Case {
    /// Expects `NO_PERMISSION`, not executed, without a reason, with this error.
    fn refuses(&self, message: &SasMessage<'_>, numbers: (i32, i32)) -> Vec<u8> {
        let (result, back) = self.raw.say(&self.client, message);
        let refused = result.unwrap_err();
        assert_eq!(
            (refused.kind(), refused.completed()),
            (ExceptionKind::NoPermission, Completion::No)
        );
        assert!(tells_nothing(&refused), "{refused}");
        assert_eq!(self.server.callers(), [""; 0]);
        match back {
            Back::Error { major, minor, token, .. } => {
                assert_eq!((major, minor), numbers, "{message:?}");
                token
            }
            other => panic!("{message:?}: {other:?}"),
        }
    }

    fn accepts(&self, message: &SasMessage<'_>) -> Back {
        let (result, back) = self.raw.say(&self.client, message);
        assert_eq!(result, Ok(1.0), "{message:?}");
        self.server.callers();
        back
    }
}

#[test]
fn invalid_evidence_is_1_1() {
    let case = case(true);
    let say = |token: &[u8], identity| case.refuses(&establish(0, token, identity), (1, 1));
    let absent = IdentityToken::Absent;
    let unspecified = GssupError::Unspecified.to_octets();
    // An unknown user looks as a wrong password does.
    assert_eq!(say(&token("ann", "wrong", "bank"), absent), unspecified);
    assert_eq!(say(&token("bob", "secret", "bank"), absent), unspecified);
    assert_eq!(say(&token("", "secret", "bank"), absent), unspecified);
    let bad_target = GssupError::BadTarget.to_octets();
    assert_eq!(say(&token("ann", "secret", "elsewhere"), absent), bad_target);
    let gateway = token("gateway", "gate", "");
    assert!(say(&gateway, IdentityToken::PrincipalName(b"\x04\x01cut")).is_empty());
    assert!(say(&gateway, IdentityToken::Certificates(b"\x30\x05ab")).is_empty());
    assert!(say(&gateway, IdentityToken::DistinguishedName(b"\x30")).is_empty());
    let elsewhere = ExportedName { mechanism: GSSUP_MECHANISM, name: b"zoe@else" }.to_octets();
    assert!(say(&gateway, IdentityToken::PrincipalName(&elsewhere)).is_empty());
    // Without a proof nobody acts for others.
    let zoe = ExportedName { mechanism: GSSUP_MECHANISM, name: b"zoe@bank" }.to_octets();
    assert!(say(b"", IdentityToken::PrincipalName(&zoe)).is_empty());
}

#[test]
fn a_token_that_is_cut_is_never_accepted() {
    let case = case(false);
    let whole = token("ann", "secret", "bank");
    for end in 1..whole.len() {
        let message = establish(0, &whole[..end], IdentityToken::Absent);
        let (result, back) = case.raw.say(&case.client, &message);
        assert!(result.is_err() && matches!(back, Back::Error { .. }), "{end} octets");
    }
    assert_eq!(case.server.callers(), [""; 0]);
}

#[test]
fn invalid_mechanism_is_2_1() {
    let kerberos = b"\x60\x0d\x06\x09\x2a\x86\x48\x86\xf7\x12\x01\x02\x02ab";
    let with = case(true);
    with.refuses(&establish(0, kerberos, IdentityToken::Absent), (2, 1));
    with.refuses(&establish(0, b"", IdentityToken::Other(16, b"x")), (2, 1));
    let without = case(false);
    let (ann, name) = (token("ann", "secret", ""), b"\x04\x01");
    without.refuses(&establish(0, &ann, IdentityToken::PrincipalName(name)), (2, 1));
}

#[test]
fn conflicting_evidence_is_3_1() {
    let case = case(false);
    let (ann, gateway) = (token("ann", "secret", ""), token("gateway", "gate", ""));
    let complete = Back::Complete { context: 7, stateful: true };
    assert_eq!(case.accepts(&establish(7, &ann, IdentityToken::Absent)), complete);
    assert_eq!(case.accepts(&establish(7, &ann, IdentityToken::Absent)), complete);
    case.refuses(&establish(7, &gateway, IdentityToken::Absent), (3, 1));
    // The context is as it was.
    let in_context = SasMessage::InContext { context: 7, discard: false };
    assert_eq!(case.accepts(&in_context), Back::Nothing);
}

#[test]
fn no_context_is_4_1() {
    let case = case(false);
    let in_context = |context, discard| SasMessage::InContext { context, discard };
    case.refuses(&in_context(7, false), (4, 1));
    case.refuses(&in_context(0, false), (4, 1));
    let ann = token("ann", "secret", "");
    let stateless = Back::Complete { context: 0, stateful: false };
    assert_eq!(case.accepts(&establish(0, &ann, IdentityToken::Absent)), stateless);
    case.refuses(&in_context(0, false), (4, 1));
    case.accepts(&establish(7, &ann, IdentityToken::Absent));
    assert_eq!(case.accepts(&in_context(7, true)), Back::Nothing);
    case.refuses(&in_context(7, false), (4, 1));
    // Of another connection:
    case.accepts(&establish(8, &ann, IdentityToken::Absent));
    let other = Client::of(&case.server, Orb::builder().client_interceptor(case.raw.clone()));
    let (result, back) = case.raw.say(&other, &in_context(8, false));
    assert!(result.is_err());
    assert_eq!(back, Back::Error { context: 8, major: 4, minor: 1, token: vec![] });
}

#[test]
fn messages_of_a_server_and_octets_that_are_none_are_refused() {
    let case = case(false);
    let complete = SasMessage::Complete { context: 1, stateful: true, token: b"" };
    case.refuses(&complete, (1, 1));
    for octets in [&b"\0"[..], b"\0\0\0\x07", b"\x01\0\0\0\0"] {
        let (result, back) = case.raw.say_octets(&case.client, octets.to_vec());
        let refused = result.unwrap_err();
        assert_eq!((refused.kind(), back), (ExceptionKind::Marshal, Back::Nothing));
        assert_eq!(refused.completed(), Completion::No);
    }
    assert_eq!(case.server.callers(), [""; 0]);
}

/// A whole request for the account, with these security contexts.
fn request(server: &Server, contexts: &[&[u8]]) -> Vec<u8> {
    let ior: Ior = server.reference.parse().unwrap();
    let key = ior.iiop_profiles().next().unwrap().unwrap().object_key;
    let id = SECURITY_ATTRIBUTES_CONTEXT;
    let contexts: Vec<_> = contexts.iter().map(|data| ServiceContext { id, data }).collect();
    request_with_contexts(&key, "_get_balance", &contexts)
}

#[test]
fn a_request_with_two_security_contexts_is_refused() {
    let server = case(false).server;
    let said = |user: &str, password: &str| {
        let token = token(user, password, "");
        establish(0, &token, IdentityToken::Absent).to_data().unwrap()
    };
    let (ann, wrong) = (said("ann", "secret"), said("ann", "wrong"));
    let (host, port) = &server.orb.published_addresses().unwrap()[0];
    let mut wire = Wire::connect((host, *port));
    for (contexts, is_run) in
        [(&[&*ann][..], true), (&[&ann, &ann], false), (&[&ann, &wrong], false), (&[], false)]
    {
        wire.send(&request(&server, contexts));
        let reply = wire.message().unwrap();
        let message = Message::parse(&reply).unwrap().unwrap();
        let (header, _) = decode_reply(&message).unwrap();
        let back = header.contexts.iter().find(|it| it.id == SECURITY_ATTRIBUTES_CONTEXT);
        let numbers = back.and_then(|back| match SasMessage::decode_data(back.data).unwrap() {
            SasMessage::Error(error) => Some((error.major, error.minor)),
            _ => None,
        });
        assert_eq!(numbers, (contexts.len() == 2).then_some((1, 1)));
        assert_eq!(header.status == ReplyStatus::NoException, is_run);
        assert_eq!(server.callers().len(), usize::from(is_run));
    }
}

#[test]
fn no_flipped_bit_makes_a_client_somebody_else() {
    let limits = GuessLimits { per_host: u32::MAX, per_user: u32::MAX, ..GuessLimits::default() };
    let server = Server::new(|it| {
        let it = it.authentication(Authentication::Required).guesses(limits);
        it.stateful(false).may_assert("ann@bank", "zoe@bank")
    });
    let raw = Raw::default();
    let client = Client::of(&server, Orb::builder().client_interceptor(raw.clone()));
    let (ann, name) = (token("ann", "secret", "bank"), "zoe@bank".as_bytes());
    let zoe = ExportedName { mechanism: GSSUP_MECHANISM, name }.to_octets();
    let data = establish(0, &ann, IdentityToken::PrincipalName(&zoe)).to_data().unwrap();
    let mut accepted = 0;
    for bit in 0..data.len() * 8 {
        let mut data = data.clone();
        data[bit / 8] ^= 1 << (bit % 8);
        accepted += usize::from(raw.say_octets(&client, data).0.is_ok());
    }
    let callers = server.callers();
    assert_eq!(callers.len(), accepted);
    assert!(accepted > 0, "padding and the number of the context mean nothing here");
    let expected = "zoe@bank by assertion of ann@bank by password";
    assert!(callers.iter().all(|caller| caller == expected), "{callers:?}");
}
