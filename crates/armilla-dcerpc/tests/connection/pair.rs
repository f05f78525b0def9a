//! A client and a server whose octets a test passes on.

use armilla_dcerpc::SyntaxId;
use armilla_dcerpc::client::{Client, ClientEvent, ClientOptions, Security};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::{self, AcceptorOptions, Credentials, FileTime, NtHash};
use armilla_dcerpc::security::{SecurityContext, service, spnego};
use armilla_dcerpc::server::{Access, Host, Server, ServerCall, ServerEvent, ServerOptions};
use std::time::Duration;

pub(crate) const SECURED: SyntaxId =
    SyntaxId::literal("5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c01", 1, 0);
pub(crate) const SECOND: SyntaxId = SyntaxId::literal("5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c02", 1, 0);
pub(crate) const OPEN: SyntaxId = SyntaxId::literal("5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c03", 1, 0);
pub(crate) const UNKNOWN: SyntaxId =
    SyntaxId::literal("5f1a9c3e-8e0b-4b1c-9d55-0b6f2d7a4c04", 1, 0);

/// A server with two interfaces that need security and one that does not.
pub(crate) struct TestHost;

impl Host for TestHost {
    fn interface(&self, interface: SyntaxId) -> Option<Access> {
        match interface {
            SECURED | SECOND => Some(Access::Secured),
            OPEN => Some(Access::Anybody),
            _ => None,
        }
    }

    fn security(&self, service: u8) -> Option<Box<dyn SecurityContext>> {
        let known = |user: &str, _: &str| (user == "operator").then(|| NtHash::of("secret"));
        let options = AcceptorOptions::new("SERVER");
        let ntlm = Box::new(ntlm::Acceptor::new(options, known, [3; 8], FileTime(1 << 57)));
        match service {
            service::NTLM => Some(ntlm),
            service::SPNEGO => Some(Box::new(spnego::Acceptor::new(vec![ntlm]))),
            _ => None,
        }
    }
}

pub(crate) fn ntlm(password: &str) -> Box<dyn SecurityContext> {
    let credentials = Credentials::new("plant", "operator", password);
    Box::new(ntlm::Initiator::new(credentials, [1; 8], [2; 16], FileTime(1 << 56)))
}

/// Which mechanism, and at which level.
pub(crate) fn security(name: &str, level: AuthLevel) -> Option<Security> {
    let context = match name {
        "ntlm" => ntlm("secret"),
        "spnego" => Box::new(spnego::Initiator::new(vec![ntlm("secret")])),
        _ => return None,
    };
    Some(Security { context, level })
}

pub(crate) struct Pair {
    pub(crate) client: Client,
    pub(crate) server: Server,
    pub(crate) now: Duration,
}

impl Pair {
    pub(crate) fn new(client: ClientOptions, server: ServerOptions) -> Self {
        let now = Duration::from_secs(1000);
        Self { client: Client::new(client), server: Server::new(server, TestHost, now), now }
    }

    /// Bound to these interfaces.
    pub(crate) fn bound(interfaces: &[SyntaxId], security: Option<Security>) -> Self {
        let mut pair = Self::new(ClientOptions::default(), ServerOptions::default());
        pair.client.bind(interfaces, security).unwrap();
        pair.pass();
        assert!(matches!(pair.client.poll_event(), Some(ClientEvent::Bound { .. })));
        pair
    }

    /// Passes octets on until nobody has more to say.
    pub(crate) fn pass(&mut self) {
        loop {
            let (request, response) = (self.client.poll_output(), self.server.poll_output());
            if request.is_none() && response.is_none() {
                return;
            }
            self.server.receive(&request.unwrap_or_default(), self.now);
            self.client.receive(&response.unwrap_or_default());
        }
    }

    /// The call that came to the server next.
    pub(crate) fn served(&mut self) -> ServerCall {
        match self.server.poll_event() {
            Some(ServerEvent::Call(call)) => call,
            other => panic!("a call was expected, not {other:?}"),
        }
    }

    /// What came back to the client next.
    pub(crate) fn answer(&mut self) -> Vec<u8> {
        match self.client.poll_event() {
            Some(ClientEvent::Response { stub, .. }) => stub,
            other => panic!("an answer was expected, not {other:?}"),
        }
    }
}
