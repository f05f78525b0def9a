//! The programs: plain sockets, wrappers, Armilla in its variations, and other brokers.

use crate::line::Line;
use armilla_ipc::Address;

/// The transport between two processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// TCP over the loopback.
    Tcp,
    /// What our ORB chooses by itself between processes of one host, beside TCP of the others.
    SameHost,
    /// A Unix-domain socket.
    Unix,
    /// Shared memory.
    Shm,
    /// TCP between two network namespaces over a simulated line.
    Link(Line),
    /// Within one process, without a transport.
    Memory,
}

impl Transport {
    /// The transports between two processes of one machine.
    pub const ALL: [Self; 4] = [Self::Tcp, Self::SameHost, Self::Unix, Self::Shm];

    /// The protocol of a program over this transport.
    pub(crate) const fn protocol_of(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Self::SameHost, Kind::Orb) => self.name(),
            (Self::Link(_) | Self::SameHost, _) => "tcp",
            (other, _) => other.name(),
        }
    }

    /// Its name in arguments and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::SameHost => "same-host",
            Self::Unix => "unix",
            Self::Shm => "shm",
            Self::Link(Line::Ethernet10) => "tcp-10mbit",
            Self::Link(Line::Ethernet100) => "tcp-100mbit",
            Self::Link(Line::Atm155) => "tcp-155mbit",
            Self::Link(Line::Ethernet1000) => "tcp-1gbit",
            Self::Memory => "memory",
        }
    }

    /// The transport with this name.
    pub fn parse(name: &str) -> Option<Self> {
        let links = Line::ALL.map(Self::Link);
        let mut all = Self::ALL.into_iter().chain(links).chain([Self::Memory]);
        all.find(|transport| transport.name() == name)
    }

    /// The address of a server: `place` is a host or the path of a file.
    pub(crate) fn address(self, place: &str) -> Address {
        match self {
            Self::Tcp | Self::SameHost | Self::Link(_) => Address::tcp(place, 0),
            Self::Unix => Address::unix(place),
            Self::Shm | Self::Memory => Address::shm(place),
        }
    }
}

/// One program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its name in results.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Variations and `-ORB…` options, for both sides.
    pub(crate) options: &'static [&'static str],
}

/// The executable of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A peer that is compiled from `peers/`; the same name there.
    Peer,
    /// Our typed streams.
    Ipc,
    /// Our ORB.
    Orb,
    /// Our DCOM.
    Dcom,
    /// Our object adapter alone, within one process.
    Adapter,
    /// Our marshalling alone, within one process.
    Codec,
    /// Datagrams in one direction, which check a link.
    OneWay,
}

/// Plain C sockets, the baseline of ratios.
pub(crate) const C: Program = Program { name: "c", kind: Kind::Peer, options: &[] };
/// Plain C sockets as a program of its own: how far two equal programs differ.
pub(crate) const C_AGAIN: Program = Program { name: "c, again", kind: Kind::Peer, options: &[] };
/// How far the results of these two may differ, relative to one.
pub(crate) const ALIKE: f64 = 0.05;
/// Datagrams in one direction, which check a link.
pub(crate) const ONE_WAY: Program = Program { name: "one-way", kind: Kind::OneWay, options: &[] };
/// ACE's wrappers.
pub(crate) const ACE: Program = Program { name: "ace", kind: Kind::Peer, options: &[] };
/// Our typed streams.
pub(crate) const IPC: Program = Program { name: "armilla-ipc", kind: Kind::Ipc, options: &[] };
/// Our ORB with default options.
pub(crate) const ORB: Program = Program { name: "armilla", kind: Kind::Orb, options: &[] };
/// Our ORB, which sends small oneway calls together.
pub(crate) const ORB_SYNC_NONE: Program =
    Program::orb("armilla, sync none", &["-ORBSyncScope", "none"]);
/// Our ORB, called dynamically with reused requests.
pub(crate) const ORB_DII: Program = Program::orb("armilla, DII", &["dii"]);
/// The same with a new request for every call.
pub(crate) const ORB_DII_NEW: Program = Program::orb("armilla, new DII", &["dii-new"]);
/// The same with a dynamic skeleton on the server: TypeCodes guide both sides.
pub(crate) const ORB_INTERPRETED: Program = Program::orb("armilla, DII and DSI", &["dii", "dsi"]);
/// Our DCOM at its default level, integrity.
pub(crate) const DCOM: Program = Program { name: "armilla-dcom", kind: Kind::Dcom, options: &[] };
/// The same, encrypted.
pub(crate) const DCOM_PRIVACY: Program =
    Program { name: "armilla-dcom, privacy", kind: Kind::Dcom, options: &["privacy"] };
