//! The settings of an ORB and their defaults.
//!
//! The `-ORB…` options that set them on the command line are in `orb::arguments`. The types of
//! the policies are in `policies`.

mod local;
mod network;
mod queues;

pub use local::LocalAccess;
pub use network::{Network, PublishAs};
pub use queues::Queues;

use crate::concurrency::Concurrency;
use crate::exception::{Minor, SystemException};
use crate::policies::{ConnectionPolicy, OnewayBuffer, SyncScope};
use crate::policies::{CustomPolicy, Rebind, Retries};
use armilla_cdr::{CodeSet, CodeSets};
use armilla_giop::url::{Corbaloc, CorbalocAddress, ObjectUrl};
use armilla_giop::{CodeSetContext, Version};
use armilla_ipc::StreamOptions;
use armilla_ipc::option::CodePoint;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

/// The object key of an implementation repository in `corbaloc:` URLs.
const IMR_KEY: &str = "ImplementationRepository";

/// How calls reach the objects of the same process.
///
/// In every mode a deactivated object does not exist, the states of the POA manager and the thread
/// policy of the POA apply, `Current` knows the object, and calls fail after `Orb::shutdown`. An
/// object whose servant a servant manager or a default servant supplies is called through its POA.
///
/// | what differs | `Direct` | `ThroughPoa`, `Remote` |
/// |---|---|---|
/// | `in` arguments | borrowed; the servant cannot change them | a copy |
/// | `inout` arguments | the caller's own, even after a failure | a copy; unchanged on failure |
/// | results | moved to the caller | a copy |
/// | graphs of values | the caller's own, shared | a copy of the same shape |
/// | bounds, and characters that the code set lacks | not checked | an exception |
/// | a panic of the servant | unwinds into the caller | `UNKNOWN` |
/// | a generated `…_async` method | see below | returns at once |
///
/// With `Direct`, an `…_async` method executes the servant in the thread of the caller, unless
/// the servant implements the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Collocation {
    /// Calls the method of the servant: no marshalling, no lock.
    #[default]
    Direct,
    /// Marshals arguments and results as for a remote call, but uses no connection.
    ThroughPoa,
    /// Uses a connection, as a client in another process does.
    Remote,
}

/// Whether a server calls the objects of clients over connections that the clients made and offered
/// for it: bidirectional GIOP (CORBA 3.4 Part 2, 9.8). The text form is the value of
/// `-ORBAcceptBiDirectionalGIOP`.
///
/// ```
/// use armilla::AcceptBidirectional;
///
/// assert_eq!("checked".parse(), Ok(AcceptBidirectional::Checked));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum AcceptBidirectional {
    /// Never. Text form: `never` or `0`.
    #[default]
    Never,
    /// For the addresses that belong to the client, as far as the connection shows. If two clients
    /// on one host offer a connection for the same address, the later offer counts. Text form:
    /// `checked` or `1`.
    Checked,
    /// For every address that the client names, which clients behind an address translation need.
    /// Any client can then divert the calls to other clients to itself, so the network must exclude
    /// untrusted clients. While a client from one host holds an address, clients from other hosts
    /// cannot offer it. Text form: `trusted`.
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

