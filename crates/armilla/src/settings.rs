//! Everything about an ORB that can be set, with the defaults.

use crate::concurrency::Concurrency;
use crate::exception::{Minor, SystemException};
use crate::policies::{ConnectionPolicy, OnewayBuffer, SyncScope};
use crate::policies::{CustomPolicy, Rebind, Retries};
use armilla_cdr::{CodeSet, CodeSets};
use armilla_giop::Version;
use armilla_ipc::StreamOptions;
use armilla_ipc::option::CodePoint;
use std::fmt;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// How calls reach the objects of the same process.
///
/// Whichever it is: an object that was deactivated does not exist, what the manager and the thread
/// policy of the POA say holds, [`Current`](crate::Current) knows the object, and after
/// [`Orb::shutdown`](crate::Orb::shutdown) calls fail. An object whose servant must be asked for is
/// called through its POA in any case.
///
/// | what a servant can tell | `Direct` | `ThroughPoa`, `Remote` |
/// |---|---|---|
/// | `in` arguments | lent; Rust does not let it change them | a copy |
/// | `inout` arguments | the caller's own; what it wrote stays when it fails | a copy; they change when it succeeds |
/// | results | moved to the caller | a copy |
/// | [values](crate::Value) and what they lead to | the caller's own, shared | a copy of the same shape |
/// | bounds, and characters that do not travel | not looked at | an exception |
/// | its own panic | goes on in the caller | `UNKNOWN` |
/// | a generated `…_async` method | the caller is in it: it waits, unless the servant has its own | the caller goes on |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Collocation {
    /// The servant's method is called: no marshalling, no lock.
    #[default]
    Direct,
    /// Like a request from elsewhere, but for the socket: arguments and results are marshalled.
    ThroughPoa,
    /// Over a socket, as any other client does it.
    Remote,
}

/// Whether calls go back over connections that clients have made and offered for it: bidirectional
/// GIOP (CORBA 3.4 Part 2, 9.8). As text it is what `-ORBAcceptBiDirectionalGIOP` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AcceptBidirectional {
    /// No; as text `never`, or 0.
    #[default]
    Never,
    /// For addresses that are the client's own, as far as the connection tells; as text `checked`, or
    /// 1. Of two clients on one host the latest to offer a connection for an address is believed.
    Checked,
    /// For whatever address the client names, as those behind an address translation must; as text
    /// `trusted`. Any client can have the calls for others sent to it then: the network has to keep
    /// strangers out. While a client from one place stands for an address, none from another can.
    Trusted,
}

impl FromStr for AcceptBidirectional {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "never" | "0" => Ok(Self::Never),
            "checked" | "1" => Ok(Self::Checked),
            "trusted" => Ok(Self::Trusted),
            _ => Err(format!("{text:?}: one of never, checked and trusted is needed")),
        }
    }
}

