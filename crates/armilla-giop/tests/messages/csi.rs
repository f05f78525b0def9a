//! The messages of CSIv2, to the octet, in both byte orders.

use armilla_giop::csi::{
    ContextError, ContextErrorKind, EstablishContext, ExportedName, GSSUP_MECHANISM, GssupToken,
    IdentityToken, IdentityTypes, SasMessage,
};

/// A context of GSSUP as JacORB writes it, big-endian, without its token.
const ESTABLISH: &[u8] =
    b"\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\x02ab";

#[test]
fn a_client_establishes_a_context() {
    let message = SasMessage::Establish(EstablishContext {
        context: 5,
        authorization: vec![],
        identity: IdentityToken::Absent,
        authentication: b"ab",
    });
    assert_eq!(SasMessage::decode_data(ESTABLISH).as_ref(), Ok(&message));
    let little = b"\x01\0\0\0\0\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0ab";
    assert_eq!(SasMessage::decode_data(little).as_ref(), Ok(&message));
    every_beginning_is_an_error(ESTABLISH);
    every_beginning_is_an_error(&message.to_data().unwrap());
}

#[test]
fn a_server_answers() {
    let complete = b"\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\x05\x01\0\0\0\0\0\0\0";
    let message = SasMessage::Complete { context: 5, stateful: true, token: b"" };
    assert_eq!(SasMessage::decode_data(complete), Ok(message));
    every_beginning_is_an_error(complete);
    let error = b"\0\0\0\x04\0\0\0\0\0\0\0\0\0\0\0\x05\0\0\0\x01\0\0\0\x01\0\0\0\x01x";
    let (major, minor) = ContextErrorKind::InvalidEvidence.numbers();
    let message = SasMessage::Error(ContextError { context: 5, major, minor, token: b"x" });
    assert_eq!(SasMessage::decode_data(error), Ok(message));
    every_beginning_is_an_error(error);
}

#[test]
fn a_client_refers_to_a_context() {
    let in_context = b"\0\0\0\x05\0\0\0\0\0\0\0\0\0\0\0\x05\x01";
    let message = SasMessage::InContext { context: 5, discard: true };
    assert_eq!(SasMessage::decode_data(in_context), Ok(message));
    every_beginning_is_an_error(in_context);
    assert!(SasMessage::decode_data(b"\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\x05\x01").is_err());
}

#[test]
fn identities_are_read_as_they_are_and_in_an_encapsulation() {
    let name = ExportedName { mechanism: GSSUP_MECHANISM, name: b"ann" }.to_octets();
    let der = b"\x30\x00";
    for (token, octets) in [
        (IdentityToken::PrincipalName(&name), &name[..]),
        (IdentityToken::Certificates(der), der),
        (IdentityToken::DistinguishedName(der), der),
    ] {
        let wrapped = IdentityToken::wrap(octets).unwrap();
        let written = match token {
            IdentityToken::PrincipalName(_) => IdentityToken::PrincipalName(&wrapped),
            IdentityToken::Certificates(_) => IdentityToken::Certificates(&wrapped),
            _ => IdentityToken::DistinguishedName(&wrapped),
        };
        for identity in [token, written] {
            assert_eq!(read_back(identity), token.kind(), "{identity:?}");
        }
        let establish = message(written).to_data().unwrap();
        let SasMessage::Establish(read) = SasMessage::decode_data(&establish).unwrap() else {
            panic!("another message");
        };
        assert_eq!(read.identity, token);
    }
    assert_eq!(read_back(IdentityToken::Anonymous), IdentityTypes::ANONYMOUS);
    assert_eq!(read_back(IdentityToken::Other(16, b"x")), IdentityTypes(16));
}

#[test]
fn lists_and_tokens_have_limits() {
    let many = EstablishContext {
        context: 0,
        authorization: vec![(1, &b""[..]); 65],
        identity: IdentityToken::Absent,
        authentication: b"",
    };
    assert!(SasMessage::decode_data(&SasMessage::Establish(many).to_data().unwrap()).is_err());
    let long = vec![0; armilla_giop::csi::MAX_TOKEN + 1];
    let data = message(IdentityToken::Other(16, &long)).to_data().unwrap();
    assert!(SasMessage::decode_data(&data).is_err());
    let password = vec![b'x'; armilla_giop::csi::MAX_PASSWORD + 1];
    let token = GssupToken { user: b"ann", password: &password, target: b"" };
    assert!(GssupToken::parse(&token.to_octets().unwrap()).is_err());
}

fn message(identity: IdentityToken<'_>) -> SasMessage<'_> {
    let (context, authorization, authentication) = (0, vec![], &b""[..]);
    SasMessage::Establish(EstablishContext { context, authorization, identity, authentication })
}

/// The kind of the identity that is read where this one was written.
fn read_back(identity: IdentityToken<'_>) -> IdentityTypes {
    let data = message(identity).to_data().unwrap();
    match SasMessage::decode_data(&data) {
        Ok(SasMessage::Establish(read)) => read.identity.kind(),
        other => panic!("{other:?}"),
    }
}

fn every_beginning_is_an_error(data: &[u8]) {
    for end in 0..data.len() {
        assert!(SasMessage::decode_data(&data[..end]).is_err(), "{end} octets");
    }
}