/// The limits, times and choices of an ORB.
///
/// All limits are finite by default. An error that a limit causes names the setting. A setting with
/// an `-ORB…` option can be set on the command line; see
/// `OrbBuilder::arguments`. The program sets all others with
/// `OrbBuilder::settings`:
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
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// The name of the ORB (`ORBid`), which interceptors can read. A name other than the empty one
    /// is unique among the ORBs of the process at any time, and
    /// `Orb::with_id` finds the ORB by it. Default: empty. Option: `-ORBid`.
    pub orb_id: String,
    /// The name that all ORBs of one server share (`ORBServerId`), which interceptors can read.
    /// Default: empty. Option: `-ORBServerId`.
    pub server_id: String,
    /// The largest message that the ORB sends or accepts, in octets. Default: 16 MiB. Option:
    /// `-ORBMaxMessage`.
    pub max_message: usize,
    /// The size in octets, at least 64, above which the ORB sends a request or reply in fragments
    /// of that size. `None` sends every message in one piece. Default: `None`. Option:
    /// `-ORBFragmentSize`, where 0 stands for `None`.
    ///
    /// The ORB does not fragment by default: fragments do not get a message past a peer's size
    /// limit, which counts all fragments together, and some ORBs misread the fragments of others.
    /// GIOP 1.1 does not divide a primitive of eight octets, so its fragments may be larger.
    pub fragment_size: Option<usize>,
    /// The time limit of a call, from the first octet of the request to the reply. `None` sets no
    /// limit. Default: 30 s. Option: `-ORBCallTimeout`, in milliseconds, where 0 stands for `None`.
    pub call_timeout: Option<Duration>,
    /// The time limit for sending the request of a call, connecting included. `None` leaves only
    /// the limit of the whole call. Default: `None`. Option: `-ORBRequestTimeout`, in milliseconds,
    /// where 0 stands for `None`.
    pub request_timeout: Option<Duration>,
    /// The time limit for establishing a connection. Default: 5 s. Option: `-ORBConnectTimeout`, in
    /// milliseconds.
    pub connect_timeout: Duration,
    /// The rebind policy of a call. Default: transparent. Option: `-ORBRebind`.
    pub rebind: Rebind,
    /// How often the client retries a call that the server certainly did not begin, after it has
    /// tried every address of the reference. Default: never. Option: `-ORBRetries` sets the count.
    pub retries: Retries,
    /// The time after which a client closes a connection that no call uses. Default: 120 s.
    /// Option: `-ORBClientIdle`.
    pub client_idle: Duration,
    /// The time after which a server closes a connection that brings no request, or whose client
    /// takes nothing of a reply. Default: 300 s. Option: `-ORBServerIdle`.
    pub server_idle: Duration,
    /// The longest pause that a peer may make within a message. Default: 10 s.
    /// Option: `-ORBHeaderDeadline`.
    pub header_deadline: Duration,
    /// How long a server that shuts down waits for the calls in progress. Default: 10 s.
    /// Option: `-ORBDrainTimeout`.
    pub drain_timeout: Duration,
    /// The time limit for a client to send one message, from its first octet. Default: 120 s.
    /// Option: `-ORBMessageDeadline`.
    pub message_deadline: Duration,
    /// How many octets of large messages a server holds for all its clients at once: requests while
    /// they arrive and while servants use them, and replies beyond `queued_replies`. One client's
    /// host may hold as much as is free, so at most half. A request beyond that ends in `TRANSIENT`;
    /// nothing of it was executed. A client has as much for the replies of all its servers while they
    /// arrive; one that gets no memory ends its call with `NO_RESOURCES`. `None` takes a quarter of the memory of the machine or the
    /// container. Default: `None`. Option: `-ORBMessageMemory`, where 0 stands for `None`.
    ///
    /// A second after the last large message its memory goes back to the operating system, but for
    /// what the allocator keeps of freed values (the GNU C library: up to twice the largest block for
    /// each thread, unless the environment has `MALLOC_TRIM_THRESHOLD_`).
    pub message_memory: Option<usize>,
    /// How many connections a server holds at once. A further connection makes the server close the
    /// one that has been idle longest; if none is idle, the server closes the new one. Default:
    /// 16,384. Option: `-ORBMaxConnections`.
    pub max_connections: usize,
    /// How many of them may come from one host; the server closes further ones at once. All clients
    /// of this host that use Unix-domain sockets or shared memory count as one. `None` sets no limit
    /// but `max_connections`. Default: `None`. Option: `-ORBConnectionsPerPeer`, where 0 stands for
    /// `None`.
    pub connections_per_peer: Option<usize>,
    /// The concurrency model of the server: which threads serve requests. Default:
    /// [`Concurrency::default`]. Option: `-ORBConcurrency`.
    pub concurrency: Concurrency,
    /// How many requests of one connection servants execute at the same time. Further requests are
    /// queued. Default: 256. Option: `-ORBRequestsPerConnection`.
    pub requests_per_connection: usize,
    /// How many requests of one connection may be without a reply, including those that servants
    /// answer later. The server refuses further requests. Default: 16,384.
    /// Option: `-ORBRequestsInProgress`.
    pub requests_in_progress: usize,
    /// How many octets of replies the server queues for a client that does not read them, on a
    /// connection without a thread of its own. What is beyond takes of `message_memory`; without
    /// room there the server closes the connection. Default: 32 MiB. Option: `-ORBQueuedReplies`.
    pub queued_replies: usize,
    /// Whether the POA managers of the root POA, and of POAs that are created
    /// without one, begin in the holding state, as CORBA specifies. Requests then wait until the
    /// program activates the manager; otherwise the server serves them at once. Default: `false`.
    /// Option: `-ORBHoldRequests`.
    pub hold_requests: bool,
    /// How long a server that is starting lets a request wait for
    /// what is not there yet: a POA, an object, a servant manager, a default servant, a published
    /// name. The request then fails with `TRANSIENT`. Zero does not let it wait: it fails with
    /// `OBJECT_NOT_EXIST` or `OBJ_ADAPTER`, as in a server that has started. Default: 10 s. Option:
    /// `-ORBStartupHold`, in milliseconds.
    pub startup_hold: Duration,
    /// How many requests may wait for a POA manager in the holding state, or for what its POAs lack
    /// while the server is starting. Further requests fail with `TRANSIENT`. Each waiting request
    /// occupies a thread. Default: 1,024. Option: `-ORBMaxHeldRequests`.
    pub max_held_requests: usize,
    /// How calls reach objects of the same process. Default: [`Collocation::Direct`].
    /// Option: `-ORBCollocation`.
    pub collocation: Collocation,
    /// How the calls of a client share connections. Default: [`ConnectionPolicy::default`]. Option:
    /// `-ORBConnectionPolicy`.
    pub connection_policy: ConnectionPolicy,
    /// How many shared connections a client makes to one endpoint. Each thread always uses the same
    /// one. Default: 1. Option: `-ORBConnectionsPerEndpoint`.
    pub connections_per_endpoint: usize,
    /// How many calls of a client may wait for a reply on one connection. A call that has expired
    /// or was cancelled does not count. Default: 65,536. Option: `-ORBRequestsInFlight`.
    pub requests_in_flight: usize,
    /// How many octets of requests a client queues on a shared connection for a server that does
    /// not read them. Above that, calls block; asynchronous calls wait without a thread. Default:
    /// 1 MiB. Option: `-ORBQueuedRequests`.
    pub queued_requests: usize,
    /// When oneway calls return. Default: [`SyncScope::default`]. Option: `-ORBSyncScope`.
    pub sync_scope: SyncScope,
    /// How oneway calls with [`SyncScope::None`] are buffered. Default: [`OnewayBuffer::default`].
    /// Option: `-ORBOnewayBuffer`.
    pub oneway_buffer: OnewayBuffer,
    /// Whether a client offers its connections for calls to its own objects, those of POAs with
    /// `Bidirectional::Both`. This serves clients that no server can
    /// connect to. Calls then share connections, as with [`ConnectionPolicy::Multiplexed`], and the
    /// client does not close idle ones. Needs GIOP 1.2. Default: `false`. Option:
    /// `-ORBOfferBiDirectionalGIOP`.
    pub offer_bidirectional: bool,
    /// Whether a server calls the objects of a client over connections that the client made and
    /// offered. If so, all connections of clients wait in the reactor. Default: never. Option:
    /// `-ORBAcceptBiDirectionalGIOP`.
    pub accept_bidirectional: AcceptBidirectional,
    /// The time without traffic after which the system probes a TCP connection, in whole seconds.
    /// `None` does not probe. Default: `None`. Option: `-ORBKeepAlive`, in seconds, where 0 stands
    /// for `None`.
    pub keep_alive: Option<Duration>,
    /// How often a server may forward one call. Default: 8. Option: `-ORBMaxForwards`.
    pub max_forwards: u32,
    /// How deeply the values of a received message may be nested; for a linked list
    /// this is its length. Inside an `any` the limit is 256 at most. The ORB reads deep values on
    /// separate stacks, about 2 KiB per value. Default: 256. Option: `-ORBValueDepth`.
    pub value_depth: u32,
    /// Whether the server sends the text that explains a system exception, in the service context
    /// `ExceptionDetailMessage`, as JacORB does. A server that untrusted clients call may prefer
    /// not to. Default: `true`. Option: `-ORBExceptionDetails`.
    pub exception_details: bool,
    /// The highest GIOP version that the ORB speaks. Default: 1.2. Option: `-ORBMaxGIOPVersion`.
    pub max_giop: Version,
    /// The native code set for `char` and `string`, which references name and a client prefers. Any
    /// code set that is not wide; the older ones need the feature `legacy-code-sets`. References
    /// name UTF-8 and ISO 8859-1 beside it, as conversion code sets. Default: ISO 8859-1. Option:
    /// `-ORBNativeCharCodeSet`.
    ///
    /// In ISO 8859-1 every octet of an IDL `char` is a character, but other ORBs may be unable to
    /// send a character beyond it. With UTF-8 they can send any text, but no `char` above 127.
    pub native_char_code_set: CodeSet,
    /// The native code set for `wchar` and `wstring`, which references name and a client prefers:
    /// UTF-16, UCS-2 or UCS-4. Default: UTF-16. Option: `-ORBNativeWCharCodeSet`.
    pub native_wchar_code_set: CodeSet,
    /// Whether wide texts carry units of UTF-16 that are half a character, as ORBs do that check
    /// none. In a `wstring` or a `wchar` another character stands for each
    /// (`LoneSurrogate`). Otherwise the ORB refuses to read such a text with
    /// `DATA_CONVERSION`, which names the unit. Default: `false`. Option: `-ORBLoneSurrogates`.
    pub lone_surrogates: bool,
    /// The host name or address that references carry instead of the one at which an endpoint
    /// listens. The `publish=` of an endpoint takes precedence. Default: `None`. Option:
    /// `-ORBPublishHost`.
    pub publish_host: Option<String>,
    /// The hosts and ports that references carry instead of everything that endpoints would
    /// publish. Needed where ports are mapped between the clients and the server. Default: empty.
    /// Option: `-ORBPublishAddress`.
    pub publish_addresses: Vec<(String, u16)>,
    /// Whether references carry names or addresses, where no other setting says what to publish.
    /// Default: [`PublishAs::Given`]. Option: `-ORBPublishAs`.
    pub publish_as: PublishAs,
    /// The network whose address an endpoint on every interface publishes. `None` selects the
    /// address from which the default route leaves. Default: `None`. Option: `-ORBPublishNetwork`.
    pub publish_network: Option<Network>,
    /// Whether a reference carries the second and every further address of a server as a
    /// `TAG_ALTERNATE_IIOP_ADDRESS` component of its only IIOP profile, not as a profile of its
    /// own. omniORB and JacORB try such components, but omniORB uses only the first of several
    /// profiles. Default: `true`. Option: `-ORBAlternateAddresses`.
    pub alternate_addresses: bool,
    /// The implementation repository of this server: `HOST:PORT` or a `corbaloc:` URL. References to
    /// objects of persistent POAs carry its addresses instead of those of the server, except where
    /// the POA has its own. From the time when the program
    /// runs the ORB, the ORB tells the repository where it listens, under the name
    /// [`server_id`](Self::server_id); when it is shut down, it tells the end. Default: `None`.
    /// Option: `-ORBImR`.
    pub imr: Option<String>,
    /// The size of the send and receive buffers of sockets, in octets. `None` leaves the system's
    /// default. Default: `None`. Option: `-ORBSocketQueue`.
    pub socket_queue: Option<usize>,
    /// The same for TCP connections only, each queue with a size of its own. Default: as above.
    /// Option: `-ORBTcpQueues SEND,RECEIVE`.
    pub tcp_queues: Queues,
    /// The same for Unix-domain sockets. Option: `-ORBUnixQueues`.
    pub unix_queues: Queues,
    /// The same for connections over shared memory. The side that connects makes the memory, so
    /// this means something to clients only; a size is rounded up to a power of two between 4 KiB
    /// and 16 MiB. Option: `-ORBShmQueues`.
    pub shm_queues: Queues,
    /// Whether a client prefers the local endpoints of a server on the same host to TCP. Default:
    /// `true`. Option: `-ORBLocalEndpoints`.
    pub local_endpoints: bool,
    /// Who may connect to this server's endpoints for processes of the same host. Default:
    /// everybody whom the process's umask lets. Option: `-ORBLocalAccess`.
    pub local_access: LocalAccess,
    /// How long a read polls for data before it blocks; zero does not poll. Polling occupies a
    /// processor, so it pays where both ends have a core of their own. `None` leaves it to the
    /// system; shared memory then polls for some microseconds while that pays. Default: `None`.
    /// Option: `-ORBBusyPoll`, in microseconds.
    pub busy_poll: Option<Duration>,
    /// The name of the congestion control algorithm of TCP connections. `None` leaves the system's
    /// default. Default: `None`. Option: `-ORBCongestionControl`.
    pub congestion_control: Option<String>,
    /// The local ports of outgoing TCP connections, for firewalls that filter by them. A connection
    /// takes the first port that no other connection to the same server uses; if all are in use,
    /// the call fails with `TRANSIENT`. `None` lets the system choose. Default: `None`. Option:
    /// `-ORBClientPorts`.
    pub client_ports: Option<RangeInclusive<u16>>,
    /// The DiffServ code point of TCP connections, 0 to 63. `None` leaves the system's default.
    /// Default: `None`. Option: `-ORBDscp`.
    pub dscp: Option<u8>,
    /// The priority of TCP connections in the queues of this host (`SO_PRIORITY`), 0 to 6, or with
    /// `CAP_NET_ADMIN` to 255; a higher one is sent first if the queueing discipline has bands.
    /// `None` leaves the system's default. Default: `None`. Option: `-ORBSocketPriority`.
    pub socket_priority: Option<u8>,
    /// Whether TCP connections send small messages at once (`TCP_NODELAY`) instead of collecting
    /// them. Default: true. Option: `-ORBNoDelay`.
    pub no_delay: bool,
    /// The policies of types that the program defines. They apply to calls whose reference and
    /// thread set no other policy of that type. Default: none.
    pub custom_policies: Vec<CustomPolicy>,
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
            message_memory: None,
            max_connections: 16_384,
            connections_per_peer: None,
            concurrency: Concurrency::default(),
            requests_per_connection: 256,
            requests_in_progress: 16_384,
            queued_replies: 32 << 20,
            hold_requests: false,
            startup_hold: Duration::from_secs(10),
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
            lone_surrogates: false,
            publish_host: None,
            publish_addresses: Vec::new(),
            publish_as: PublishAs::Given,
            publish_network: None,
            alternate_addresses: true,
            imr: None,
            socket_queue: None,
            tcp_queues: Queues::default(),
            unix_queues: Queues::default(),
            shm_queues: Queues::default(),
            local_endpoints: true,
            local_access: LocalAccess::default(),
            busy_poll: None,
            congestion_control: None,
            client_ports: None,
            dscp: None,
            socket_priority: None,
            no_delay: true,
            custom_policies: Vec::new(),
        }
    }
}