/// The same without security.
pub(crate) const DCOM_PLAIN: Program =
    Program { name: "armilla-dcom, none", kind: Kind::Dcom, options: &["none"] };
/// omniORB.
pub(crate) const OMNIORB: Program = Program { name: "omniorb", kind: Kind::Peer, options: &[] };
/// omniORB in the real-time experiment.
pub(crate) const OMNIORB_REALTIME: Program =
    Program { name: "omniorb-realtime", kind: Kind::Peer, options: &[] };
/// The programs of the imaging experiment: plain sockets, omniORB, gRPC.
pub(crate) const IMAGING_C: Program = Program { name: "imaging-c", kind: Kind::Peer, options: &[] };
pub(crate) const IMAGING_OMNIORB: Program =
    Program { name: "imaging-omniorb", kind: Kind::Peer, options: &[] };
pub(crate) const IMAGING_GRPC: Program =
    Program { name: "imaging-grpc", kind: Kind::Peer, options: &[] };
/// ZeroC's Ice.
pub(crate) const ICE: Program = Program { name: "ice", kind: Kind::Peer, options: &[] };
/// gRPC in C++.
pub(crate) const GRPC: Program = Program { name: "grpc", kind: Kind::Peer, options: &[] };
/// Cap'n Proto.
pub(crate) const CAPNP: Program = Program { name: "capnp", kind: Kind::Peer, options: &[] };
/// JacORB.
pub(crate) const JACORB: Program = Program { name: "jacorb", kind: Kind::Peer, options: &[] };
/// TAO, which the user has built.
pub(crate) const TAO: Program = Program { name: "tao", kind: Kind::Peer, options: &[] };

/// What is compared between processes of one host that use what they choose by themselves.
pub(crate) const BY_THEMSELVES: [Program; 3] = [C, ORB, OMNIORB];

/// The default peers, and those that run only if named.
pub(crate) const DEFAULT_PEERS: [&str; 2] = ["ace", "omniorb"];
pub(crate) const OPTIONAL_PEERS: [&str; 5] = ["ice", "grpc", "capnp", "jacorb", "tao"];

/// The names of all peers of a [`Plan`](crate::Plan) except plain sockets.
pub fn peer_names() -> impl Iterator<Item = &'static str> {
    DEFAULT_PEERS.into_iter().chain(OPTIONAL_PEERS)
}

impl Program {
    /// Our ORB with options.
    pub(crate) const fn orb(name: &'static str, options: &'static [&'static str]) -> Self {
        Self { name, kind: Kind::Orb, options }
    }

    /// Whether the program has no protocol of its own, and exchanges as many octets as the ORB.
    pub(crate) fn is_raw(&self) -> bool {
        matches!(self.kind, Kind::Ipc) || matches!(self.peer(), "c" | "ace")
    }

    /// The name of its executable, if it is a peer.
    pub(crate) fn peer(&self) -> &'static str {
        if *self == C_AGAIN { C.name } else { self.name }
    }

    /// Whether the program is plain sockets, which is always measured.
    pub(crate) fn is_plain(&self) -> bool {
        self.peer() == C.name
    }

    /// The kind of invocation: by generated code, or dynamic.
    pub(crate) fn style(&self) -> &'static str {
        let dynamic = self.options.iter().any(|option| matches!(*option, "dii" | "dii-new"));
        if dynamic { "dii" } else { "static" }
    }

    /// Whether the program starts only once, because it warms up slowly.
    pub(crate) fn warms_up(&self) -> bool {
        self.name == "jacorb"
    }

    /// Whether the program supports `transport`.
    pub(crate) fn supports(&self, transport: Transport) -> bool {
        match self.kind {
            Kind::Orb => transport != Transport::Memory,
            Kind::Ipc => !matches!(transport, Transport::Memory | Transport::SameHost),
            Kind::Adapter | Kind::Codec => transport == Transport::Memory,
            Kind::OneWay => matches!(transport, Transport::Link(_)),
            Kind::Dcom => matches!(transport, Transport::Tcp | Transport::Link(_)),
            // What they choose by themselves is TCP, of which the figures stand beside.
            Kind::Peer if transport == Transport::SameHost => {
                self.is_plain() || self.name == OMNIORB.name
            }
            Kind::Peer if matches!(self.name, "ice" | "jacorb") => {
                matches!(transport, Transport::Tcp | Transport::Link(_))
            }
            Kind::Peer => {
                matches!(transport, Transport::Tcp | Transport::Unix | Transport::Link(_))
            }
        }
    }
}
