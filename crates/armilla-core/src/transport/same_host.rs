//! The same-host endpoint beside each TCP endpoint of a server: a component of its references says
//! where processes of the same host connect without a network. The client tries that first; what
//! keeps it from it is no error, for it then connects over TCP.

use super::{Acceptor, Address, Component, Stream, TaggedComponent};
use crate::settings::{SameHost, Settings};
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder};
use armilla_ipc::shm::same_host::{self, Carrier, Name, Place, SameHostAcceptor, Users};
use std::fmt;
use std::io;
use std::time::Duration;

/// The longest time for which a client waits for the answer of a same-host endpoint. A server that
/// runs answers within microseconds.
const MOST_WAIT: Duration = Duration::from_secs(1);

/// How the connection to a server goes, and for the network the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Way {
    /// Through shared memory.
    SharedMemory,
    /// Over a Unix-domain socket of the same-host endpoint.
    LocalSocket,
    /// As the address of the reference says.
    Address(WhyAddress),
}

/// Why a connection goes as the address of the reference says, and not by a same-host endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WhyAddress {
    /// The reference names no same-host endpoint for this address.
    NotOffered,
    /// `-ORBSameHost off` holds here.
    Off,
    /// The server is on another host, or the host was started anew.
    OtherHost,
    /// The server is in another network or user namespace, as in another container.
    OtherNamespace,
    /// One side does not want the user of the other. `-ORBLocalAccess` names the users that are
    /// wanted: at the server those of its clients, at the client that of the server.
    OtherUser,
    /// Nobody listens there any more: the server was started anew.
    Gone,
    /// The server did not answer in time.
    NoAnswer,
    /// The system has failed, as for lack of descriptors, or does not allow it, as without `/proc` or
    /// under rules that forbid Unix-domain sockets. The log has the error at the level `debug`.
    Failed,
}

impl Way {
    /// All of them, each at its [index](Self::index).
    #[doc(hidden)]
    pub const ALL: [Self; 10] = [
        Self::SharedMemory,
        Self::LocalSocket,
        Self::Address(WhyAddress::NotOffered),
        Self::Address(WhyAddress::Off),
        Self::Address(WhyAddress::OtherHost),
        Self::Address(WhyAddress::OtherNamespace),
        Self::Address(WhyAddress::OtherUser),
        Self::Address(WhyAddress::Gone),
        Self::Address(WhyAddress::NoAnswer),
        Self::Address(WhyAddress::Failed),
    ];

    /// Its place in [`ALL`](Self::ALL).
    #[doc(hidden)]
    pub fn index(self) -> usize {
        Self::ALL.iter().position(|way| *way == self).unwrap_or(0)
    }

    /// The way in one word, and the reason in one: `address` and `other-user`.
    #[doc(hidden)]
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::SharedMemory => ("shared-memory", ""),
            Self::LocalSocket => ("local-socket", ""),
            Self::Address(why) => ("address", why.word()),
        }
    }
}

impl WhyAddress {
    const fn word(self) -> &'static str {
        match self {
            Self::NotOffered => "not-offered",
            Self::Off => "off",
            Self::OtherHost => "other-host",
            Self::OtherNamespace => "other-namespace",
            Self::OtherUser => "other-user",
            Self::Gone => "gone",
            Self::NoAnswer => "no-answer",
            Self::Failed => "failed",
        }
    }

    /// Whether the next connection may go another way.
    #[doc(hidden)]
    pub const fn may_pass(self) -> bool {
        matches!(self, Self::NoAnswer | Self::Failed)
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SharedMemory => "shared memory",
            Self::LocalSocket => "a Unix-domain socket",
            Self::Address(why) => return write!(f, "the address of the reference: {why}"),
        })
    }
}

impl fmt::Display for WhyAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotOffered => "it names no same-host endpoint",
            Self::Off => "-ORBSameHost off",
            Self::OtherHost => "the server is on another host",
            Self::OtherNamespace => "the server is in another network or user namespace",
            Self::OtherUser => {
                "one side does not want the user of the other (-ORBLocalAccess peers=UID names the \
                 users that it wants, on both sides)"
            }
            Self::Gone => "the same-host endpoint is gone",
            Self::NoAnswer => "the same-host endpoint does not answer",
            Self::Failed => "the same-host endpoint cannot be used",
        })
    }
}

