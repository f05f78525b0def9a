//! What a program chooses for its flows, and the time that is left of one.

use crate::protected::Protected;
use armilla::Orb;
use armilla_ipc::{Stream, StreamOptions};
use std::io;
use std::time::{Duration, Instant};

/// What a side of a flow chooses for itself.
#[derive(Debug, Clone)]
pub struct FlowOptions {
    /// How long it may take to connect and to be answered. Default: 5 s.
    pub connect_timeout: Duration,
    /// How long the other side may neither send nor take an octet. Default: 30 s.
    pub stall_timeout: Duration,
    /// How long the whole flow may take, from the connection on. Default: as long as it takes.
    pub deadline: Option<Duration>,
    /// How many connections are kept for further flows after theirs are complete: by this process
    /// of those that it makes, and by each listener of those that it has accepted. The oldest one
    /// makes room; 0 keeps none. Connections over shared memory are not kept. Default: 16.
    pub max_idle: usize,
    /// How long a connection is kept while no flow takes it. Default: 20 s.
    pub idle_timeout: Duration,
    /// Options of the connection. The listening side's are those of its listener. Unless they say
    /// otherwise, the system gives a TCP connection up 2 s after `stall_timeout`, also where nobody
    /// waits for it.
    pub stream: StreamOptions,
    /// The transport for flows whose calls go over it. If its settings require encryption
    /// (`-ORBTls required=1`), this side connects to no other host in clear, whatever the other side
    /// offers. Default: none.
    pub protected: Option<Protected>,
}

impl Default for FlowOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            stall_timeout: Duration::from_secs(30),
            deadline: None,
            max_idle: 16,
            idle_timeout: Duration::from_secs(20),
            stream: StreamOptions::default(),
            protected: None,
        }
    }
}

/// How much later than the flow itself the system ends a connection that stalls.
const GRACE: Duration = Duration::from_secs(2);

impl FlowOptions {
    /// The default for flows that are agreed on by calls of an ORB: over its transport that encrypts,
    /// too, if it has one.
    pub fn of(orb: &Orb) -> Self {
        Self { protected: Protected::of(orb), ..Self::default() }
    }

    /// The options with which connections are made.
    pub(crate) fn of_connections(&self) -> StreamOptions {
        let user_timeout =
            self.stream.user_timeout.or(Some(self.stall_timeout.saturating_add(GRACE)));
        StreamOptions { user_timeout, ..self.stream.clone() }
    }
}

/// The limits of a flow that has begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    stall: Duration,
    end: Option<Instant>,
}

impl Limits {
    /// Counted from now.
    pub(crate) fn start(options: &FlowOptions) -> Self {
        let end = options.deadline.and_then(|limit| Instant::now().checked_add(limit));
        Self { stall: options.stall_timeout, end }
    }

    /// How long the next step may take; `TimedOut` if the deadline has passed.
    pub(crate) fn step(&self) -> io::Result<Duration> {
        let Some(end) = self.end else { return Ok(self.stall) };
        match end.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(left.min(self.stall)),
        }
    }

    /// Limits the next system calls. It costs none while the limit stays the same.
    pub(crate) fn apply(&self, stream: &dyn Stream) -> io::Result<()> {
        let limit = Some(self.step()?);
        stream.set_recv_timeout(limit)?;
        stream.set_send_timeout(limit)
    }
}
