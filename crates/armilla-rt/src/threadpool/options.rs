//! What a thread pool is made from.

use crate::error::{RtError, RtErrorKind};
use crate::priority::Priority;
use crate::protocol::{Protocol, Side, check_protocols};
use crate::scheduler::Scheduler;
use armilla::Settings;
use std::fmt;
use std::sync::Arc;

/// A lane of a thread pool: threads of one priority (`RTCORBA::ThreadpoolLane`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneOptions {
    /// The CORBA priority of the threads.
    pub priority: Priority,
    /// How many threads there are from the beginning.
    pub static_threads: usize,
    /// How many more there may be.
    pub dynamic_threads: usize,
}

/// How requests wait when all threads of a lane are busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestBuffering {
    /// How many requests wait in each lane. Beyond, a client gets `TRANSIENT`. 0 means no bound.
    pub max_requests: usize,
    /// How many octets of requests wait in each lane. Beyond, a client gets `TRANSIENT`. 0 means
    /// no bound.
    pub max_octets: usize,
}

/// How real-time lanes below the highest of a pool are kept from using so much of a CPU that Linux
/// stops all real-time threads, the most urgent too (`sched_rt_runtime_us`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum BelowHighest {
    /// Together they get this share of one CPU, 0.01 to 1; what is beyond waits. The default, with
    /// 0.8.
    Budget(f64),
    /// Their threads are ordinary ones (`SCHED_OTHER`).
    Ordinary,
    /// Nothing keeps them, for example because `sched_rt_runtime_us` is -1.
    Unlimited,
}

impl Default for BelowHighest {
    fn default() -> Self {
        Self::Budget(0.8)
    }
}

/// A thread pool to be created: the arguments of `create_threadpool` and
/// `create_threadpool_with_lanes` (RT CORBA 1.2, *Threadpools*).
///
/// ```
/// use armilla_rt::{Priority, ThreadpoolOptions};
///
/// let [low, high] = [1_000, 30_000].map(|number| Priority::new(number).unwrap());
/// let pool = ThreadpoolOptions::with_lanes("sensors").lane(low, 2, 0).lane(high, 1, 0);
/// # let _ = pool;
/// ```
#[derive(Clone)]
pub struct ThreadpoolOptions {
    pub(super) name: String,
    pub(super) lanes: Vec<LaneOptions>,
    pub(super) has_lanes: bool,
    pub(super) stack_size: Option<usize>,
    pub(super) borrowing: bool,
    pub(super) buffering: Option<RequestBuffering>,
    pub(super) scheduler: Option<Scheduler>,
    pub(super) below_highest: BelowHighest,
    pub(super) endpoints: Vec<String>,
    pub(crate) protocol: Option<ChangeOfLane>,
}

/// Changes the settings of the endpoints and connections of the lane with this priority.
pub(crate) type ChangeOfLane = Arc<dyn Fn(Priority, &mut Settings) + Send + Sync>;

impl ThreadpoolOptions {
    /// A pool without lanes: all threads wait with `default_priority`, and run each request with
    /// its own.
    pub fn new(
        name: impl Into<String>,
        static_threads: usize,
        dynamic_threads: usize,
        default_priority: Priority,
    ) -> Self {
        let mut options =
            Self::with_lanes(name).lane(default_priority, static_threads, dynamic_threads);
        options.has_lanes = false;
        options
    }