/// The limits and times of an ORB. All are finite; an error that comes from one names it.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The name of the ORB, `ORBid`, which interceptors are told; empty. Where it is not, no other ORB
    /// of the process has it at the same time, and [`Orb::with_id`](crate::Orb::with_id) knows it.
    pub orb_id: String,
    /// The name that all ORBs of one server have, `ORBServerId`, which interceptors are told; empty.
    pub server_id: String,
    /// The largest message that is sent or accepted, in octets. 16 MiB.
    pub max_message: usize,
    /// The size in octets from which on a request or reply leaves in fragments of that size, 64 or
    /// more; `None` sends every message in one piece. Peers that say they take no message larger
    /// than something mean it with all fragments together, and some misread what others cut, so
    /// nothing is cut unless it is asked for. In GIOP 1.1 numbers of eight octets are never apart
    /// and make larger fragments. `None`.
    pub fragment_size: Option<usize>,
    /// How long a call may take, from its first octet to its reply. 30 s; `None` waits for ever.
    pub call_timeout: Option<Duration>,
    /// How long a call may take until its request has left, connecting included; `None` leaves it at
    /// the time for the whole call. `None`.
    pub request_timeout: Option<Duration>,
    /// How long it may take to make a connection. 5 s.
    pub connect_timeout: Duration,
    /// What a call may do unseen to reach its object. Everything.
    pub rebind: Rebind,
    /// How often a call is tried again that was certainly not begun, once every address of its
    /// reference was tried. Never.
    pub retries: Retries,
    /// After how long without a call a client closes a connection. 120 s.
    pub client_idle: Duration,
    /// After how long a server closes a connection that brings no request, or takes none of a reply.
    /// 300 s.
    pub server_idle: Duration,
    /// How long a peer may leave a message unfinished without sending more of it. 10 s.
    pub header_deadline: Duration,
    /// How long a server that shuts down waits for calls under way. 10 s.
    pub drain_timeout: Duration,
    /// How long a client may take to send one message, from its first octet on. 120 s.
    pub message_deadline: Duration,
    /// How many connections a server holds at once. For one more the connection that has been idle
    /// longest is closed; if none is idle, the new one is. 16,384.
    pub max_connections: usize,
    /// Which threads serve requests.
    pub concurrency: Concurrency,
    /// How many requests of one connection servants have at the same time; more wait. 64.
    pub requests_per_connection: usize,
    /// How many requests of one connection may be without a reply, those included that servants
    /// answer later; more are refused. 16,384.
    pub requests_in_progress: usize,
    /// How many octets of replies wait for a client that does not take them, where it has no thread
    /// of its own; with more it is given up. 32 MiB.
    pub queued_replies: usize,
    /// Whether requests wait until the program activates the [managers](crate::PoaManager) of the root
    /// POA and of POAs that were made without one, as CORBA has it. No: they are served at once.
    pub hold_requests: bool,
    /// How many requests wait for a POA manager that holds them; more fail with `TRANSIENT`. Each
    /// keeps a thread. 1,024.
    pub max_held_requests: usize,
    /// How calls reach objects of the same process. Directly.
    pub collocation: Collocation,
    /// How the calls of a client share connections.
    pub connection_policy: ConnectionPolicy,
    /// Over how many connections to an endpoint calls are spread that share them; each thread always
    /// uses the same. 1.
    pub connections_per_endpoint: usize,
    /// How many requests of a client may be without a reply on one connection. 65,536.
    pub requests_in_flight: usize,
    /// How many octets of requests wait for a server that does not take them, on a shared connection;
    /// with more, calls wait. 1 MiB.
    pub queued_requests: usize,
    /// When oneway calls return.
    pub sync_scope: SyncScope,
    /// How oneway calls wait for each other with [`SyncScope::None`].
    pub oneway_buffer: OnewayBuffer,
    /// Whether the connections that this ORB makes are offered for calls to its own objects, those of
    /// POAs with [`Bidirectional::Both`](crate::Bidirectional): for clients that nobody can connect to.
    /// Calls share connections then, as with [`ConnectionPolicy::Multiplexed`], and those are not closed for
    /// being idle. They need GIOP 1.2. No.
    pub offer_bidirectional: bool,
    /// Whether calls to a client's objects go over connections that the client has made and offered.
    /// All connections of clients wait in the reactor then. Never.
    pub accept_bidirectional: AcceptBidirectional,
    /// After how long without traffic a TCP connection is probed, in whole seconds; `None` never
    /// does. `None`.
    pub keep_alive: Option<Duration>,
    /// How often one call may be forwarded. 8.
    pub max_forwards: u32,
    /// How deep the [values](crate::Value) of a message that arrives may lead to one another, which for a
    /// list is how long it may be. Deep ones are read on stacks of their own, about 2 KiB for each
    /// value. In an `any` it is 256 at most. 256.
    pub value_depth: u32,
    /// Whether clients hear in words why a system exception was raised here, in a service context
    /// that the specification has for it (`ExceptionDetailMessage`); JacORB sends it as
    /// well. Servers that strangers call may rather tell them nothing. `true`.
    pub exception_details: bool,
    /// The highest GIOP version that is spoken. 1.2.
    pub max_giop: Version,
    /// The code set for `char` and `string` that references name as ours, beside UTF-8 and
    /// ISO 8859-1 as those that we convert, and that a client prefers. ISO 8859-1, in which every
    /// octet of an IDL `char` is a character; other ORBs may send nothing beyond it then. With UTF-8
    /// they may send any text, but no `char` above 127. Any but the wide ones.
    pub native_char_code_set: CodeSet,
    /// The code set for `wchar` and `wstring` that references name as ours, and that a client
    /// prefers: UTF-16, UCS-2 or UCS-4. UTF-16.
    pub native_wchar_code_set: CodeSet,
    /// The host name or address that references carry instead of the one that an endpoint listens
    /// at; an endpoint's own `publish=` comes before it. `None`.
    pub publish_host: Option<String>,
    /// Hosts and ports that references carry instead of everything that endpoints would publish:
    /// what clients see from the other side of a mapping of ports. Empty.
    pub publish_addresses: Vec<(String, u16)>,
    /// Whether references carry names or addresses where nothing else says what to publish.
    pub publish_as: PublishAs,
    /// Of which network the address is that is published for an endpoint on every interface; `None`
    /// takes the one from which the rest of the world is reached.
    pub publish_network: Option<Network>,
    /// Whether the second and every further address of a server travels as a
    /// `TAG_ALTERNATE_IIOP_ADDRESS` component of the one IIOP profile, not as a profile of its own.
    /// Yes: omniORB and JacORB go through those, but omniORB takes the first alone of several profiles.
    pub alternate_addresses: bool,
    /// The size of the sockets' send and receive queues in octets; `None` leaves the system's.
    pub socket_queue: Option<usize>,
    /// Whether a client prefers the endpoints that a server on the same host has beside TCP. Yes.
    pub local_endpoints: bool,
    /// How long a read watches for data before it sleeps, at the cost of a processor; zero is not at
    /// all. Pays where both ends have a core of their own. `None` leaves it to the system, and over
    /// shared memory watches for some microseconds as long as that pays.
    pub busy_poll: Option<Duration>,
    /// The congestion control of TCP connections by name; `None` leaves the system's.
    pub congestion_control: Option<String>,
    /// The ports of this end where the ORB connects over TCP, for firewalls that look at them: the first is
    /// taken by which no other connection leads to the same server; where all are, calls are `TRANSIENT`.
    /// `None` takes what the system chooses.
    pub client_ports: Option<RangeInclusive<u16>>,
    /// How routers are asked to treat the packets of TCP connections, by the number of the code point of
    /// differentiated services, 0 to 63; `None` like those of everybody else.
    pub dscp: Option<u8>,
    /// The policies of types that programs have defined which calls have unless their reference or
    /// thread has others; none.
    pub custom_policies: Vec<CustomPolicy>,
}

