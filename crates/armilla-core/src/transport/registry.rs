//! The transports of an ORB: their choice by the scheme of an endpoint, and by the profiles and
//! components of a reference.

use super::guarded::GuardedTransport;
use super::iiop::Iiop;
use super::in_process::{ConnectHere, InProcess};
use super::local::Local;
use super::same_host::SameHostEndpoint;
use super::{
    Address, Admission, Component, Listening, ObjectProfile, Stream, TaggedComponent,
    TaggedProfile, Transport,
};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::settings::{OrbOption, Settings};
use armilla_cdr::CdrResult;
use armilla_giop::ior::{CompoundSecMech, CsiSecMechList, TAG_INTERNET_IOP};
use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// The transports of an ORB, the one that was added last first.
#[derive(Debug, Clone)]
pub struct Transports(Vec<Arc<dyn Transport>>);

impl Default for Transports {
    /// TCP, Unix-domain sockets and shared memory.
    fn default() -> Self {
        Self(vec![Arc::new(Iiop), Arc::new(Local::UNIX), Arc::new(Local::SHM)])
    }
}

/// The number of default transports, which are last in the list.
const DEFAULT_TRANSPORTS: usize = 3;

impl Transports {
    /// Adds a transport, which takes precedence over the transports added before.
    pub fn add(&mut self, transport: Arc<dyn Transport>) {
        self.0.insert(0, Arc::new(GuardedTransport::new(transport)));
    }

    /// The transport that encrypts, if there is one.
    pub fn protected(&self) -> Option<Arc<dyn Transport>> {
        self.0.iter().find(|transport| transport.is_protected()).cloned()
    }

    /// Parses an endpoint.
    ///
    /// # Errors
    /// `BAD_PARAM` when no transport has the scheme or the endpoint is malformed.
    pub fn endpoint(&self, text: &str) -> Result<Endpoint, SystemException> {
        let bad = |what: String| {
            SystemException::bad_param(Minor::BAD_ARGUMENT, format!("{text:?}: {what}"))
        };
        // The forms of omniORB.
        let tcp = text.strip_prefix("giop:tcp:").map(|address| (Iiop::SCHEME, address));
        let ssl = text.strip_prefix("giop:ssl:").map(|address| ("ssliop", address));
        let parts = tcp.or(ssl).or_else(|| text.split_once("://"));
        let found = parts.and_then(|(scheme, address)| {
            let transport = self.0.iter().find(|transport| transport.scheme() == scheme)?;
            Some((transport.clone(), address.to_owned()))
        });
        let (transport, address) = found.ok_or_else(|| bad(self.forms()))?;
        transport.check(&address).map_err(|what| bad(format!("{what}; {}", self.forms())))?;
        Ok(Endpoint { transport, address })
    }

    fn forms(&self) -> String {
        let forms: Vec<_> = self.0.iter().map(|transport| transport.form()).collect();
        format!("an endpoint is {}", forms.join(", or "))
    }

    /// Whether the octets around the object key of `profile` determine the rest of its content: it
    /// is an IIOP profile that no added transport reads.
    #[inline]
    pub fn are_usual_for(&self, profile: &TaggedProfile) -> bool {
        let added = &self.0[..self.0.len().saturating_sub(DEFAULT_TRANSPORTS)];
        profile.id == TAG_INTERNET_IOP
            && added.iter().all(|transport| transport.read_profile(profile).is_none())
    }

    /// The transport with an option of this name, in capitals or small letters, and that option.
    pub fn option(&self, name: &str) -> Option<(Arc<dyn Transport>, OrbOption)> {
        self.0.iter().find_map(|transport| {
            let options = transport.options();
            let found = options.into_iter().find(|own| own.name.eq_ignore_ascii_case(name))?;
            Some((transport.clone(), found))
        })
    }

    /// The options of all transports.
    pub fn options(&self) -> Vec<OrbOption> {
        self.0.iter().flat_map(|transport| transport.options()).collect()
    }

    /// Prepares all transports.
    ///
    /// # Errors
    /// `INITIALIZE` when one of them cannot work.
    pub fn prepare(&self, settings: &Settings) -> Result<(), SystemException> {
        self.0.iter().try_for_each(|transport| transport.prepare(settings)).map_err(|what| {
            SystemException::new(ExceptionKind::Initialize, Minor::BAD_ARGUMENT, Completion::No)
                .with_reason(what)
        })
    }

