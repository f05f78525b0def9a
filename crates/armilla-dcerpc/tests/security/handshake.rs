//! NTLM's handshake, and what a server refuses in it.

use armilla_dcerpc::security::ntlm::{
    Acceptor, AcceptorOptions, Authenticate, Credentials, FileTime, Initiator, Negotiate, NtHash,
};
use armilla_dcerpc::security::{SecurityContext, SecurityError};

pub(crate) fn client(user: &str, password: &str) -> Initiator {
    let credentials = Credentials::new("plant", user, password).target("RPCSS/192.0.2.1");
    Initiator::new(credentials, [1; 8], [2; 16], FileTime(1 << 56))
}

pub(crate) fn server_with(options: AcceptorOptions) -> Acceptor {
    let known =
        |user: &str, _: &str| user.eq_ignore_ascii_case("operator").then(|| NtHash::of("secret"));
    Acceptor::new(options, known, [3; 8], FileTime(1 << 57))
}

pub(crate) fn server() -> Acceptor {
    server_with(AcceptorOptions::new("SERVER"))
}

/// The three messages.
fn messages(client: &mut Initiator, server: &mut Acceptor) -> [Vec<u8>; 3] {
    let negotiate = client.step(&[]).unwrap().token.unwrap();
    let challenge = server.step(&negotiate).unwrap().token.unwrap();
    let authenticate = client.step(&challenge).unwrap().token.unwrap();
    [negotiate, challenge, authenticate]
}

fn outcome(user: &str, password: &str) -> Result<bool, SecurityError> {
    let (mut client, mut server) = (client(user, password), server());
    let [_, _, last] = messages(&mut client, &mut server);
    server.step(&last).map(|progress| progress.established)
}

#[test]
fn who_knows_the_password_comes_in() {
    assert_eq!(outcome("Operator", "secret"), Ok(true));
    assert_eq!(outcome("operator", "Secret"), Err(SecurityError::Denied));
    assert_eq!(outcome("nobody", "secret"), Err(SecurityError::Denied));
}

#[test]
fn the_server_learns_who_it_is() {
    let (mut client, mut server) = (client("operator", "secret"), server());
    let [_, _, last] = messages(&mut client, &mut server);
    assert_eq!(server.principal(), None);
    server.step(&last).unwrap();
    assert_eq!(server.principal().unwrap().to_string(), "plant\\operator");
}

#[test]
fn nobody_can_change_a_message_of_the_handshake() {
    let count =
        messages(&mut client("operator", "secret"), &mut server()).map(|octets| octets.len());
    for (which, length) in count.into_iter().enumerate() {
        for bit in 0..length * 8 {
            let (mut client, mut server) = (client("operator", "secret"), server());
            let flip = |mut octets: Vec<u8>, message| {
                if message == which {
                    octets[bit / 8] ^= 1 << (bit % 8);
                }
                octets
            };
            let end = client
                .step(&[])
                .and_then(|sent| server.step(&flip(sent.token.unwrap(), 0)))
                .and_then(|sent| client.step(&flip(sent.token.unwrap(), 1)))
                .and_then(|sent| server.step(&flip(sent.token.unwrap(), 2)));
            // The names of the version and how much space a field has carry no meaning, but all is
            // signed.
            assert!(end.is_err(), "bit {bit} of message {which}");
        }
    }
}

#[test]
fn a_peer_without_what_protects_is_refused() {
    let (mut client, mut server) = (client("operator", "secret"), server());
    let octets = client.step(&[]).unwrap().token.unwrap();
    let mut first = Negotiate::decode(&octets).unwrap();
    first.flags &= !0x8_0000;
    let missing = SecurityError::Missing("extended session security");
    assert_eq!(server.step(&first.encode()), Err(missing));
    assert_eq!(server.step(&octets), Err(SecurityError::Unexpected));
}

fn changed(
    options: AcceptorOptions,
    change: impl FnOnce(&mut Authenticate),
) -> Result<bool, SecurityError> {
    let (mut client, mut server) = (client("operator", "secret"), server_with(options));
    let [_, _, last] = messages(&mut client, &mut server);
    let mut message = Authenticate::decode(&last).unwrap();
    change(&mut message);
    server.step(&message.encode()).map(|progress| progress.established)
}

#[test]
fn ntlm_version_1_is_refused() {
    let end = changed(AcceptorOptions::new("S"), |message| message.nt_response.truncate(24));
    assert_eq!(end, Err(SecurityError::NtlmV1));
}

#[test]
fn a_client_without_a_name_is_refused_unless_it_is_allowed() {
    let anonymous = |message: &mut Authenticate| {
        *message = Authenticate { flags: message.flags | 0x800, ..Authenticate::default() };
        message.session_key = vec![0; 16];
    };
    let mut options = AcceptorOptions::new("S");
    assert_eq!(changed(options.clone(), anonymous), Err(SecurityError::Anonymous));
    options.allow_anonymous = true;
    assert_eq!(changed(options, anonymous), Ok(true));
    let named = |message: &mut Authenticate| message.nt_response.clear();
    assert_eq!(changed(AcceptorOptions::new("S"), named), Err(SecurityError::Denied));
}

#[test]
fn what_is_cut_short_is_malformed() {
    let [negotiate, challenge, last] = messages(&mut client("operator", "secret"), &mut server());
    for end in 0..negotiate.len() {
        let _ = server().step(&negotiate[..end]);
    }
    for end in 0..challenge.len() {
        let mut client = client("operator", "secret");
        client.step(&[]).unwrap();
        let _ = client.step(&challenge[..end]);
    }
    for end in 0..last.len() {
        let mut server = server();
        server.step(&negotiate).unwrap();
        assert!(server.step(&last[..end]).is_err());
    }
}