/// In which form references carry the host of an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PublishAs {
    /// As the endpoint names it; by address where it names none.
    #[default]
    Given,
    /// By address: what the name in the endpoint stands for.
    Address,
    /// By the name of this host.
    Name,
}

/// A network: an address, and how many of its bits all hosts there have in common. As text
/// `10.1.0.0/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    /// An address in it.
    pub address: IpAddr,
    /// How many bits.
    pub prefix: u8,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bad = || format!("{text:?}: a network is ADDRESS/BITS, such as 10.1.0.0/16");
        let (address, prefix) = text.split_once('/').ok_or_else(bad)?;
        let address: IpAddr = address.parse().map_err(|_| bad())?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.parse().ok().filter(|prefix| *prefix <= most).ok_or_else(bad)?;
        Ok(Self { address, prefix })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            orb_id: String::new(),
            server_id: String::new(),
            max_message: 16 << 20,
            fragment_size: None,
            call_timeout: Some(Duration::from_secs(30)),
            request_timeout: None,
            connect_timeout: Duration::from_secs(5),
            rebind: Rebind::Transparent,
            retries: Retries::NONE,
            client_idle: Duration::from_secs(120),
            server_idle: Duration::from_secs(300),
            header_deadline: Duration::from_secs(10),
            drain_timeout: Duration::from_secs(10),
            message_deadline: Duration::from_secs(120),
            max_connections: 16_384,
            concurrency: Concurrency::default(),
            requests_per_connection: 64,
            requests_in_progress: 16_384,
            queued_replies: 32 << 20,
            hold_requests: false,
            max_held_requests: 1024,
            collocation: Collocation::Direct,
            connection_policy: ConnectionPolicy::default(),
            connections_per_endpoint: 1,
            requests_in_flight: 65_536,
            queued_requests: 1 << 20,
            sync_scope: SyncScope::default(),
            oneway_buffer: OnewayBuffer::default(),
            offer_bidirectional: false,
            accept_bidirectional: AcceptBidirectional::Never,
            keep_alive: None,
            max_forwards: 8,
            value_depth: 256,
            exception_details: true,
            max_giop: Version::V1_2,
            native_char_code_set: CodeSet::Iso8859_1,
            native_wchar_code_set: CodeSet::Utf16,
            publish_host: None,
            publish_addresses: Vec::new(),
            publish_as: PublishAs::Given,
            publish_network: None,
            alternate_addresses: true,
            socket_queue: None,
            local_endpoints: true,
            busy_poll: None,
            congestion_control: None,
            client_ports: None,
            dscp: None,
            custom_policies: Vec::new(),
        }
    }
}

impl Settings {
    /// Whether calls have no policies but their limits for the reply and for connections.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        let unlimited = self.request_timeout.is_none();
        unlimited && self.retries.count == 0 && self.rebind == Rebind::Transparent
    }

    /// How a transport of this ORB makes its streams.
    pub fn stream_options(&self) -> StreamOptions {
        StreamOptions {
            send_buffer: self.socket_queue,
            recv_buffer: self.socket_queue,
            congestion: self.congestion_control.clone(),
            keep_alive: self.keep_alive,
            busy_poll: self.busy_poll,
            local_ports: self.client_ports.clone(),
            dscp: self.dscp.and_then(CodePoint::new),
            ..StreamOptions::default()
        }
    }

    /// The native code sets.
    pub(crate) const fn native_code_sets(&self) -> CodeSets {
        CodeSets { char: self.native_char_code_set, wchar: Some(self.native_wchar_code_set) }
    }

    /// Fails when a setting cannot be met.
    pub(crate) fn check(&self) -> Result<(), SystemException> {
        let (char, wchar) = (self.native_char_code_set, self.native_wchar_code_set);
        let wrong = if char.is_wide() || CodeSet::from_id(char.id()).is_none() {
            format!("native_char_code_set: {char} is not one for `char` and `string`")
        } else if !wchar.is_wide() {
            format!("native_wchar_code_set: {wchar} is not one for `wchar` and `wstring`")
        } else if self.dscp.is_some_and(|number| CodePoint::new(number).is_none()) {
            "dscp: a code point has a number from 0 to 63".to_owned()
        } else {
            return Ok(());
        };
        Err(SystemException::bad_param(Minor::BAD_ARGUMENT, wrong))
    }
}
