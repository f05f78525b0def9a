//! Flows over a transport that encrypts.

use armilla::transport::{Listening, Publication, Transport};
use armilla::{Caller, Orb, Settings};
use armilla_ipc::{Address, Stream};
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A transport that encrypts, such as `armilla_tls::Tls`: flows go over it by the same rules as
/// calls do, with the same certificates. Clones share it.
#[derive(Clone)]
pub struct Protected(Arc<Chosen>);

struct Chosen {
    transport: Arc<dyn Transport>,
    settings: Settings,
}

impl Protected {
    /// Flows over this transport.
    pub fn new(transport: impl Transport + 'static) -> Self {
        Self(Arc::new(Chosen { transport: Arc::new(transport), settings: Settings::default() }))
    }

    /// Flows over the transport of an ORB that encrypts, if it has one.
    pub fn of(orb: &Orb) -> Option<Self> {
        let transport = orb.protected_transport()?;
        Some(Self(Arc::new(Chosen { transport, settings: orb.settings().clone() })))
    }

    /// Whether this side makes no connection in clear to another host: `-ORBTls required=1`.
    pub(crate) fn is_required(&self) -> bool {
        self.0.transport.forbids_unprotected()
    }

    /// Its name in a [`FlowRequest`](crate::FlowRequest), which addresses begin with.
    pub(crate) fn name(&self) -> &str {
        self.0.transport.scheme()
    }

    /// Whether a text is an address of this transport.
    pub(crate) fn has(&self, address: &str) -> bool {
        place_of(address).is_some_and(|(scheme, _)| scheme == self.name())
    }

    /// Listens at a host and a port, and tells at which.
    pub(crate) fn listen(&self, host: &str, port: u16) -> io::Result<(Listening, (String, u16))> {
        let place = Address::tcp(host, port).to_string();
        let place = place.strip_prefix("tcp://").unwrap_or_default();
        let listening = self.0.transport.listen(place, &self.0.settings)?;
        let found = listening.publications.iter().find_map(|published| match published {
            Publication::Protected(address) => Some((address.host.clone(), address.port)),
            _ => None,
        });
        let none = || io::Error::new(io::ErrorKind::Unsupported, "the transport does not encrypt");
        Ok((listening, found.ok_or_else(none)?))
    }

    /// The address by which others reach a host and a port.
    pub(crate) fn address(&self, host: &str, port: u16) -> String {
        let place = Address::tcp(host, port).to_string();
        place.replacen("tcp", self.name(), 1)
    }

    pub(crate) fn connect(&self, address: &str, limit: Duration) -> io::Result<Box<dyn Stream>> {
        self.0.transport.connect(address, limit, &self.0.settings)
    }
}

impl fmt::Debug for Protected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Protected").field(&self.name()).finish()
    }
}

/// Whether a flow for the request that this thread serves must not go in clear: its caller has chosen
/// a connection that is encrypted.
pub(crate) fn is_needed() -> bool {
    Caller::current().is_some_and(|caller| caller.protection.is_some())
}

/// Whether an address is one where octets go in clear to another host.
pub(crate) fn is_in_clear(address: &str) -> bool {
    place_of(address).is_some_and(|(scheme, _)| scheme == "tcp")
}

/// The scheme of an address and what stands behind it.
fn place_of(address: &str) -> Option<(&str, &str)> {
    address.split_once("://")
}

/// The port over TCP that an address leads to, whatever goes over it.
pub(crate) fn tcp_of(address: &str) -> Option<Address> {
    let (_, place) = place_of(address)?;
    format!("tcp://{place}").parse().ok()
}
