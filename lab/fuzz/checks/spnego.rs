//! Tokens of SPNEGO, as either side receives them.

use armilla_dcerpc::security::SecurityContext;
use armilla_dcerpc::security::ntlm::{
    Acceptor, AcceptorOptions, Credentials, FileTime, Initiator, NtHash,
};
use armilla_dcerpc::security::spnego::{self, Token};

pub(crate) fn check(data: &[u8]) {
    if let Ok(token) = Token::decode(data)
        && !matches!(&token, Token::Init(init) if init.mechanisms.is_empty())
    {
        let again = Token::decode(&token.encode()).unwrap();
        assert_eq!(Token::decode(&again.encode()).unwrap(), again);
    }
    let credentials = Credentials::new("plant", "operator", "secret");
    let inner = Initiator::new(credentials, [1; 8], [2; 16], FileTime(3));
    let mut client = spnego::Initiator::new(vec![Box::new(inner)]);
    let first = client.step(&[]).unwrap().token.unwrap();
    if client.step(data).is_ok() {
        assert!(client.step(data).is_err());
    }
    let mut server = acceptor();
    server.step(&first).unwrap();
    assert!(server.step(data).is_err());
    let _ = acceptor().step(data);
}

fn acceptor() -> spnego::Acceptor {
    let known = |_: &str, _: &str| Some(NtHash([7; 16]));
    let inner = Acceptor::new(AcceptorOptions::new("SERVER"), known, [4; 8], FileTime(5));
    spnego::Acceptor::new(vec![Box::new(inner)])
}