    /// A pool with lanes, which [`lane`](Self::lane) adds.
    #[doc(alias = "create_threadpool_with_lanes")]
    pub fn with_lanes(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            lanes: Vec::new(),
            has_lanes: true,
            stack_size: None,
            borrowing: false,
            buffering: None,
            scheduler: None,
            below_highest: BelowHighest::default(),
            endpoints: Vec::new(),
            protocol: None,
        }
    }

    /// Adds a lane.
    #[must_use]
    pub fn lane(
        mut self,
        priority: Priority,
        static_threads: usize,
        dynamic_threads: usize,
    ) -> Self {
        self.lanes.push(LaneOptions { priority, static_threads, dynamic_threads });
        self
    }

    /// The size of the stack of each thread, in octets. The stacks of static threads are mapped
    /// beforehand. Default: that of the standard library.
    #[must_use]
    pub const fn stack_size(mut self, octets: usize) -> Self {
        self.stack_size = Some(octets);
        self
    }

    /// A lane whose threads are all busy takes the place of a thread of a lane below it
    /// (`allow_borrowing`).
    #[must_use]
    pub const fn borrowing(mut self) -> Self {
        self.borrowing = true;
        self
    }

    /// Requests that find all threads busy are read and wait (`allow_request_buffering`). Otherwise
    /// they stay in their connections, and the clients wait.
    #[must_use]
    pub const fn buffering(mut self, buffering: RequestBuffering) -> Self {
        self.buffering = Some(buffering);
        self
    }

    /// A scheduler decides which request runs next, and at which priority. Requests are read at the
    /// priority of the pool, which has to be above those of the scheduler, and wait in its queue.
    /// The pool has no lanes and no buffering of its own, and its POAs no priority model. Several
    /// pools may have the same scheduler: they share the processor that it is for.
    #[must_use]
    pub fn scheduled_by(mut self, scheduler: &Scheduler) -> Self {
        self.scheduler = Some(scheduler.clone());
        self
    }

    /// How lanes below the highest are kept from stopping it.
    #[must_use]
    pub const fn below_highest(mut self, below_highest: BelowHighest) -> Self {
        self.below_highest = below_highest;
        self
    }

    /// Where each lane listens: `iiop://HOST:0`, and beside that `uiop:///PATH` or `shmiop:///PATH`
    /// with `{}` for the priority, for clients on the same host. Several calls add endpoints; one
    /// of them is IIOP, because all references have such an address. Default: at any free port of
    /// the addresses that the references of the ORB carry.
    #[must_use]
    pub fn endpoint(mut self, endpoint: impl Into<String>) -> Self {
        self.endpoints.push(endpoint.into());
        self
    }

    /// The endpoints and connections of each lane have these settings instead of those of the ORB:
    /// `socket_queue`, `keep_alive`, `no_delay`, `dscp`, `socket_priority`, `busy_poll`
    /// (`ServerProtocolPolicy`). `change` gets the priority of the lane.
    ///
    /// ```
    /// use armilla_rt::{Priority, ThreadpoolOptions};
    ///
    /// let [low, high] = [1_000, 30_000].map(|number| Priority::new(number).unwrap());
    /// let lanes = ThreadpoolOptions::with_lanes("sensors").lane(low, 2, 0).lane(high, 1, 0);
    /// // Expedited forwarding for what is urgent, and the first band of this host's queues.
    /// let pool = lanes.protocol(move |priority, settings| {
    ///     if priority == high {
    ///         (settings.dscp, settings.socket_priority) = (Some(46), Some(6));
    ///     }
    /// });
    /// # let _ = pool;
    /// ```
    #[must_use]
    pub fn protocol(
        mut self,
        change: impl Fn(Priority, &mut Settings) + Send + Sync + 'static,
    ) -> Self {
        self.protocol = Some(Arc::new(change));
        self
    }

    /// The connections of each lane have the settings of these protocols
    /// (`ServerProtocolPolicy`). It takes the place of [`protocol`](Self::protocol).
    ///
    /// # Errors
    /// If IIOP is missing, a protocol is there twice, or one has settings that it cannot have.
    pub fn server_protocols(self, protocols: &[Protocol]) -> Result<Self, RtError> {
        check_protocols(&format!("thread pool {:?}", self.name), Side::Server, protocols)?;
        let protocols = protocols.to_vec();
        Ok(self.protocol(move |priority, settings| {
            protocols.iter().for_each(|protocol| protocol.apply(priority, settings));
        }))
    }

    /// Checks what does not depend on the platform.
    pub(super) fn check(&self) -> Result<(), RtError> {
        let wrong = |policy: &'static str, value: String, reason: &str, remedy: &str| {
            let object = format!("thread pool {:?}", self.name);
            Err(RtError::new(RtErrorKind::Value, object, policy, value, reason, remedy))
        };
        if self.lanes.is_empty() {
            return wrong("lanes", "none".into(), "a pool has at least one", "add a lane");
        }
        for (index, lane) in self.lanes.iter().enumerate() {
            let LaneOptions { priority, static_threads, dynamic_threads } = *lane;
            if static_threads == 0 {
                let value = format!("0 (lane {priority})");
                let reason = "a lane has at least one thread from the beginning";
                return wrong("static_threads", value, reason, "ask for 1 or more");
            }
            if static_threads.saturating_add(dynamic_threads) > MOST_THREADS {
                let value = format!("{static_threads} + {dynamic_threads} (lane {priority})");
                let reason = "a lane has at most 10000 threads";
                return wrong("threads", value, reason, "ask for fewer");
            }
            if self.lanes[..index].iter().any(|other| other.priority == priority) {
                let reason = "two lanes have this priority";
                return wrong("lane_priority", priority.to_string(), reason, "make one of them");
            }
        }
        if self.stack_size.is_some_and(|size| size < LEAST_STACK) {
            let value = format!("{:?}", self.stack_size.unwrap_or_default());
            let reason = "a thread of the ORB needs 64 KiB";
            return wrong("stacksize", value, reason, "ask for more, or for none in particular");
        }
        if self.scheduler.is_some() && (self.has_lanes || self.buffering.is_some()) {
            let value = if self.has_lanes { "of a pool with lanes" } else { "with buffering" };
            let reason = "a scheduler has a queue of its own, for one pool without lanes";
            let remedy = "use ThreadpoolOptions::new, and the capacity of the scheduler";
            return wrong("scheduler", value.into(), reason, remedy);
        }
        match self.below_highest {
            BelowHighest::Budget(share) if !(0.01..=1.0).contains(&share) => {
                let reason = "a budget is a share of one CPU, 0.01 to 1";
                wrong("budget", share.to_string(), reason, "choose a share, or Unlimited")
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for ThreadpoolOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThreadpoolOptions")
            .field("name", &self.name)
            .field("lanes", &self.lanes)
            .finish_non_exhaustive()
    }
}

/// The most threads of a lane.
const MOST_THREADS: usize = 10_000;
/// The smallest stack of a thread, in octets.
const LEAST_STACK: usize = 64 << 10;