    /// Tells all transports who decides whose connections are taken.
    pub fn admit_by(&self, admission: &Arc<dyn Admission>) {
        self.0.iter().for_each(|transport| transport.admit_by(admission));
    }

    /// An endpoint that nobody has asked for, at this address or at all of them, and any free port:
    /// over the transport that forbids others, if one does.
    pub fn unasked_endpoint(&self, address: Option<IpAddr>) -> Endpoint {
        let strict = self.0.iter().find(|it| it.is_protected() && it.forbids_unprotected());
        let transport = strict.cloned().unwrap_or_else(|| Arc::new(Iiop));
        let address = address.map(|address| SocketAddr::new(address, 0).to_string());
        Endpoint { transport, address: address.unwrap_or_else(|| ":".to_owned()) }
    }

    /// The content of `profile`, and the addresses of the object in the order in which the client
    /// tries them. `None` if no transport knows the tag of the profile.
    pub fn read(
        &self,
        profile: &TaggedProfile,
        settings: &Settings,
    ) -> Option<CdrResult<(ObjectProfile, Vec<EndpointAddress>)>> {
        let mut all = self.0.iter();
        let (own, read) = all.find_map(|own| Some((own, own.read_profile(profile)?)))?;
        Some(read.map(|read| {
            let (mut addresses, mut alternates) = (Vec::new(), Vec::new());
            for component in &read.components {
                let found = self.0.iter().find_map(|transport| {
                    let address = transport.read_component(component, settings)?;
                    Some(EndpointAddress::new(transport, address, &read))
                });
                match found {
                    Some(found) if Arc::ptr_eq(&found.transport, own) => alternates.push(found),
                    Some(found) => addresses.push(found),
                    None => {}
                }
            }
            let instead = self.0.iter().filter(|other| !Arc::ptr_eq(other, own));
            let instead =
                instead.filter_map(|other| Some((other, other.read_other(&read, settings)?)));
            let mut replaced = false;
            for (transport, found) in instead {
                replaced = true;
                let at = |address| EndpointAddress::new(transport, address, &read);
                addresses.extend(found.into_iter().map(at));
            }
            if !replaced && requires_protection(&read.components) {
                // A port that is none: connecting to it says what the ORB lacks.
                if let Ok(Address::Tcp { host, .. }) = read.address.parse() {
                    let none = Address::tcp(host, 0).to_string();
                    addresses.push(EndpointAddress::new(own, none, &read));
                }
            } else if !replaced {
                addresses.push(EndpointAddress::new(own, read.address.clone(), &read));
                addresses.append(&mut alternates);
            }
            (read, addresses)
        }))
    }
}

/// Whether a reference says that each mechanism of its server needs a protected connection (CORBA
/// 3.4 Part 2, 10.5.1).
fn requires_protection(components: &[TaggedComponent]) -> bool {
    let list = components.iter().find(|component| component.id == CsiSecMechList::ID);
    let list = list.and_then(|list| CsiSecMechList::from_tagged(list).ok()?);
    list.is_some_and(|list| {
        let mut mechanisms = list.mechanisms.iter();
        !list.mechanisms.is_empty() && mechanisms.all(CompoundSecMech::requires_protection)
    })
}

/// An endpoint at which a server listens.
#[derive(Debug, Clone)]
pub struct Endpoint {
    transport: Arc<dyn Transport>,
    /// The part after the scheme and `://`.
    address: String,
}

impl Endpoint {
    /// Whether this is an endpoint at a host and a port, which IIOP profiles name.
    pub fn is_over_tcp(&self) -> bool {
        self.transport.scheme() == Iiop::SCHEME || self.transport.is_protected()
    }

    /// Whether an endpoint for processes of the same host stands beside it.
    pub fn has_same_host_endpoint(&self) -> bool {
        self.transport.has_same_host_endpoints()
    }

    /// Opens the endpoint.
    ///
    /// # Errors
    /// `INITIALIZE` when the endpoint cannot be opened.
    pub fn listen(&self, settings: &Settings) -> Result<Listening, SystemException> {
        self.transport.listen(&self.address, settings).map_err(|error| {
            SystemException::new(ExceptionKind::Initialize, Minor::LISTEN_FAILED, Completion::No)
                .with_reason(error.to_string())
                .with_hint(self.hint(&error))
        })
    }

