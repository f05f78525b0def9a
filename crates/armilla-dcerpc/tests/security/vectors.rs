//! The worked example of MS-NLMP 4.2.4, as far as it shows on the wire.

use crate::protection::hex;
use armilla_dcerpc::security::ntlm::{
    Acceptor, AcceptorOptions, Authenticate, Challenge, Credentials, FileTime, Initiator, NtHash,
    Observer,
};
use armilla_dcerpc::security::{Message, SecurityContext, SecurityError};

const CLIENT_CHALLENGE: [u8; 8] = [0xaa; 8];
const SERVER_CHALLENGE: [u8; 8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef];
const SESSION_KEY: [u8; 16] = [0x55; 16];

/// The challenge of the example: names, and no time.
fn challenge() -> Vec<u8> {
    let target_info =
        hex("02000c0044006f006d00610069006e00 01000c00530065007200760065007200 00000000");
    let target = "Server".encode_utf16().flat_map(u16::to_le_bytes).collect();
    Challenge { flags: 0xe28a_8233, target, challenge: SERVER_CHALLENGE, target_info }.encode()
}

fn client() -> (Initiator, Authenticate) {
    let credentials = Credentials::new("Domain", "User", "Password").workstation("COMPUTER");
    let mut client = Initiator::new(credentials, CLIENT_CHALLENGE, SESSION_KEY, FileTime(0));
    client.step(&[]).unwrap();
    let progress = client.step(&challenge()).unwrap();
    assert!(progress.established);
    (client, Authenticate::decode(&progress.token.unwrap()).unwrap())
}

#[test]
fn the_hash_of_the_password() {
    assert_eq!(NtHash::of("Password").0[..], hex("a4f49c406510bdcab6824ee7c30fd852"));
}

#[test]
fn responses_and_session_key() {
    let (_, message) = client();
    assert_eq!(message.nt_response[..16], hex("68cd0ab851e51c96aabc927bebef6a1c"));
    let lm = hex("86c35097ac9cec102554764a57cccc19 aaaaaaaaaaaaaaaa");
    assert_eq!(message.lm_response, lm);
    assert_eq!(message.session_key, hex("c5dad2544fc9799094ce1ce90bc9d03e"));
    assert_eq!(message.user, hex("5500730065007200"));
}

/// The worked example of MS-NLMP 4.2.3: version 1 with a challenge of the client.
#[test]
fn version_1_is_taken_if_it_is_allowed() {
    let response = hex("7537f803ae367128ca458204bde7caf81e97ed2683267232");
    let end = |options: AcceptorOptions, password: &'static str| {
        let known = move |_: &str, _: &str| Some(NtHash::of(password));
        let mut server = Acceptor::new(options, known, SERVER_CHALLENGE, FileTime(0));
        let (_, message) = client();
        let mut begin = Initiator::new(
            Credentials::new("Domain", "User", "Password"),
            CLIENT_CHALLENGE,
            SESSION_KEY,
            FileTime(0),
        );
        server.step(&begin.step(&[]).unwrap().token.unwrap()).unwrap();
        let lm_response = [&CLIENT_CHALLENGE[..], &[0; 16]].concat();
        let message = Authenticate { nt_response: response.clone(), lm_response, ..message };
        server.step(&message.encode()).map(|progress| progress.established)
    };
    let allowed = || AcceptorOptions { allow_version_1: true, ..AcceptorOptions::new("Server") };
    assert_eq!(end(allowed(), "Password"), Ok(true));
    assert_eq!(end(allowed(), "password"), Err(SecurityError::Denied));
    assert_eq!(end(AcceptorOptions::new("Server"), "Password"), Err(SecurityError::NtlmV1));
}

#[test]
fn a_sealed_message() {
    let (mut client, _) = client();
    let mut text: Vec<u8> = "Plaintext".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let stub = 0..text.len();
    let message = Message { pdu: &mut text, stub, privacy: true, header_signing: false };
    let signature = client.protect(message).unwrap();
    assert_eq!(text, hex("54e50165bf1936dc996020c1811b0f06fb5f"));
    assert_eq!(signature, hex("01000000 7fb38ec5c55d4976 00000000"));
}

#[test]
fn a_client_answers_a_time_with_a_mic() {
    let known = |_: &str, _: &str| Some(NtHash::of("Password"));
    let mut server =
        Acceptor::new(AcceptorOptions::new("SERVER"), known, SERVER_CHALLENGE, FileTime(1 << 60));
    let credentials = Credentials::new("Domain", "User", "Password");
    let mut client = Initiator::new(credentials, CLIENT_CHALLENGE, SESSION_KEY, FileTime(0));
    let negotiate = client.step(&[]).unwrap().token.unwrap();
    let challenge = server.step(&negotiate).unwrap().token.unwrap();
    let token = client.step(&challenge).unwrap().token.unwrap();
    let message = Authenticate::decode(&token).unwrap();
    assert!(message.mic.is_some_and(|mic| mic != [0; 16]));
    assert_eq!(message.lm_response, [0; 24]);
    assert_eq!(message.nt_response[24..32], (1u64 << 60).to_le_bytes());
    server.step(&token).unwrap();
}

#[test]
fn who_knows_the_password_reads_both_ways() {
    let known = |_: &str, _: &str| Some(NtHash::of("Password"));
    let mut server =
        Acceptor::new(AcceptorOptions::new("SERVER"), known, SERVER_CHALLENGE, FileTime(1 << 60));
    let credentials = Credentials::new("Domain", "User", "Password");
    let mut client = Initiator::new(credentials, CLIENT_CHALLENGE, SESSION_KEY, FileTime(0));
    let negotiate = client.step(&[]).unwrap().token.unwrap();
    let challenge = server.step(&negotiate).unwrap().token.unwrap();
    let token = client.step(&challenge).unwrap().token.unwrap();
    server.step(&token).unwrap();
    let wrong = Observer::new(NtHash::of("password"), &challenge, &token);
    assert!(matches!(wrong, Err(SecurityError::Denied)));
    let mut observer = Observer::new(NtHash::of("Password"), &challenge, &token).unwrap();
    fn message(pdu: &mut [u8]) -> Message<'_> {
        Message { pdu, stub: 0..4, privacy: true, header_signing: true }
    }
    for _ in 0..2 {
        let mut pdu = *b"ask me";
        let signature = client.protect(message(&mut pdu)).unwrap();
        observer.open_request(message(&mut pdu), &signature).unwrap();
        assert_eq!(pdu, *b"ask me");
        let mut pdu = *b"answer";
        let signature = server.protect(message(&mut pdu)).unwrap();
        observer.open_response(message(&mut pdu), &signature).unwrap();
        assert_eq!(pdu, *b"answer");
    }
}