impl Settings {
    /// Whether a call needs no policy beyond the time limits of the call and of connecting.
    #[inline]
    #[doc(hidden)]
    pub fn is_plain(&self) -> bool {
        let unlimited = self.request_timeout.is_none();
        unlimited && self.retries.count == 0 && self.rebind == Rebind::Transparent
    }

    /// The options with which a transport of this ORB opens its streams.
    pub fn stream_options(&self) -> StreamOptions {
        self.stream_options_with(Queues::default())
    }

    /// The same for a transport whose connections have queues of these sizes.
    pub fn stream_options_with(&self, queues: Queues) -> StreamOptions {
        StreamOptions {
            send_buffer: queues.send.or(self.socket_queue),
            recv_buffer: queues.receive.or(self.socket_queue),
            congestion: self.congestion_control.clone(),
            keep_alive: self.keep_alive,
            busy_poll: self.busy_poll,
            local_ports: self.client_ports.clone(),
            dscp: self.dscp.and_then(CodePoint::new),
            priority: self.socket_priority,
            no_delay: self.no_delay,
            file_access: self.local_access.file(),
            ..StreamOptions::default()
        }
    }

    /// The native code sets.
    #[doc(hidden)]
    pub const fn native_code_sets(&self) -> CodeSets {
        CodeSets {
            char: self.native_char_code_set,
            wchar: Some(self.native_wchar_code_set),
            lone_surrogates: self.lone_surrogates,
        }
    }

