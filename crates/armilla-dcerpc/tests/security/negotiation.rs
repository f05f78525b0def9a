//! SPNEGO: which mechanism, and that nobody shortens the list.

use crate::handshake::{client, server};
use armilla_dcerpc::security::spnego::{
    Acceptor, Initiator, NegState, NegTokenInit, NegTokenResponse, Token,
};
use armilla_dcerpc::security::{Message, Principal, Progress, SecurityContext, SecurityError};

/// A mechanism that only has a name, as Kerberos for a client without a ticket.
#[derive(Debug)]
struct Named(&'static [u8]);

impl SecurityContext for Named {
    fn service(&self) -> u8 {
        16
    }
    fn mechanism(&self) -> &'static [u8] {
        self.0
    }
    fn step(&mut self, _: &[u8]) -> Result<Progress, SecurityError> {
        Ok(Progress { token: Some(b"optimistic".to_vec()), established: false })
    }
    fn principal(&self) -> Option<&Principal> {
        None
    }
    fn signature_length(&self) -> usize {
        0
    }
    fn protect(&mut self, _: Message<'_>) -> Result<Vec<u8>, SecurityError> {
        Err(SecurityError::NotEstablished)
    }
    fn unprotect(&mut self, _: Message<'_>, _: &[u8]) -> Result<(), SecurityError> {
        Err(SecurityError::NotEstablished)
    }
    fn sign_mechanisms(&mut self, _: &[u8]) -> Result<Vec<u8>, SecurityError> {
        Err(SecurityError::NotEstablished)
    }
    fn verify_mechanisms(&mut self, _: &[u8], _: &[u8]) -> Result<(), SecurityError> {
        Err(SecurityError::NotEstablished)
    }
}

const KERBEROS: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x12, 1, 2, 2];

fn acceptor() -> Acceptor {
    Acceptor::new(vec![Box::new(server())])
}

fn ntlm() -> Box<dyn SecurityContext> {
    Box::new(client("operator", "secret"))
}

/// Passes tokens on, each through `change`, until both are established.
fn negotiate(
    client: &mut Initiator,
    server: &mut Acceptor,
    mut change: impl FnMut(usize, Vec<u8>) -> Vec<u8>,
) -> Result<usize, SecurityError> {
    let mut token = client.step(&[])?.token.unwrap();
    for leg in 0..10 {
        let answer = server.step(&change(2 * leg, token))?;
        let progress = client.step(&change(2 * leg + 1, answer.token.unwrap()))?;
        if progress.established {
            assert!(answer.established);
            return Ok(leg + 1);
        }
        token = progress.token.unwrap();
    }
    panic!("they do not end");
}

#[test]
fn the_first_mechanism_needs_no_further_leg() {
    let (mut client, mut server) = (Initiator::new(vec![ntlm()]), acceptor());
    assert_eq!(negotiate(&mut client, &mut server, |_, token| token), Ok(2));
    assert_eq!(server.principal().unwrap().user, "operator");
    protects(&mut client, &mut server);
}

#[test]
fn another_mechanism_than_the_first_is_taken() {
    let mut client = Initiator::new(vec![Box::new(Named(KERBEROS)), ntlm()]);
    let mut server = acceptor();
    assert_eq!(negotiate(&mut client, &mut server, |_, token| token), Ok(3));
    protects(&mut client, &mut server);
}

/// Calls are protected both ways after the lists were signed.
fn protects(client: &mut Initiator, server: &mut Acceptor) {
    for _ in 0..3 {
        exchange(client, server);
        exchange(server, client);
    }
}

fn message(pdu: &mut [u8]) -> Message<'_> {
    Message { pdu, stub: 5..9, privacy: true, header_signing: true }
}

fn exchange(sender: &mut dyn SecurityContext, receiver: &mut dyn SecurityContext) {
    let mut pdu = b"head stub trailer".to_vec();
    let signature = sender.protect(message(&mut pdu)).unwrap();
    assert_ne!(pdu, b"head stub trailer");
    receiver.unprotect(message(&mut pdu), &signature).unwrap();
    assert_eq!(pdu, b"head stub trailer");
}

#[test]
fn nobody_can_shorten_the_list() {
    let mut client = Initiator::new(vec![Box::new(Named(KERBEROS)), ntlm()]);
    let end = negotiate(&mut client, &mut acceptor(), |leg, token| match leg {
        0 => {
            let Token::Init(init) = Token::decode(&token).unwrap() else { panic!() };
            let rest = init.mechanisms[1..].to_vec();
            Token::Init(NegTokenInit::new(rest, None)).encode()
        }
        _ => token,
    });
    assert_eq!(end, Err(SecurityError::WrongMic));
}

#[test]
fn nobody_can_remove_the_signature_of_the_list() {
    let without = |token: Vec<u8>| match Token::decode(&token).unwrap() {
        Token::Response(response) => {
            Token::Response(NegTokenResponse { mic: None, ..response }).encode()
        }
        init => init.encode(),
    };
    let (mut client, mut server) = (Initiator::new(vec![ntlm()]), acceptor());
    let end = negotiate(&mut client, &mut server, |_, token| without(token));
    assert!(end.is_err());
    assert!(server.principal().is_some(), "the mechanism itself was content");
    let mut pdu = [0; 8];
    let message = Message { pdu: &mut pdu, stub: 0..0, privacy: false, header_signing: true };
    assert_eq!(server.protect(message), Err(SecurityError::NotEstablished));
}

#[test]
fn without_a_common_mechanism_there_is_no_context() {
    let mut client = Initiator::new(vec![Box::new(Named(KERBEROS))]);
    let end = negotiate(&mut client, &mut acceptor(), |_, token| token);
    assert_eq!(end, Err(SecurityError::NoMechanism));
}

#[test]
fn tokens_come_back_from_their_octets() {
    let tokens = [
        Token::Init(NegTokenInit::new(vec![KERBEROS.to_vec()], Some(vec![7; 300]))),
        Token::Init(NegTokenInit::new(vec![], None)),
        Token::Response(NegTokenResponse {
            state: Some(NegState::RequestMic),
            mechanism: Some(KERBEROS.to_vec()),
            token: Some(vec![1; 200]),
            mic: Some(vec![2; 16]),
        }),
        Token::Response(NegTokenResponse::default()),
    ];
    for token in tokens {
        let octets = token.encode();
        assert_eq!(Token::decode(&octets).unwrap(), token);
        for end in 0..octets.len() {
            assert!(Token::decode(&octets[..end]).is_err());
        }
    }
    #[rustfmt::skip]
    let response = [0xa1, 7, 0x30, 5, 0xa0, 3, 0x0a, 1, 1];
    let incomplete = NegTokenResponse { state: Some(NegState::Incomplete), ..Default::default() };
    assert_eq!(Token::Response(incomplete).encode(), response);
}
