//! How GIOP travels: the transports of an ORB, and what another crate implements to add one.
//!
//! A [`Transport`] listens at endpoints with its scheme (`iiop://HOST:PORT`), says what references
//! carry of them, finds in references the addresses that it can reach, and connects there. What it
//! gives are streams of octets; the ORB does the rest. TCP, Unix-domain sockets and shared memory
//! are transports like any other ([`OrbBuilder::transport`](crate::OrbBuilder::transport) adds more);
//! `examples/transport` is a whole one.

mod iiop;
mod in_process;
mod local;
mod reachable;
mod registry;

pub(crate) use iiop::{parse_ports, parse_published};
pub(crate) use in_process::{HERE, is_here};
pub(crate) use registry::{Endpoint, EndpointAddress, Transports};

pub use armilla_giop::ior::{Component, IiopProfile, TaggedComponent, TaggedProfile};
pub use armilla_ipc::{
    Acceptor, Address, Readiness, RecvError, SendError, Stream, StreamOptions, connect, listen,
};

use crate::settings::Settings;
use armilla_cdr::CdrResult;
use armilla_giop::Version;
use std::fmt;
use std::io;
use std::time::Duration;

/// A way to carry GIOP.
///
/// References say where an object is in profiles, one for each way to reach it, and in the
/// components of profiles (CORBA 3.4 Part 2, 7.6.2). A transport has either a kind of profile of its
/// own, or a kind of component in the profiles of others; it may have both. Numbers for new kinds
/// are assigned by the OMG.
///
/// Everything may be called from any thread at any time.
pub trait Transport: Send + Sync + fmt::Debug {
    /// What its endpoints begin with: `iiop` in `iiop://HOST:PORT`.
    fn scheme(&self) -> &str;

    /// The form of its endpoints, for people: `iiop://HOST:PORT`.
    fn form(&self) -> &str;

    /// Whether `endpoint`, what stands behind the scheme and `://`, can be one; the error says what
    /// is wrong with it.
    ///
    /// # Errors
    /// When it is malformed. By default nothing is.
    fn check(&self, _endpoint: &str) -> Result<(), String> {
        Ok(())
    }

    /// Listens at `endpoint`, what stands behind the scheme and `://`.
    ///
    /// # Errors
    /// When it cannot; the message names the endpoint.
    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening>;

    /// Connects to `address`, which is one that this transport found in a reference, within
    /// `timeout` in all.
    ///
    /// # Errors
    /// When it cannot; the message names the address and what was tried.
    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>>;

    /// Reads a profile of its own kind; `None` for those of others. By default it has no kind.
    fn read_profile(&self, _profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        None
    }

    /// The address in a component of its own kind that can be reached from here; `None` for others.
    /// By default it has no kind.
    ///
    /// Addresses in components come before that of the profile in which they stand, except those
    /// of the profile's own transport, which come behind it.
    ///
    /// The ORB remembers the answer for other references that carry the same.
    fn read_component(&self, _component: &TaggedComponent, _settings: &Settings) -> Option<String> {
        None
    }
}

/// What a profile says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectProfile {
    /// Where the server is, as [`Transport::connect`] takes it and as errors show it. It begins with
    /// a scheme, so that no two transports have the same address.
    pub address: String,
    /// The highest version of GIOP that the server takes.
    pub version: Version,
    /// What the server knows the object by.
    pub object_key: Vec<u8>,
    /// What else there is to know: code sets, other addresses.
    pub components: Vec<TaggedComponent>,
}

/// An endpoint that was opened.
#[derive(Debug)]
pub struct Listening {
    /// Accepts connections, until the ORB closes it.
    pub acceptor: Box<dyn Acceptor>,
    /// What references carry of it.
    pub publications: Vec<Publication>,
}

/// What references to the objects of a server carry of an endpoint.
pub enum Publication {
    /// An IIOP profile, or one more address in one, with this host and port.
    Iiop(String, u16),
    /// A component in every profile.
    Component(TaggedComponent),
    /// A profile of its own kind.
    Profile(Box<dyn MakeProfile>),
}

impl fmt::Debug for Publication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iiop(host, port) => write!(f, "Iiop({host:?}, {port})"),
            Self::Component(component) => write!(f, "Component({component:?})"),
            Self::Profile(_) => f.write_str("Profile(..)"),
        }
    }
}

/// Makes the profile of an object. A function of these parameters does.
pub trait MakeProfile: Send + Sync {
    /// The profile of the object with this key, with these components, for a server that takes GIOP
    /// up to `version`.
    ///
    /// # Errors
    /// When something in it cannot be encoded.
    fn make(
        &self,
        version: Version,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> CdrResult<TaggedProfile>;
}

impl<F> MakeProfile for F
where
    F: Fn(Version, &[u8], &[TaggedComponent]) -> CdrResult<TaggedProfile> + Send + Sync,
{
    fn make(
        &self,
        version: Version,
        object_key: &[u8],
        components: &[TaggedComponent],
    ) -> CdrResult<TaggedProfile> {
        self(version, object_key, components)
    }
}
