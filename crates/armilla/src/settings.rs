//! Everything about an ORB that can be set, with the defaults.

use crate::concurrency::Concurrency;
use crate::exception::{Minor, SystemException};
use armilla_cdr::{CodeSet, CodeSets};
use armilla_giop::Version;
use std::time::Duration;

/// The limits and times of an ORB. All are finite; an error that comes from one names it.
#[derive(Debug, Clone)]
pub struct Settings {
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
    /// How long it may take to make a connection. 5 s.
    pub connect_timeout: Duration,
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
    /// How often one call may be forwarded. 8.
    pub max_forwards: u32,
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
    /// The size of the sockets' send and receive queues in octets; `None` leaves the system's.
    pub socket_queue: Option<usize>,
    /// Whether a client prefers the endpoints that a server on the same host has beside TCP. Yes.
    pub local_endpoints: bool,
    /// How long a read watches for data before it sleeps, at the cost of a processor; `None` sleeps
    /// at once. Pays where both ends have a core of their own.
    pub busy_poll: Option<Duration>,
    /// The congestion control of TCP connections by name; `None` leaves the system's.
    pub congestion_control: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_message: 16 << 20,
            fragment_size: None,
            call_timeout: Some(Duration::from_secs(30)),
            connect_timeout: Duration::from_secs(5),
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
            max_forwards: 8,
            max_giop: Version::V1_2,
            native_char_code_set: CodeSet::Iso8859_1,
            native_wchar_code_set: CodeSet::Utf16,
            socket_queue: None,
            local_endpoints: true,
            busy_poll: None,
            congestion_control: None,
        }
    }
}

impl Settings {
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
        } else {
            return Ok(());
        };
        Err(SystemException::bad_param(Minor::BAD_ARGUMENT, wrong))
    }
}
