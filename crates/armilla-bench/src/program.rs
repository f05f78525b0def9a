//! The ways to do the work: plain sockets, wrappers, our ORB in its variations, and other brokers.

use armilla_ipc::Address;

/// Over what two processes talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// TCP over the loopback.
    Tcp,
    /// A Unix-domain socket.
    Unix,
    /// Shared memory.
    Shm,
    /// TCP between two network namespaces over a link of 100 Mbit/s.
    Link,
    /// Within one process, where nothing is sent.
    Memory,
}

impl Transport {
    /// All over which two processes of one machine talk.
    pub const ALL: [Self; 3] = [Self::Tcp, Self::Unix, Self::Shm];

    /// What the programs speak over it.
    pub(crate) const fn protocol(self) -> &'static str {
        match self {
            Self::Link => "tcp",
            other => other.name(),
        }
    }

    /// Its name in arguments and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Unix => "unix",
            Self::Shm => "shm",
            Self::Link => "tcp-100mbit",
            Self::Memory => "memory",
        }
    }

    /// The transport with this name.
    pub fn parse(name: &str) -> Option<Self> {
        let all = Self::ALL.into_iter().chain([Self::Link, Self::Memory]);
        all.into_iter().find(|transport| transport.name() == name)
    }

    /// Where a server over it listens: a host, or the path of a file.
    pub(crate) fn address(self, place: &str) -> Address {
        match self {
            Self::Tcp | Self::Link => Address::tcp(place, 0),
            Self::Unix => Address::unix(place),
            Self::Shm | Self::Memory => Address::shm(place),
        }
    }
}

/// One way to do the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its name in results.
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Variations and `-ORB…` options, for both sides.
    pub(crate) options: &'static [&'static str],
}

/// What runs a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A peer that is compiled from `peers/`; the same name there.
    Peer,
    /// Our typed streams.
    Ipc,
    /// Our ORB.
    Orb,
    /// Our object adapter alone, within one process.
    Adapter,
    /// Our marshalling alone, within one process.
    Codec,
}

/// Plain C sockets: what the ratios refer to.
pub(crate) const C: Program = Program { name: "c", kind: Kind::Peer, options: &[] };
/// ACE's wrappers.
pub(crate) const ACE: Program = Program { name: "ace", kind: Kind::Peer, options: &[] };
/// Our typed streams.
pub(crate) const IPC: Program = Program { name: "armilla-ipc", kind: Kind::Ipc, options: &[] };
/// Our ORB as it comes.
pub(crate) const ORB: Program = Program { name: "armilla", kind: Kind::Orb, options: &[] };
/// Our ORB, whose small oneway calls leave together.
pub(crate) const ORB_SYNC_NONE: Program =
    Program::orb("armilla, sync none", &["-ORBSyncScope", "none"]);
/// Our ORB, called without generated stubs by requests that are used again.
pub(crate) const ORB_DII: Program = Program::orb("armilla, DII", &["dii"]);
/// The same with a request made for every call.
pub(crate) const ORB_DII_NEW: Program = Program::orb("armilla, new DII", &["dii-new"]);
/// The same with a dynamic skeleton on the other side: both are led by TypeCodes.
pub(crate) const ORB_INTERPRETED: Program = Program::orb("armilla, DII and DSI", &["dii", "dsi"]);
/// omniORB.
pub(crate) const OMNIORB: Program = Program { name: "omniorb", kind: Kind::Peer, options: &[] };
/// ZeroC's Ice.
pub(crate) const ICE: Program = Program { name: "ice", kind: Kind::Peer, options: &[] };
/// gRPC in C++.
pub(crate) const GRPC: Program = Program { name: "grpc", kind: Kind::Peer, options: &[] };
/// Cap'n Proto.
pub(crate) const CAPNP: Program = Program { name: "capnp", kind: Kind::Peer, options: &[] };
/// JacORB.
pub(crate) const JACORB: Program = Program { name: "jacorb", kind: Kind::Peer, options: &[] };

/// The peers that take part unless others are named, and those that must be named.
pub(crate) const DEFAULT_PEERS: [&str; 2] = ["ace", "omniorb"];
pub(crate) const OPTIONAL_PEERS: [&str; 4] = ["ice", "grpc", "capnp", "jacorb"];

/// The names of all peers that a [`Plan`](crate::Plan) can ask for beside plain sockets.
pub fn peer_names() -> impl Iterator<Item = &'static str> {
    DEFAULT_PEERS.into_iter().chain(OPTIONAL_PEERS)
}

impl Program {
    /// Our ORB with what it is to do differently.
    pub(crate) const fn orb(name: &'static str, options: &'static [&'static str]) -> Self {
        Self { name, kind: Kind::Orb, options }
    }

    /// Whether it has no protocol of its own, and exchanges octets that others count.
    pub(crate) fn is_raw(&self) -> bool {
        matches!(self.kind, Kind::Ipc) || matches!(self.name, "c" | "ace")
    }

    /// How its calls are made: by generated code, or by the dynamic invocation interface.
    pub(crate) fn style(&self) -> &'static str {
        let dynamic = self.options.iter().any(|option| matches!(*option, "dii" | "dii-new"));
        if dynamic { "dii" } else { "static" }
    }

    /// Whether it takes so long to become as fast as it will be that it is started only once.
    pub(crate) fn warms_up(&self) -> bool {
        self.name == "jacorb"
    }

    /// Whether it can talk over `transport`.
    pub(crate) fn supports(&self, transport: Transport) -> bool {
        match self.kind {
            Kind::Ipc | Kind::Orb => transport != Transport::Memory,
            Kind::Adapter | Kind::Codec => transport == Transport::Memory,
            Kind::Peer if matches!(self.name, "ice" | "jacorb") => {
                matches!(transport, Transport::Tcp | Transport::Link)
            }
            Kind::Peer => matches!(transport, Transport::Tcp | Transport::Unix | Transport::Link),
        }
    }
}
