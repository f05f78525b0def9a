//! The transports of an ORB, and the interface that another crate implements to add one.
//!
//! A [`Transport`] listens at endpoints with its scheme (`iiop://HOST:PORT`), determines how
//! references describe them, finds in references the addresses that it can reach, and connects to
//! them. It provides streams of octets; GIOP itself is not part of it. TCP, Unix-domain sockets and
//! shared memory are the transports of every ORB.
//! `OrbBuilder::transport` adds further ones; `examples/transport`
//! is a complete example.

mod admission;
mod guarded;
mod iiop;
mod in_process;
mod local;
mod reachable;
mod refused;
mod registry;
mod same_host;

pub use admission::Admission;
#[doc(hidden)]
pub use iiop::TcpEndpoint;
#[doc(hidden)]
pub use in_process::{ConnectHere, HERE, is_here};
pub use refused::Refused;
#[doc(hidden)]
pub use registry::{Endpoint, EndpointAddress, Transports};
#[doc(hidden)]
pub use same_host::{SameHostEndpoint, listen_on_same_host};
pub use same_host::{Way, WhyAddress};

pub use armilla_giop::ior::{Component, IiopProfile, TaggedComponent, TaggedProfile};
pub use armilla_ipc::{
    Acceptor, Address, Credentials, Protection, Readiness, RecvError, SendError, Stream,
    StreamOptions, connect, listen,
};

use crate::settings::{OrbOption, Settings};
use armilla_cdr::CdrResult;
use armilla_giop::Version;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// A transport for GIOP messages.
///
/// A reference contains profiles, one for each way to reach the object, and tagged components
/// within the profiles (CORBA 3.4 Part 2, 7.6.2). A transport defines a profile tag, or a component
/// tag for the profiles of other transports, or both. The OMG assigns the numbers of new tags.
///
/// Any thread may call the methods at any time.
pub trait Transport: Send + Sync + fmt::Debug {
    /// The scheme of its endpoints: `iiop` in `iiop://HOST:PORT`.
    fn scheme(&self) -> &str;

    /// The form of its endpoints, for error messages: `iiop://HOST:PORT`.
    fn form(&self) -> &str;

    /// Whether its connections are protected: nobody but the two ends reads or changes what they
    /// carry. The default implementation says that they are not.
    fn is_protected(&self) -> bool {
        false
    }

    /// Checks the syntax of `endpoint`, the part after the scheme and `://`.
    ///
    /// # Errors
    /// A text that says what is malformed. The default implementation accepts everything.
    fn check(&self, _endpoint: &str) -> Result<(), String> {
        Ok(())
    }

    /// Listens at `endpoint`, the part after the scheme and `://`.
    ///
    /// # Errors
    /// When the transport cannot listen. The message must name the endpoint.
    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening>;

    /// Connects to `address`, which this transport found in a reference. `timeout` limits the total
    /// time.
    ///
    /// # Errors
    /// When the transport cannot connect. The message must name the address and the attempts. One
    /// that wraps a [`Refused`] says itself which exception the call ends with.
    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>>;

    /// Whether endpoints for processes of the same host stand beside those of this transport.
    #[doc(hidden)]
    fn has_same_host_endpoints(&self) -> bool {
        false
    }

    /// Reads a profile with its own tag. `None` for other tags. The default implementation has no
    /// tag.
    fn read_profile(&self, _profile: &TaggedProfile) -> Option<CdrResult<ObjectProfile>> {
        None
    }

    /// The address in a component with its own tag, if this process can reach it. `None` otherwise.
    /// The default implementation has no tag.
    ///
    /// The client tries the addresses of components before the address of their profile, except
    /// those of the profile's own transport, which it tries afterwards.
    ///
    /// The ORB caches the result for other references with the same component.
    fn read_component(&self, _component: &TaggedComponent, _settings: &Settings) -> Option<String> {
        None
    }

