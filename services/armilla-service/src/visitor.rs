//! Who has sent a request, as the pages of a service see it.

use crate::https::OverTls;
use armilla_ipc::Address;
use armilla_security::Caller;
use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::StatusCode;
use axum::http::request::Parts;
use std::net::SocketAddr;
use std::sync::Arc;

/// Who has sent a request to a console, for handlers of axum. Where the console
/// [asks](crate::ConsoleAccess) who its visitors are, that is known; otherwise only an address is.
#[derive(Debug, Clone)]
pub struct Visitor {
    pub(crate) address: SocketAddr,
    pub(crate) over_tls: bool,
    /// With whether it may change something at this path.
    pub(crate) caller: Option<(Arc<Caller>, bool)>,
}

impl Visitor {
    /// One of whom the address alone is known.
    pub const fn at(address: SocketAddr) -> Self {
        Self { address, over_tls: false, caller: None }
    }

    /// Its address, as the operating system reports it. Behind a proxy it is that of the proxy.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether the request has come over TLS.
    pub const fn is_over_tls(&self) -> bool {
        self.over_tls
    }

    /// Who it is, by what proof. `None` where the console asks nobody, or the visitor has shown a
    /// token that the service itself has to know.
    pub fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref().map(|(caller, _)| &**caller)
    }

    /// Whether it may change something: as the access of the console says, or else as `otherwise`
    /// does of its address.
    pub fn may_change(&self, otherwise: impl FnOnce(SocketAddr) -> bool) -> bool {
        match &self.caller {
            Some((_, may_change)) => *may_change,
            None => otherwise(self.address),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Visitor {
    type Rejection = (StatusCode, &'static str);

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        if let Some(visitor) = parts.extensions.get::<Self>() {
            return Ok(visitor.clone());
        }
        let address = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let unknown = (StatusCode::INTERNAL_SERVER_ERROR, "nobody knows where the request is from");
        let over_tls = parts.extensions.get::<OverTls>().is_some();
        address.map(|address| Self { over_tls, ..Self::at(address.0) }).ok_or(unknown)
    }
}

/// The address of a browser, as callers have it.
pub(crate) fn address(peer: SocketAddr) -> Address {
    Address::tcp(peer.ip().to_canonical().to_string(), peer.port())
}
