//! How a client behaves.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use armilla_dcerpc::ByteOrder;
use armilla_dcerpc::client::ClientOptions as RpcOptions;
use armilla_dcerpc::driver;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::SecurityContext;
use armilla_dcerpc::security::ntlm::Credentials;
use core::time::Duration;

/// How a client proves who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// SPNEGO, which agrees on NTLM.
    Spnego,
    /// NTLM at once, for servers that know nothing else.
    Ntlm,
}

/// How a client behaves.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// Who it is.
    pub credentials: Credentials,
    /// How it proves that.
    pub mechanism: Mechanism,
    /// The least level of its calls; a server may want more.
    pub level: AuthLevel,
    /// Whether `level` may be below integrity. Off by default.
    pub allow_low_level: bool,
    /// How long an operation may take, connecting included.
    pub timeout: Duration,
    /// How long one address may take to be reached; a reference may name several that are dead.
    pub connect_timeout: Duration,
    /// The port of resolver and activation.
    pub port: u16,
    /// Other addresses for those that servers name in their references: a host by its name there.
    /// The port stays, unless the address has one as `host[port]`.
    pub addresses: BTreeMap<String, String>,
    /// How often objects are pinged: 120 s by the protocol.
    pub ping_period: Duration,
    /// The byte order of what is sent.
    pub order: ByteOrder,
}

impl ClientOptions {
    /// The usual options: SPNEGO, integrity, 20 s.
    pub fn new(credentials: Credentials) -> Self {
        Self {
            credentials,
            mechanism: Mechanism::Spnego,
            level: AuthLevel::Integrity,
            allow_low_level: false,
            timeout: Duration::from_secs(20),
            connect_timeout: Duration::from_secs(5),
            port: 135,
            addresses: BTreeMap::new(),
            ping_period: Duration::from_secs(120),
            order: ByteOrder::Little,
        }
    }

    pub(super) fn rpc(&self) -> RpcOptions {
        let (order, allow_low_level) = (self.order, self.allow_low_level);
        RpcOptions { order, allow_low_level, ..RpcOptions::default() }
    }

    pub(super) fn context(&self) -> Box<dyn SecurityContext> {
        match self.mechanism {
            Mechanism::Spnego => driver::spnego(self.credentials.clone()),
            Mechanism::Ntlm => driver::ntlm(self.credentials.clone()),
        }
    }
}