    /// The code sets of a connection whose client stated `agreed`, or nothing.
    #[doc(hidden)]
    pub fn code_sets(&self, agreed: Option<CodeSetContext>) -> CodeSets {
        let agreed = agreed.and_then(|stated| stated.code_sets().ok());
        CodeSets { lone_surrogates: self.lone_surrogates, ..agreed.unwrap_or(CodeSets::UNAGREED) }
    }

    /// Where the implementation repository is; `None` without one, or if its URL is malformed.
    #[doc(hidden)]
    pub fn imr_location(&self) -> Option<Corbaloc> {
        let text = self.imr.as_deref()?;
        let text = match text.contains("corbaloc:") {
            true => text.to_owned(),
            false => {
                text.rsplit_once(':').filter(|(host, _)| !host.is_empty())?;
                format!("corbaloc::{text}")
            }
        };
        let Ok(ObjectUrl::Corbaloc(mut location)) = ObjectUrl::parse(&text) else { return None };
        if location.key.is_empty() {
            location.key = IMR_KEY.into();
        }
        (!location.addresses.contains(&CorbalocAddress::Rir)).then_some(location)
    }

    /// The addresses of the implementation repository; none without one.
    #[doc(hidden)]
    pub fn imr_addresses(&self) -> Vec<(String, u16)> {
        let addresses = self.imr_location().map(|location| location.addresses);
        let addresses = addresses.unwrap_or_default().into_iter();
        let iiop = addresses.filter_map(|address| match address {
            CorbalocAddress::Iiop { host, port, .. } => Some((host, port)),
            _ => None,
        });
        iiop.collect()
    }

    /// Checks the settings that the ORB may be unable to meet.
    ///
    /// # Errors
    /// `BAD_PARAM`, which names the setting.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), SystemException> {
        let (char, wchar) = (self.native_char_code_set, self.native_wchar_code_set);
        let wrong = if char.is_wide() {
            format!("native_char_code_set: {char} is not a code set for `char` and `string`")
        } else if CodeSet::from_id(char.id()).is_none() {
            format!("native_char_code_set: {char} needs the feature `legacy-code-sets` of armilla")
        } else if !wchar.is_wide() {
            format!("native_wchar_code_set: {wchar} is not a code set for `wchar` and `wstring`")
        } else if self.dscp.is_some_and(|number| CodePoint::new(number).is_none()) {
            "dscp: a code point is a number from 0 to 63".to_owned()
        } else if let Some(url) = self.imr.as_ref().filter(|_| self.imr_location().is_none()) {
            format!("imr: {url:?} is neither HOST:PORT nor a corbaloc: URL with an IIOP address")
        } else {
            return Ok(());
        };
        Err(SystemException::bad_param(Minor::BAD_ARGUMENT, wrong))
    }
}
