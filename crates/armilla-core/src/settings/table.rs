//! The settings of an ORB: each field with its default and its `-ORB…` option.

use super::choices::{AcceptBidirectional, Collocation, SameHost};
use super::declare::settings;
use super::kinds::*;
use super::local::LocalAccess;
use super::network::{Network, PublishAs};
use super::option::SettingOption;
use super::queues::Queues;
use super::user_timeout::TcpUserTimeout;
use crate::concurrency::Concurrency;
use crate::policies::{ConnectionPolicy, CustomPolicy, OnewayBuffer, Rebind, Retries, SyncScope};
use armilla_cdr::CodeSet;
use armilla_giop::Version;
use std::ops::RangeInclusive;
use std::time::Duration;

settings! {
/// The limits, times and choices of an ORB.
///
/// All limits are finite by default. An error that a limit causes names the setting. A setting with
/// an `-ORB…` option can be set on the command line; see `OrbBuilder::arguments`. The program sets
/// all with `OrbBuilder::settings`:
///
/// ```
/// use armilla::Orb;
/// use std::time::Duration;
///
/// let orb = Orb::builder()
///     .settings(|settings| {
///         settings.max_message = 1 << 20;
///         settings.client_idle = Duration::from_secs(30);
///     })
///     .build()?;
/// assert_eq!(orb.settings().max_message, 1 << 20);
/// # Ok::<(), armilla::SystemException>(())
/// ```
pub struct Settings {
"Identity" {
    /// The name of the ORB (`ORBid`), which interceptors can read. A name other than the empty one
    /// is unique among the ORBs of the process at any time, and `Orb::with_id` finds the ORB by it.
    #[option("-ORBid", "NAME", TEXT)]
    pub orb_id: String = String::new(),
    /// The name that all ORBs of one server share (`ORBServerId`), which interceptors can read.
    #[option("-ORBServerId", "NAME", TEXT)]
    pub server_id: String = String::new(),
    /// The implementation repository of this server: `HOST:PORT` or a `corbaloc:` URL. References
    /// to objects of persistent POAs carry its addresses instead of those of the server, except
    /// where the POA has its own. From the time when the program runs the ORB, the ORB tells the
    /// repository where it listens, under the name `server_id`; when it is shut down, it tells the
    /// end.
    #[option("-ORBImR", "HOST:PORT|URL", OPTIONAL_TEXT)]
    pub imr: Option<String> = None,
}
"Endpoints" {
    /// Whether a client prefers the local endpoints of a server on the same host to TCP.
    #[option("-ORBLocalEndpoints", "0|1", SWITCH)]
    pub local_endpoints: bool = true,
    /// What carries calls between processes of the same host whose references name a TCP endpoint.
    /// A server opens a same-host endpoint beside each, at an abstract Unix-domain address that no
    /// file stands for, unless this is `off`. A client connects there if it is in the same network
    /// and user namespace and has the same user, or the users that `local_access` names; otherwise
    /// it connects over TCP. It holds for both sides: each must allow it.
    #[option("-ORBSameHost", "off|unix|shm", word())]
    pub same_host: SameHost = SameHost::Shm,
    /// Who may connect to this server's endpoints for processes of the same host. Without the
    /// option: everybody whom the process's umask lets, and at the same-host endpoints beside TCP
    /// (`same_host`) processes of the same user.
    #[option("-ORBLocalAccess", "mode=OCTAL,user=UID,group=GID,peers=UID+UID", parsed(),
        shown "all that the umask lets")]
    pub local_access: LocalAccess = LocalAccess::default(),
    /// The host name or address that references carry instead of the one at which an endpoint
    /// listens. The `publish=` of an endpoint takes precedence.
    #[option("-ORBPublishHost", "HOST", OPTIONAL_TEXT)]
    pub publish_host: Option<String> = None,
    /// The hosts and ports that references carry instead of everything that endpoints would
    /// publish. Needed where ports are mapped between the clients and the server. The option may be
    /// repeated.
    #[option("-ORBPublishAddress", "HOST:PORT", ADDRESSES)]
    pub publish_addresses: Vec<(String, u16)> = Vec::new(),
    /// Whether references carry names or addresses, where no other setting says what to publish.
    #[option("-ORBPublishAs", "given|address|name", word())]
    pub publish_as: PublishAs = PublishAs::Given,
    /// The network whose address an endpoint on every interface publishes. `None` selects the
    /// address from which the default route leaves.
    #[option("-ORBPublishNetwork", "ADDRESS/BITS", parsed_option())]
    pub publish_network: Option<Network> = None,
    /// Whether a reference carries the second and every further address of a server as a
    /// `TAG_ALTERNATE_IIOP_ADDRESS` component of its only IIOP profile, not as a profile of its
    /// own. omniORB and JacORB try such components, but omniORB uses only the first of several
    /// profiles.
    #[option("-ORBAlternateAddresses", "0|1", SWITCH)]
    pub alternate_addresses: bool = true,
}
"Calls" {
    /// The time limit of a call, from the first octet of the request to the reply. `None`, or 0 in
    /// the option, sets no limit.
    #[option("-ORBCallTimeout", "MILLISECONDS", OPTIONAL_MILLISECONDS, limit "time for a call")]
    pub call_timeout: Option<Duration> = Some(Duration::from_secs(30)),
    /// The time limit for sending the request of a call, connecting included. `None`, or 0 in the
    /// option, leaves only the limit of the whole call.
    #[option("-ORBRequestTimeout", "MILLISECONDS", OPTIONAL_MILLISECONDS)]
    pub request_timeout: Option<Duration> = None,
    /// The time limit for establishing a connection.
    #[option("-ORBConnectTimeout", "MILLISECONDS", MILLISECONDS, limit "time for a connection")]
    pub connect_timeout: Duration = Duration::from_secs(5),
    /// How often the client retries a call that the server certainly did not begin, after it has
    /// tried every address of the reference. The option sets the count.
    #[option("-ORBRetries", "COUNT", RETRIES)]
    pub retries: Retries = Retries::NONE,
    /// The rebind policy of a call.
    #[option("-ORBRebind", "transparent|no-rebind|no-reconnect", word())]
    pub rebind: Rebind = Rebind::Transparent,
    /// How often a server may forward one call.
    #[option("-ORBMaxForwards", "COUNT", NUMBER, limit "forwards of one call")]
    pub max_forwards: u32 = 8,
    /// How calls reach objects of the same process.
    #[option("-ORBCollocation", "direct|poa|remote", word())]
    pub collocation: Collocation = Collocation::Direct,
    /// When oneway calls return.
    #[option("-ORBSyncScope", "none|transport|server|target", word())]
    pub sync_scope: SyncScope = SyncScope::WithTransport,
    /// How oneway calls with [`SyncScope::None`] are buffered.
    #[option("-ORBOnewayBuffer", "COUNT,OCTETS,MILLISECONDS", ONEWAY_BUFFER)]
    pub oneway_buffer: OnewayBuffer = OnewayBuffer::default(),
}
"Connections of a client" {
    /// How the calls of a client share connections.
    #[option("-ORBConnectionPolicy", "exclusive|multiplexed", word())]
    pub connection_policy: ConnectionPolicy = ConnectionPolicy::Exclusive,
    /// How many shared connections a client makes to one endpoint. Each thread always uses the same
    /// one.
    #[option("-ORBConnectionsPerEndpoint", "COUNT", COUNT)]
    pub connections_per_endpoint: usize = 1,
    /// The time after which a client closes a connection that no call uses.
    #[option("-ORBClientIdle", "MILLISECONDS", MILLISECONDS, limit "idle connection of a client")]
    pub client_idle: Duration = Duration::from_secs(120),
    /// How many calls of a client may wait for a reply on one connection. A call that has expired
    /// or was cancelled does not count.
    #[option("-ORBRequestsInFlight", "COUNT", COUNT,
        limit "requests in flight on a client's connection")]
    pub requests_in_flight: usize = 65_536,
    /// How many octets of requests a client queues on a shared connection for a server that does
    /// not read them. Above that, calls block; asynchronous calls wait without a thread.
    #[option("-ORBQueuedRequests", "OCTETS", OCTETS,
        limit "octets of requests that wait for a slow server")]
    pub queued_requests: usize = 1 << 20,
    /// Whether a client offers its connections for calls to its own objects, those of POAs with
    /// `Bidirectional::Both`. This serves clients that no server can connect to. Calls then share
    /// connections, as with [`ConnectionPolicy::Multiplexed`], and the client does not close idle
    /// ones. Needs GIOP 1.2.
    #[option("-ORBOfferBiDirectionalGIOP", "0|1", SWITCH)]
    pub offer_bidirectional: bool = false,
    /// The local ports of outgoing TCP connections, for firewalls that filter by them. A connection
    /// takes the first port that no other connection to the same server uses; if all are in use,
    /// the call fails with `TRANSIENT`. `None` lets the system choose.
    #[option("-ORBClientPorts", "FIRST-LAST", PORTS)]
    pub client_ports: Option<RangeInclusive<u16>> = None,
}
"Servers" {
    /// The concurrency model of the server: which threads serve requests. The text form is that of
    /// [`Concurrency`].
    #[option("-ORBConcurrency", "MODEL", parsed(),
        shown "64 with a connection each, 256 more", limit "threads of a server")]
    pub concurrency: Concurrency = Concurrency::default(),
    /// How many connections a server holds at once. A further connection makes the server close the
    /// one that has been idle longest; if none is idle, the server closes the new one.
    #[option("-ORBMaxConnections", "COUNT", COUNT, limit "connections of a server")]
    pub max_connections: usize = 16_384,
    /// How many connections of a server may come from one host; the server closes further ones at
    /// once. A network of IPv6 with 64 bits counts as one host, and so do all clients of this host
    /// that use Unix-domain sockets or shared memory. `None`, or 0 in the option, sets no limit but `max_connections`.
    #[option("-ORBConnectionsPerPeer", "COUNT", OPTIONAL_COUNT, shown "no limit of its own",
        limit "connections from one host")]
    pub connections_per_peer: Option<usize> = None,
    /// How many requests of one connection servants execute at the same time. Further requests are
    /// queued.
    #[option("-ORBRequestsPerConnection", "COUNT", COUNT,
        limit "requests of one connection in servants")]
    pub requests_per_connection: usize = 256,
    /// How many requests of one connection may be without a reply, including those that servants
    /// answer later. The server refuses further requests.
    #[option("-ORBRequestsInProgress", "COUNT", COUNT,
        limit "requests of one connection without a reply")]
    pub requests_in_progress: usize = 16_384,
    /// How many octets of replies the server queues for a client that does not read them, on a
    /// connection without a thread of its own. What is beyond takes of `message_memory`; without
    /// room there the server closes the connection.
    #[option("-ORBQueuedReplies", "OCTETS", OCTETS,
        limit "octets of replies that wait for a slow client outside the budget below")]
    pub queued_replies: usize = 32 << 20,
    /// The time after which a server closes a connection that brings no request, or whose client
    /// takes nothing of a reply.
    #[option("-ORBServerIdle", "MILLISECONDS", MILLISECONDS, limit "idle connection of a server")]
    pub server_idle: Duration = Duration::from_secs(300),
    /// The longest pause that a peer may make within a message.
    #[option("-ORBHeaderDeadline", "MILLISECONDS", MILLISECONDS,
        limit "time a peer may leave a message unfinished")]
    pub header_deadline: Duration = Duration::from_secs(10),
    /// The time limit for a client to send one message, from its first octet.
    #[option("-ORBMessageDeadline", "MILLISECONDS", MILLISECONDS,
        limit "time a client may take for one message")]
    pub message_deadline: Duration = Duration::from_secs(120),
    /// How long a server that shuts down waits for the calls in progress.
    #[option("-ORBDrainTimeout", "MILLISECONDS", MILLISECONDS,
        limit "time for calls under way at shutdown, and for clients to read their replies")]
    pub drain_timeout: Duration = Duration::from_secs(10),
    /// Whether the POA managers of the root POA, and of POAs that are created without one, begin in
    /// the holding state, as CORBA specifies. Requests then wait until the program activates the
    /// manager; otherwise the server serves them at once.
    #[option("-ORBHoldRequests", "0|1", SWITCH)]
    pub hold_requests: bool = false,
    /// How many requests may wait for a POA manager in the holding state, or for what its POAs lack
    /// while the server is starting. Further requests fail with `TRANSIENT`. Each waiting request
    /// occupies a thread.
    #[option("-ORBMaxHeldRequests", "COUNT", COUNT, limit "requests that a POA manager holds")]
    pub max_held_requests: usize = 1024,
    /// How long a server that is starting lets a request wait for what is not there yet: a POA, an
    /// object, a servant manager, a default servant, a published name. The request then fails with
    /// `TRANSIENT`. Zero does not let it wait: it fails with `OBJECT_NOT_EXIST` or `OBJ_ADAPTER`,
    /// as in a server that has started.
    #[option("-ORBStartupHold", "MILLISECONDS", MILLISECONDS,
        limit "time a request waits for what a server that starts lacks")]
    pub startup_hold: Duration = Duration::from_secs(10),
    /// Whether a server calls the objects of a client over connections that the client made and
    /// offered. If so, all connections of clients wait in the reactor.
    #[option("-ORBAcceptBiDirectionalGIOP", "never|checked|trusted", word())]
    pub accept_bidirectional: AcceptBidirectional = AcceptBidirectional::Never,
    /// Whether the server sends the text that explains a system exception, in the service context
    /// `ExceptionDetailMessage`, as JacORB does. A server that untrusted clients call may prefer
    /// not to.
    #[option("-ORBExceptionDetails", "0|1", SWITCH)]
    pub exception_details: bool = true,
}
"Messages" {
    /// The largest message that the ORB sends or accepts, in octets.
    #[option("-ORBMaxMessage", "OCTETS", OCTETS,
        limit "octets of a message, fragments together")]
    pub max_message: usize = 16 << 20,
    /// How many octets of large messages a server holds for all its clients at once: requests while
    /// they arrive and while servants use them, and replies beyond `queued_replies`. One client's
    /// host may hold as much as is free, so at most half. A request beyond that ends in
    /// `TRANSIENT`; nothing of it was executed. A client has as much for the replies of all its
    /// servers while they arrive; one that gets no memory ends its call with `NO_RESOURCES`.
    /// `None`, or 0 in the option, takes a quarter of the memory of the machine or the container.
    ///
    /// A second after the last large message, or when its connection ends, the memory of what was
    /// received goes back to the operating system. What values of the program took, and the replies
    /// that were encoded, the allocator may keep (the GNU C library: up to twice the largest block
    /// for each thread, unless the environment has `MALLOC_TRIM_THRESHOLD_`).
    #[option("-ORBMessageMemory", "OCTETS", OPTIONAL_OCTETS, shown "¼ of the memory each",
        limit "octets of large requests of all clients, and of large replies of all servers")]
    pub message_memory: Option<usize> = None,
    /// The size in octets, at least 64, above which the ORB sends a request or reply in fragments
    /// of that size. `None`, or 0 in the option, sends every message in one piece.
    ///
    /// The ORB does not fragment by default: fragments do not get a message past a peer's size
    /// limit, which counts all fragments together, and some ORBs misread the fragments of others.
    /// GIOP 1.1 does not divide a primitive of eight octets, so its fragments may be larger.
    #[option("-ORBFragmentSize", "OCTETS", OPTIONAL_OCTETS)]
    pub fragment_size: Option<usize> = None,
    /// How deeply the values of a received message may be nested; for a linked list this is its
    /// length. Inside an `any` the limit is 256 at most. The ORB reads deep values on separate
    /// stacks, about 2 KiB per value.
    #[option("-ORBValueDepth", "COUNT", NUMBER, limit "depth of valuetypes in a message")]
    pub value_depth: u32 = 256,
    /// The highest GIOP version that the ORB speaks.
    #[option("-ORBMaxGIOPVersion", "1.0|1.1|1.2", GIOP)]
    pub max_giop: Version = Version::V1_2,
    /// The native code set for `char` and `string`, which references name and a client prefers. Any
    /// code set that is not wide, such as `ISO-8859-15`; the older ones need the feature
    /// `legacy-code-sets`. References name UTF-8 and ISO 8859-1 beside it, as conversion code sets.
    ///
    /// In ISO 8859-1 every octet of an IDL `char` is a character, but other ORBs may be unable to
    /// send a character beyond it. With UTF-8 they can send any text, but no `char` above 127.
    #[option("-ORBNativeCharCodeSet", "NAME", CHAR_CODE_SET)]
    pub native_char_code_set: CodeSet = CodeSet::Iso8859_1,
    /// The native code set for `wchar` and `wstring`, which references name and a client prefers.
    #[option("-ORBNativeWCharCodeSet", "UTF-16|UCS-2|UCS-4", WCHAR_CODE_SET)]
    pub native_wchar_code_set: CodeSet = CodeSet::Utf16,
    /// Whether wide texts carry units of UTF-16 that are half a character, as ORBs do that check
    /// none. In a `wstring` or a `wchar` another character stands for each (`LoneSurrogate`).
    /// Otherwise the ORB refuses to read such a text with `DATA_CONVERSION`, which names the unit.
    #[option("-ORBLoneSurrogates", "0|1", SWITCH)]
    pub lone_surrogates: bool = false,
}
"Sockets" {
    /// The size of the send and receive buffers of sockets, in octets. `None`, or 0 in the option,
    /// leaves the system's default.
    #[option("-ORBSocketQueue", "OCTETS", OPTIONAL_OCTETS, shown "the system's")]
    pub socket_queue: Option<usize> = None,
    /// The sizes of the send and the receive buffers of TCP connections alone, in octets. 0 in the
    /// option leaves one as `socket_queue` says.
    #[option("-ORBTcpQueues", "SEND,RECEIVE", parsed(), shown "as `socket_queue`")]
    pub tcp_queues: Queues = Queues::default(),
    /// The same for Unix-domain sockets.
    #[option("-ORBUnixQueues", "SEND,RECEIVE", parsed(), shown "as `socket_queue`")]
    pub unix_queues: Queues = Queues::default(),
    /// The same for connections over shared memory. The side that connects makes the memory, so
    /// this means something to clients only; a size is rounded up to a power of two between 4 KiB
    /// and 16 MiB.
    #[option("-ORBShmQueues", "SEND,RECEIVE", parsed(), shown "as `socket_queue`")]
    pub shm_queues: Queues = Queues::default(),
    /// How much shared memory the connections of this process take for what they send, all
    /// together: 20 KiB each, and as much as `shm_queues` says for each that sends more at once,
    /// until it is idle. Beyond it such connections wait more often, and new ones between
    /// processes of the same host use Unix-domain sockets. It holds for all ORBs of the process;
    /// `None`, or 0 in the option, leaves it as it is, 512 MiB at first.
    #[option("-ORBShmMemory", "OCTETS", OPTIONAL_OCTETS, shown "512 MiB",
        limit "octets of shared memory for what all connections of the process send")]
    pub shm_memory: Option<usize> = None,
    /// Whether TCP connections send small messages at once (`TCP_NODELAY`) instead of collecting
    /// them.
    #[option("-ORBNoDelay", "0|1", SWITCH)]
    pub no_delay: bool = true,
    /// The time without traffic after which the system probes a TCP connection, in whole seconds.
    /// `None`, or 0 in the option, does not probe.
    #[option("-ORBKeepAlive", "SECONDS", OPTIONAL_SECONDS)]
    pub keep_alive: Option<Duration> = None,
    /// How long a peer may acknowledge nothing of what was sent to it, or take nothing, before the
    /// system gives a TCP connection up (`TCP_USER_TIMEOUT`), at either end. `calls` is the time of
    /// `call_timeout`, but no less than 2 s, and no limit where calls have none; 0 leaves it to the
    /// system, which tries for about a quarter of an hour.
    #[option("-ORBTcpUserTimeout", "calls|MILLISECONDS", parsed(), shown "as `call_timeout`",
        limit "time for a peer to acknowledge what was sent")]
    pub tcp_user_timeout: TcpUserTimeout = TcpUserTimeout::AsCalls,
    /// How long a read polls for data before it blocks; zero does not poll. Polling occupies a
    /// processor, so it pays where both ends have a core of their own. `None` leaves it to the
    /// system; shared memory then polls for some microseconds while that pays.
    #[option("-ORBBusyPoll", "MICROSECONDS", OPTIONAL_MICROSECONDS, shown "the system's")]
    pub busy_poll: Option<Duration> = None,
    /// The name of the congestion control algorithm of TCP connections. `None` leaves the system's
    /// default.
    #[option("-ORBCongestionControl", "NAME", OPTIONAL_TEXT, shown "the system's")]
    pub congestion_control: Option<String> = None,
    /// The DiffServ code point of TCP connections, 0 to 63. `None` leaves the system's default.
    #[option("-ORBDscp", "NUMBER", CODE_POINT, shown "the system's")]
    pub dscp: Option<u8> = None,
    /// The priority of TCP connections in the queues of this host (`SO_PRIORITY`), 0 to 6, or with
    /// `CAP_NET_ADMIN` to 255; a higher one is sent first if the queueing discipline has bands.
    /// `None` leaves the system's default.
    #[option("-ORBSocketPriority", "NUMBER", OCTET, shown "the system's")]
    pub socket_priority: Option<u8> = None,
}
without option {
    /// The policies of types that the program defines. They apply to calls whose reference and
    /// thread set no other policy of that type.
    pub custom_policies: Vec<CustomPolicy> = Vec::new(),
}
}
}
