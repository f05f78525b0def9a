//! The transports of an ORB, by the schemes of endpoints and by what they find in references.

use super::iiop::Iiop;
use super::in_process::{ConnectHere, InProcess};
use super::local::Local;
use super::{Listening, ObjectProfile, Stream, TaggedProfile, Transport};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::settings::Settings;
use armilla_cdr::CdrResult;
use armilla_giop::ior::TAG_INTERNET_IOP;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The transports that an ORB has, the latest first.
#[derive(Debug, Clone)]
pub(crate) struct Transports(Vec<Arc<dyn Transport>>);

impl Default for Transports {
    /// TCP, Unix-domain sockets and shared memory.
    fn default() -> Self {
        Self(vec![Arc::new(Iiop), Arc::new(Local::UNIX), Arc::new(Local::SHM)])
    }
}

/// How many those are; they come last.
const OF_EVERY_ORB: usize = 3;

impl Transports {
    /// Adds one, which takes precedence over those before.
    pub(crate) fn add(&mut self, transport: Arc<dyn Transport>) {
        self.0.insert(0, transport);
    }

    /// The endpoint that `text` is.
    ///
    /// # Errors
    /// `BAD_PARAM` when no transport has its scheme, or it is malformed.
    pub(crate) fn endpoint(&self, text: &str) -> Result<Endpoint, SystemException> {
        let bad = |what: String| {
            SystemException::bad_param(Minor::BAD_ARGUMENT, format!("{text:?}: {what}"))
        };
        // As omniORB has it.
        let parts = match text.strip_prefix("giop:tcp:") {
            Some(place) => Some((Iiop::SCHEME, place)),
            None => text.split_once("://"),
        };
        let found = parts.and_then(|(scheme, place)| {
            let transport = self.0.iter().find(|transport| transport.scheme() == scheme)?;
            Some((transport.clone(), place.to_owned()))
        });
        let (transport, place) = found.ok_or_else(|| bad(self.forms()))?;
        transport.check(&place).map_err(|what| bad(format!("{what}; {}", self.forms())))?;
        Ok(Endpoint { transport, place })
    }

    fn forms(&self) -> String {
        let forms: Vec<_> = self.0.iter().map(|transport| transport.form()).collect();
        format!("an endpoint is {}", forms.join(", or "))
    }

    /// Whether the octets before and behind the object key of `profile` decide what else it says: whether it
    /// is one for IIOP that no added transport reads in its own way.
    #[inline]
    pub(crate) fn are_usual_for(&self, profile: &TaggedProfile) -> bool {
        let added = &self.0[..self.0.len().saturating_sub(OF_EVERY_ORB)];
        profile.id == TAG_INTERNET_IOP
            && added.iter().all(|transport| transport.read_profile(profile).is_none())
    }

    /// What `profile` says, if a transport knows its kind, and where the object can be reached: in
    /// the order in which to try.
    pub(crate) fn read(
        &self,
        profile: &TaggedProfile,
        settings: &Settings,
    ) -> Option<CdrResult<(ObjectProfile, Vec<EndpointAddress>)>> {
        let mut all = self.0.iter();
        let (own, read) = all.find_map(|own| Some((own, own.read_profile(profile)?)))?;
        Some(read.map(|read| {
            let (mut before, mut behind) = (Vec::new(), Vec::new());
            for component in &read.components {
                let found = self.0.iter().find_map(|transport| {
                    let address = transport.read_component(component, settings)?;
                    Some(EndpointAddress { transport: transport.clone(), address })
                });
                match found {
                    Some(place) if Arc::ptr_eq(&place.transport, own) => behind.push(place),
                    Some(place) => before.push(place),
                    None => {}
                }
            }
            before.push(EndpointAddress { transport: own.clone(), address: read.address.clone() });
            before.append(&mut behind);
            (read, before)
        }))
    }
}

/// Where a server listens.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    transport: Arc<dyn Transport>,
    /// What stands behind the scheme.
    place: String,
}

impl Endpoint {
    /// Every interface, at any free port.
    pub(crate) fn anywhere() -> Self {
        Self { transport: Arc::new(Iiop), place: ":".to_owned() }
    }

    /// Whether GIOP itself is spoken there, over TCP.
    pub(crate) fn is_iiop(&self) -> bool {
        self.transport.scheme() == Iiop::SCHEME
    }

    /// Opens it.
    ///
    /// # Errors
    /// `INITIALIZE` when it cannot be opened.
    pub(crate) fn listen(&self, settings: &Settings) -> Result<Listening, SystemException> {
        self.transport.listen(&self.place, settings).map_err(|error| {
            SystemException::new(ExceptionKind::Initialize, Minor::LISTEN_FAILED, Completion::No)
                .with_reason(error.to_string())
                .with_hint(
                    "another process may have it: -ORBEndpoint iiop://HOST:PORT chooses another",
                )
        })
    }
}

/// An address, and the transport that reaches it.
#[derive(Debug, Clone)]
pub(crate) struct EndpointAddress {
    transport: Arc<dyn Transport>,
    address: String,
}

impl EndpointAddress {
    /// Where the objects of this ORB are for itself. Each time it is another place.
    pub(crate) fn in_process(connect: Box<ConnectHere>) -> Self {
        Self { transport: Arc::new(InProcess(connect)), address: InProcess::NAME.to_owned() }
    }

    /// The address, as text.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Whether it is such a one.
    pub(crate) fn is_in_process(&self) -> bool {
        self.transport.scheme() == InProcess::NAME
    }

    /// Connects to it, as [`Transport::connect`].
    pub(crate) fn connect(
        &self,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        self.transport.connect(&self.address, timeout, settings)
    }
}

impl fmt::Display for EndpointAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

impl PartialEq for EndpointAddress {
    fn eq(&self, other: &Self) -> bool {
        self.address == other.address && Arc::ptr_eq(&self.transport, &other.transport)
    }
}

impl Eq for EndpointAddress {}

impl Hash for EndpointAddress {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address.hash(state);
    }
}