/// The tagged component for a same-host endpoint. Other ORBs ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub struct SameHostEndpoint {
    place: Place,
    /// The [digest](digest) of the address beside which it is. Whoever puts another address into a
    /// reference means that clients take it.
    beside: u32,
    name: Name,
}

/// A client's error on the way to a same-host endpoint is one of these reasons.
type Connected = Result<(Box<dyn Stream>, Way), WhyAddress>;

impl SameHostEndpoint {
    /// The endpoint that `components` name for the address `tcp://HOST:PORT`.
    pub(super) fn beside(components: &[TaggedComponent], address: &str) -> Option<Self> {
        let found = components.iter().filter_map(|one| Self::from_tagged(one).ok().flatten());
        let digest = digest(address);
        found.into_iter().find(|one| one.beside == digest)
    }

    /// Where it is.
    pub const fn place(&self) -> Place {
        self.place
    }

    /// Whether that is where this process is.
    pub fn is_here(&self) -> bool {
        Place::here() == Some(self.place)
    }

    /// The abstract address at which it listens.
    pub fn address(&self) -> Address {
        same_host::address(&self.name)
    }

    /// What references say of it beside the address of a TCP endpoint.
    pub fn component_beside(&self, host: &str, port: u16) -> Option<TaggedComponent> {
        let beside = digest(&Address::tcp(host, port).to_string());
        Self { beside, ..*self }.to_tagged().ok()
    }

    /// Whether a client with these settings may connect to it.
    ///
    /// # Errors
    /// The reason why it does not.
    fn check(&self, settings: &Settings) -> Result<(), WhyAddress> {
        if settings.same_host == SameHost::Off {
            return Err(WhyAddress::Off);
        }
        match here() {
            Some(here) if here == self.place => Ok(()),
            Some(here) if here.boot == self.place.boot => Err(WhyAddress::OtherNamespace),
            Some(_) => Err(WhyAddress::OtherHost),
            None => Err(WhyAddress::Failed),
        }
    }

    /// Connects to it, through shared memory if the settings and the server allow it and there is
    /// memory. Takes at most half of `timeout`.
    ///
    /// # Errors
    /// The reason why it does not.
    pub fn connect(&self, timeout: Duration, settings: &Settings) -> Connected {
        self.check(settings)?;
        let wanted = match settings.same_host {
            SameHost::Shm => (Carrier::Memory, &settings.stream_options_with(settings.shm_queues)),
            _ => (Carrier::Socket, &settings.stream_options_with(settings.unix_queues)),
        };
        let users = Users::OwnAnd(settings.local_access.peers.clone());
        let made = same_host::connect(&self.name, wanted, &users, (timeout / 2).min(MOST_WAIT));
        let (stream, carrier) = made.map_err(|error| {
            tracing::debug!(%error, "not connected to a same-host endpoint");
            match error.kind() {
                io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => WhyAddress::Gone,
                io::ErrorKind::PermissionDenied => WhyAddress::OtherUser,
                io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => WhyAddress::NoAnswer,
                _ => WhyAddress::Failed,
            }
        })?;
        let way = match carrier {
            Carrier::Memory => Way::SharedMemory,
            Carrier::Socket => Way::LocalSocket,
        };
        Ok((stream, way))
    }
}

impl Component for SameHostEndpoint {
    /// "ARM" and a five, from the range of the vendor.
    const ID: u32 = 0x4152_4d05;
}

impl Encode for SameHostEndpoint {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_u32(self.beside);
        out.put_u32(self.place.network);
        out.put_u32(self.place.users);
        out.put_raw(&self.place.boot);
        out.put_raw(&self.name);
        Ok(())
    }
}

impl<'a> Decode<'a> for SameHostEndpoint {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        let (beside, network, users) = (input.u32()?, input.u32()?, input.u32()?);
        let mut octets = || -> CdrResult<[u8; 16]> {
            let mut octets = [0; 16];
            octets.copy_from_slice(input.raw(16)?);
            Ok(octets)
        };
        let (boot, name) = (octets()?, octets()?);
        Ok(Self { place: Place { boot, network, users }, beside, name })
    }
}

