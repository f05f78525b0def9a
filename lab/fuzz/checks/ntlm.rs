//! Messages of NTLM, as either side receives them.

use armilla_dcerpc::security::SecurityContext;
use armilla_dcerpc::security::ntlm::{
    Acceptor, AcceptorOptions, Authenticate, Challenge, Credentials, FileTime, Initiator,
    Negotiate, NtHash,
};

pub(crate) fn check(data: &[u8]) {
    if let Ok(message) = Negotiate::decode(data) {
        assert_eq!(Negotiate::decode(&message.encode()).unwrap(), message);
    }
    if let Ok(mut message) = Challenge::decode(data) {
        // An own message always has the attributes.
        message.flags |= 0x80_0000;
        assert_eq!(Challenge::decode(&message.encode()).unwrap(), message);
    }
    if let Ok(mut message) = Authenticate::decode(data) {
        message.mic = Some(message.mic.unwrap_or_default());
        // Longer values than a field can count are cut.
        if message.nt_response.len() < 0xffff {
            assert_eq!(Authenticate::decode(&message.encode()).unwrap(), message);
        }
    }
    let credentials = Credentials::new("plant", "operator", "secret");
    let mut client = Initiator::new(credentials, [1; 8], [2; 16], FileTime(3));
    let negotiate = client.step(&[]).unwrap().token.unwrap();
    let _ = client.step(data);
    let known = |_: &str, _: &str| Some(NtHash([7; 16]));
    let mut server = Acceptor::new(AcceptorOptions::new("SERVER"), known, [4; 8], FileTime(5));
    server.step(&negotiate).unwrap();
    // Without the password nobody comes in.
    assert!(server.step(data).is_err());
    let _ = Acceptor::new(AcceptorOptions::new("SERVER"), known, [4; 8], FileTime(5)).step(data);
}