    /// The addresses at which this transport reaches the object of a profile that another transport
    /// has read, from all that the profile says; in the order in which the client tries them. They
    /// stand in place of the profile's own address and of those that the transport of the profile
    /// finds in its components, so that a client that must not use these never does. `None`, as the
    /// default implementation returns, leaves the profile as it is.
    ///
    /// The ORB caches the result as that of [`read_component`](Self::read_component).
    fn read_other(&self, _profile: &ObjectProfile, _settings: &Settings) -> Option<Vec<String>> {
        None
    }

    /// The options that the transport adds to those of the ORB, each with a name that begins with
    /// `-ORB`. The default implementation adds none.
    fn options(&self) -> Vec<OrbOption> {
        Vec::new()
    }

    /// Sets one of the transport's own [options](Self::options), named as it is declared, from the
    /// command line. The ORB calls it before [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// What is wrong with the value.
    fn set_option(&self, _name: &str, _value: &str) -> Result<(), String> {
        Ok(())
    }

    /// Takes who decides whose connections are taken: for a transport whose connections begin with a
    /// handshake, which asks before it. Called when an ORB is built, before any endpoint is opened;
    /// the ORB asks too, once a connection is there. The default implementation does nothing.
    fn admit_by(&self, _admission: &Arc<dyn Admission>) {}

    /// Whether the program must make no connection that is not [protected](Self::is_protected).
    /// The default implementation says that it may.
    fn forbids_unprotected(&self) -> bool {
        false
    }

    /// Called once, when an ORB is built with the transport, before any endpoint is opened.
    ///
    /// # Errors
    /// What keeps the transport from working, such as a file that is not there, and what to do. The
    /// ORB is not built then.
    fn prepare(&self, _settings: &Settings) -> Result<(), String> {
        Ok(())
    }
}

/// The content of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectProfile {
    /// The address of the server, for [`Transport::connect`] and for error messages. It begins with
    /// a scheme, so that the addresses of two transports always differ.
    pub address: String,
    /// The highest GIOP version that the server accepts.
    pub version: Version,
    /// The object key, by which the server identifies the object.
    pub object_key: Vec<u8>,
    /// The tagged components: code sets, alternate addresses and others.
    pub components: Vec<TaggedComponent>,
}

/// An open endpoint.
#[derive(Debug)]
pub struct Listening {
    /// Accepts connections until the ORB closes it.
    pub acceptor: Box<dyn Acceptor>,
    /// How references describe the endpoint.
    pub publications: Vec<Publication>,
}

/// A part of a reference that describes an endpoint of the server.
#[non_exhaustive]
pub enum Publication {
    /// An IIOP profile with this host and port, or an alternate address in one.
    Iiop(String, u16),
    /// A component in every profile.
    Component(TaggedComponent),
    /// A port for protected connections, which a component of an IIOP profile names.
    Protected(ProtectedAddress),
    /// A profile with the tag of the transport.
    Profile(Box<dyn MakeProfile>),
}

/// The address of an endpoint for protected connections, such as those of TLS, and how references
/// tell of it. The component stands in the IIOP profile with the same host; if there is none, in one
/// of its own whose port is 0: there is no other way to the object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedAddress {
    /// The host.
    pub host: String,
    /// The TCP port.
    pub port: u16,
    /// The component for a profile without a port of its own.
    pub alone: TaggedComponent,
    /// The component for a profile with a port that is not protected.
    pub beside: TaggedComponent,
}

impl fmt::Debug for Publication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Iiop(host, port) => write!(f, "Iiop({host:?}, {port})"),
            Self::Component(component) => write!(f, "Component({component:?})"),
            Self::Protected(address) => write!(f, "Protected({address:?})"),
            Self::Profile(_) => f.write_str("Profile(..)"),
        }
    }
}

/// Creates the profile of an object. Functions with the parameters of [`make`](Self::make)
/// implement it.
pub trait MakeProfile: Send + Sync {
    /// The profile of the object with this key and these components, for a server that accepts GIOP
    /// up to `version`.
    ///
    /// # Errors
    /// When a part of the profile cannot be encoded.
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