/// Opens a same-host endpoint, which may stand [beside](SameHostEndpoint::component_beside) several
/// TCP endpoints. `None` where the settings or the system have none.
#[doc(hidden)]
pub fn listen_on_same_host(settings: &Settings) -> Option<(Box<dyn Acceptor>, SameHostEndpoint)> {
    if settings.same_host == SameHost::Off {
        return None;
    }
    let place = here()?;
    let users = match &settings.local_access.peers[..] {
        [] => Users::Own,
        peers => Users::Only(peers.to_vec()),
    };
    let takes_memory = settings.same_host == SameHost::Shm;
    let options = settings.stream_options_with(settings.unix_queues);
    let bound = SameHostAcceptor::bind(users, move || takes_memory, options);
    let acceptor =
        bound.inspect_err(|error| tracing::debug!(%error, "no same-host endpoint")).ok()?;
    let endpoint = SameHostEndpoint { place, beside: 0, name: acceptor.name() };
    Some((Box::new(acceptor), endpoint))
}

/// Where this process is; the log says so if the system does not tell.
fn here() -> Option<Place> {
    let here = Place::here();
    if here.is_none() {
        tracing::debug!(
            "no same-host endpoint: the system does not tell where this process is (/proc)"
        );
    }
    here
}

/// A number for an address: FNV-1a of its text, as everybody computes it.
fn digest(address: &str) -> u32 {
    address
        .bytes()
        .fold(0x811c_9dc5, |digest, octet| (digest ^ u32::from(octet)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
#[path = "../../../../lab/fuzz/checks/same_host.rs"]
mod check;
#[cfg(test)]
#[path = "../../../../lab/fuzz/checks/replay.rs"]
mod replay;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_of_every_kind_are_read() {
        replay::replay("same_host", check::check);
    }

    fn endpoint() -> SameHostEndpoint {
        let place = Place { boot: [7; 16], network: 1, users: 2 };
        SameHostEndpoint { place, beside: digest("tcp://host:1"), name: [9; 16] }
    }

    #[test]
    fn a_component_belongs_to_one_address() {
        let other =
            SameHostEndpoint { beside: digest("tcp://host:2"), name: [8; 16], ..endpoint() };
        let components = [other.to_tagged().unwrap(), endpoint().to_tagged().unwrap()];
        assert_eq!(components[0].data.len(), 48, "small, for it is in every reference");
        assert_eq!(SameHostEndpoint::beside(&components, "tcp://host:1"), Some(endpoint()));
        assert_eq!(SameHostEndpoint::beside(&components, "tcp://host:2"), Some(other));
        assert_eq!(SameHostEndpoint::beside(&components, "tcp://host:3"), None);
        let cut = TaggedComponent { data: components[1].data[..47].to_vec(), ..components[1] };
        assert_eq!(SameHostEndpoint::beside(&[cut], "tcp://host:1"), None);
    }

    #[test]
    fn every_way_has_its_place_and_words_of_its_own() {
        for (index, way) in Way::ALL.into_iter().enumerate() {
            assert_eq!(way.index(), index);
            let same = Way::ALL.into_iter().filter(|other| other.words() == way.words());
            assert_eq!(same.count(), 1, "{way}");
        }
    }

    #[test]
    fn who_is_elsewhere_does_not_connect() {
        let settings = Settings { same_host: SameHost::Shm, ..Settings::default() };
        let here = Place::here().unwrap();
        let why = |place, settings: &Settings| {
            SameHostEndpoint { place, ..endpoint() }
                .connect(Duration::from_secs(5), settings)
                .map(|(_, way)| way)
                .unwrap_err()
        };
        assert_eq!(why(Place { boot: [7; 16], ..here }, &settings), WhyAddress::OtherHost);
        let network = here.network.wrapping_add(1);
        assert_eq!(why(Place { network, ..here }, &settings), WhyAddress::OtherNamespace);
        assert_eq!(why(here, &settings), WhyAddress::Gone, "nobody listens there");
        let off = Settings { same_host: SameHost::Off, ..Settings::default() };
        assert_eq!(why(here, &off), WhyAddress::Off);
    }
}