    /// What to do about an endpoint that cannot be opened.
    fn hint(&self, error: &io::Error) -> String {
        let scheme = self.transport.scheme();
        if scheme != Iiop::SCHEME {
            return match error.kind() {
                io::ErrorKind::AddrInUse => format!("-ORBEndpoint {scheme}://… takes another one"),
                io::ErrorKind::NotFound => "its directory has to be there".to_owned(),
                io::ErrorKind::PermissionDenied => {
                    "this user has to be allowed to write into its directory".to_owned()
                }
                _ => format!("-ORBEndpoint {scheme}://… chooses another one"),
            };
        }
        let port = self.address.rsplit_once(':').map_or("", |(_, port)| port);
        let port = port.split_once('?').map_or(port, |(port, _)| port);
        let (host, every) = (self.address.trim_end_matches(port), format!("iiop://:{port}"));
        match error.kind() {
            _ if host == "*:" => format!("every interface is an empty host: -ORBEndpoint {every}"),
            io::ErrorKind::AddrInUse => {
                "another process listens there, or another endpoint of this one: -ORBEndpoint \
                 iiop://HOST:PORT takes another port, and port 0 any free one"
                    .to_owned()
            }
            io::ErrorKind::AddrNotAvailable => format!(
                "no interface of this host has the address; -ORBEndpoint {every} listens on all, \
                 and ?publish=HOST:PORT behind it says what references carry"
            ),
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 need CAP_NET_BIND_SERVICE; -ORBEndpoint iiop://HOST:PORT takes \
                 another port"
                    .to_owned()
            }
            _ if error.to_string().contains("resolve") => format!(
                "the host of -ORBEndpoint iiop://HOST:PORT is a name or an address of this host; \
                 {every} listens on all of its interfaces"
            ),
            _ => "-ORBEndpoint iiop://HOST:PORT chooses another one".to_owned(),
        }
    }
}

/// An address of a server, with the transport that connects to it.
#[derive(Debug, Clone)]
pub struct EndpointAddress {
    transport: Arc<dyn Transport>,
    address: String,
    /// The way to the same server without a network.
    same_host: Option<SameHostEndpoint>,
}

impl EndpointAddress {
    /// An address in this profile.
    fn new(transport: &Arc<dyn Transport>, address: String, profile: &ObjectProfile) -> Self {
        let same_host = match transport.has_same_host_endpoints() {
            true => SameHostEndpoint::beside(&profile.components, &address),
            false => None,
        };
        Self { transport: transport.clone(), address, same_host }
    }

    /// The address of this ORB for itself. Each call returns a distinct one.
    pub fn in_process(connect: Box<ConnectHere>) -> Self {
        let (transport, address) = (Arc::new(InProcess(connect)), InProcess::NAME.to_owned());
        Self { transport, address, same_host: None }
    }

    /// The address, as text.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Whether this is the address of the ORB for itself.
    pub fn is_in_process(&self) -> bool {
        self.transport.scheme() == InProcess::NAME
    }

    /// Whether connections to it are [protected](Transport::is_protected).
    pub fn is_protected(&self) -> bool {
        self.transport.is_protected()
    }

    /// Whether connections to it carry everything in clear, over TCP.
    pub fn is_in_clear(&self) -> bool {
        self.transport.scheme() == Iiop::SCHEME
    }

    /// The address as that of a connection which its server has made and offered is noted.
    pub fn reverse_key(&self) -> Cow<'_, str> {
        match self.transport.is_protected() {
            true => Self::protected_key(&self.address).into(),
            false => self.address.as_str().into(),
        }
    }

    /// The same for an address `SCHEME://HOST:PORT` that is reached over protected connections.
    pub fn protected_key(address: &str) -> String {
        let place = address.split_once("://").map_or(address, |(_, place)| place);
        format!("protected://{place}")
    }

    /// The way to the same server for processes of its host, if the reference names one.
    pub fn same_host(&self) -> Option<&SameHostEndpoint> {
        self.same_host.as_ref()
    }

    /// Connects to the address; see [`Transport::connect`].
    pub fn connect(&self, timeout: Duration, settings: &Settings) -> io::Result<Box<dyn Stream>> {
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
        self.address == other.address
            && self.same_host == other.same_host
            && Arc::ptr_eq(&self.transport, &other.transport)
    }
}

impl Eq for EndpointAddress {}

impl Hash for EndpointAddress {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address.hash(state);
    }
}
