//! Thread pools with and without lanes (RT CORBA 1.2, *Threadpools*).
//!
//! Each lane is a group of endpoints with its own acceptor, threads, reactor and connections. A
//! client that calls at a priority connects to the lane of this priority, so a request never meets
//! one of another lane.

mod budget;
mod lane;
mod lending;
mod options;

pub(crate) use lane::Lane;
pub use options::{BelowHighest, LaneOptions, RequestBuffering, ThreadpoolOptions};

use crate::current::try_out;
use crate::error::{RtError, RtErrorKind};
use crate::priority::{Mapper, Priority};
use crate::scheduler::Scheduler;
use crate::wire::LaneLocalEndpoint;
use armilla::transport::{Component, TaggedComponent};
use armilla::{Concurrency, EndpointGroupOptions, Orb, SystemException};
use armilla_ipc::real_time::{Scheduling, Semaphore};
use budget::Budget;
use lane::LaneConfig;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{fmt, thread};
use tracing::{info, warn};

/// A thread pool. Clones are the same pool. It ends with [`destroy`](Self::destroy) or with the ORB.
#[derive(Clone)]
pub struct Threadpool(Arc<Pool>);

struct Pool {
    name: String,
    has_lanes: bool,
    borrowing: bool,
    /// Decides which request runs next, instead of their lane.
    scheduler: Option<Scheduler>,
    /// The most urgent first.
    lanes: Vec<Arc<Lane>>,
    is_destroyed: AtomicBool,
}

/// What a lane has become, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneReport {
    /// Its CORBA priority.
    pub priority: Priority,
    /// The native priority that the mapping makes of it.
    pub mapped: Scheduling,
    /// The native priority that its threads have, or were to have.
    pub native: Scheduling,
    /// Whether a budget limits the lane.
    pub has_budget: bool,
    /// Why its threads do not have the native priority; `None` if they do.
    pub refused: Option<String>,
    /// The addresses at which it listens.
    pub addresses: Vec<(String, u16)>,
    /// Its static and dynamic threads.
    pub threads: (usize, usize),
}

impl Threadpool {
    /// Creates the pool: checks it, tries the native priorities out, opens the endpoints and starts
    /// the static threads.
    pub(crate) fn create(
        orb: &Orb,
        mapper: &Mapper,
        options: ThreadpoolOptions,
        strict: bool,
    ) -> Result<Self, SystemException> {
        options.check()?;
        let object = format!("thread pool {:?}", options.name);
        let mut lanes = options.lanes.clone();
        lanes.sort_by_key(|lane| std::cmp::Reverse(lane.priority));
        let priorities: Vec<_> = lanes.iter().map(|lane| lane.priority).collect();
        let natives = mapper.distinct(&object, &priorities)?;
        if let Some(scheduler) = &options.scheduler {
            check_above(&object, mapper, priorities[0], scheduler)?;
        }
        let budget = match options.below_highest {
            BelowHighest::Budget(share) => Some(Arc::new(Budget::new(share))),
            _ => None,
        };
        let lanes = lanes.into_iter().zip(natives).enumerate().map(|(index, (lane, mapped))| {
            // The kernel gives threads with deadlines a budget of their own.
            let own_budget = matches!(mapped, Scheduling::Deadline { .. });
            let below = index > 0 && mapped.is_real_time() && !own_budget;
            let native = match options.below_highest {
                BelowHighest::Ordinary if below => Scheduling::Other { nice: 0 },
                _ => mapped,
            };
            Arc::new(Lane::new(LaneConfig {
                options: lane,
                mapped,
                native,
                buffering: options.buffering,
                budget: budget.clone().filter(|_| below),
            }))
        });
        let pool = Pool {
            name: options.name.clone(),
            has_lanes: options.has_lanes,
            borrowing: options.borrowing,
            scheduler: options.scheduler.clone(),
            lanes: lanes.collect(),
            is_destroyed: AtomicBool::new(false),
        };
        pool.lanes.iter().try_for_each(|lane| try_lane(&object, lane, strict))?;
        let pool = Self(Arc::new(pool));
        let opened = pool.lanes().iter().try_for_each(|lane| open(orb, lane, &options));
        if let Err(exception) = opened {
            pool.destroy();
            return Err(exception);
        }
        info!("{pool}");
        Ok(pool)
    }

    /// The name that the program gave it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether it was created with lanes.
    pub fn has_lanes(&self) -> bool {
        self.0.has_lanes
    }

    /// What its lanes have become, the most urgent first.
    pub fn report(&self) -> Vec<LaneReport> {
        let lanes = self.lanes().iter();
        lanes
            .map(|lane| LaneReport {
                priority: lane.priority,
                mapped: lane.mapped,
                native: lane.native,
                has_budget: lane.has_budget(),
                refused: lane.refused.get().cloned(),
                addresses: lane.group.get().map_or(Vec::new(), |group| group.addresses().to_vec()),
                threads: (lane.options.static_threads, lane.options.dynamic_threads),
            })
            .collect()
    }

    /// Stops accepting, waits for requests in progress, and ends the threads
    /// (`destroy_threadpool`). References of POAs with this pool lead nowhere afterwards, and no
    /// further POA can have it. In a servant that a thread of the pool runs it does not wait, since
    /// that would be for itself: the pool ends when its servants have returned.
    #[doc(alias = "destroy_threadpool")]
    pub fn destroy(&self) {
        self.0.is_destroyed.store(true, Ordering::Release);
        let pool = self.clone();
        let close = move || {
            for group in pool.lanes().iter().filter_map(|lane| lane.group.get()) {
                group.close();
            }
        };
        if !self.lanes().iter().any(|lane| lane.is_current()) {
            return close();
        }
        if let Err(error) = thread::Builder::new().name("armilla-destroy".into()).spawn(close) {
            warn!("{self:?} ends with the ORB only: no thread to wait for its servants: {error}");
        }
    }

    /// Whether it was destroyed.
    pub(crate) fn is_destroyed(&self) -> bool {
        self.0.is_destroyed.load(Ordering::Acquire)
    }

    /// Its lanes, the most urgent first. A pool without lanes has one for all.
    pub(crate) fn lanes(&self) -> &[Arc<Lane>] {
        &self.0.lanes
    }

    /// The index of the lane of this priority; of the only one in a pool without lanes.
    pub(crate) fn lane_of(&self, priority: Priority) -> Option<usize> {
        if !self.0.has_lanes {
            return Some(0);
        }
        self.lanes().iter().position(|lane| lane.priority == priority)
    }

    /// The index of the lane that serves this priority: its own, or else the most urgent one of the
    /// first band that has both.
    pub(crate) fn lane_for(
        &self,
        priority: Priority,
        bands: &[(Priority, Priority)],
    ) -> Option<usize> {
        self.lane_of(priority).or_else(|| {
            let (low, high) =
                bands.iter().find(|(low, high)| (*low..=*high).contains(&priority))?;
            self.lanes().iter().position(|lane| (*low..=*high).contains(&lane.priority))
        })
    }

    /// What references say of endpoints for clients on the same host: those of the lane with this
    /// index, or of all lanes, each with its priority.
    pub(crate) fn local_components(&self, lane: Option<usize>) -> Vec<TaggedComponent> {
        let of =
            |lane: &Lane| lane.group.get().map_or(&[][..], |group| group.components()).to_vec();
        // Each belongs to the address of a lane by itself.
        let beside = |lane: &Lane| {
            lane.group.get().map_or(&[][..], |group| group.same_host_components()).to_vec()
        };
        match lane.or((!self.0.has_lanes).then_some(0)) {
            Some(lane) => {
                let lane = &self.lanes()[lane];
                [of(lane), beside(lane)].concat()
            }
            None => {
                let lanes = self.lanes().iter();
                let all = lanes.flat_map(|lane| {
                    of(lane).into_iter().filter_map(|TaggedComponent { data, .. }| {
                        LaneLocalEndpoint { priority: lane.priority, data }.to_tagged().ok()
                    })
                });
                all.chain(self.lanes().iter().flat_map(|lane| beside(lane))).collect()
            }
        }
    }

    /// The lane to which the calling thread belongs, if this pool has lanes.
    pub(crate) fn own_lane(&self) -> Option<&Lane> {
        let lanes = self.lanes().iter().filter(|_| self.0.has_lanes);
        lanes.map(|lane| &**lane).find(|lane| lane.is_current())
    }

    /// What decides which of its requests runs next, if a scheduler does.
    pub(crate) fn scheduler(&self) -> Option<&Scheduler> {
        self.0.scheduler.as_ref()
    }

    /// The lanes that lend threads to the one with this index and borrow from it, with itself, and
    /// where it is among them.
    pub(crate) fn lending(&self, index: usize) -> (&[Arc<Lane>], usize) {
        match self.0.borrowing {
            true => (self.lanes(), index),
            false => (&self.lanes()[index..=index], 0),
        }
    }
}

/// Tries the native priority of a lane out. If it is refused, the report says so from the beginning.
///
/// # Errors
/// If it is refused, for a strict ORB.
fn try_lane(object: &str, lane: &Lane, strict: bool) -> Result<(), RtError> {
    let LaneOptions { priority, static_threads, dynamic_threads } = lane.options;
    // And those that accept connections, and wait for the requests of many.
    let threads = static_threads + dynamic_threads + 2;
    match try_out(object, "lane_priority", priority, lane.native, threads) {
        Err(error) if strict => Err(error),
        tried => {
            tried.err().into_iter().for_each(|error| lane.note_refusal(&error));
            Ok(())
        }
    }
}

/// Opens the endpoints of a lane and starts its static threads.
fn open(orb: &Orb, lane: &Arc<Lane>, options: &ThreadpoolOptions) -> Result<(), SystemException> {
    let LaneOptions { priority, static_threads, dynamic_threads } = lane.options;
    let endpoints = endpoints(orb, priority, options)?;
    // Connections beyond the threads wait in a reactor; its threads are those that wait for a
    // permit, and read what is to be buffered.
    let buffered = match (&options.scheduler, options.buffering) {
        (Some(scheduler), _) => scheduler.most_threads(),
        (None, None) => 0,
        (None, Some(RequestBuffering { max_requests: 0, .. })) => MOST_BUFFERED,
        (None, Some(bounds)) => bounds.max_requests.min(MOST_BUFFERED),
    };
    let below = options.lanes.iter().filter(|other| options.borrowing && other.priority < priority);
    let borrowed: usize = below.map(|lane| lane.static_threads + lane.dynamic_threads).sum();
    let threads = static_threads + dynamic_threads;
    let concurrency = Concurrency::Hybrid {
        dedicated_threads: threads,
        min_threads: 1,
        // One more reads what is to be refused.
        max_threads: threads + borrowed + buffered + 1,
    };
    let mut group = EndpointGroupOptions::new(endpoints, concurrency);
    group.thread_name = format!("lane{priority}");
    group.stack_size = options.stack_size;
    group.prestarted_threads = static_threads;
    // A quarter stays for what is above.
    let mapped = options.stack_size.unwrap_or(DEFAULT_STACK).min(DEFAULT_STACK) / 4 * 3;
    let of_threads = Arc::downgrade(lane);
    group.on_thread_start = Some(Arc::new(move || {
        if let Some(lane) = of_threads.upgrade() {
            lane.adopt_thread(mapped);
        }
    }));
    if let Some(change) = options.protocol.clone() {
        group.settings = Some(Arc::new(move |settings| change(priority, settings)));
    }
    let group = orb.open_endpoint_group(group)?;
    lane.group.set(group).ok();
    Ok(())
}

/// The most requests that a lane buffers, each with a thread that waits.
const MOST_BUFFERED: usize = 1_000;
/// The stack that is mapped beforehand in a thread without a size of its own, and the most that is.
const DEFAULT_STACK: usize = 256 << 10;

/// Checks that threads which wait for requests run before those that a scheduler lets run: an
/// urgent request would otherwise not be read while another one runs.
fn check_above(
    object: &str,
    mapper: &Mapper,
    own: Priority,
    scheduler: &Scheduler,
) -> Result<(), RtError> {
    let highest = scheduler.priorities().max().unwrap_or_default();
    if own <= highest {
        return Err(RtError::new(
            RtErrorKind::Policy,
            object,
            "default_priority",
            own,
            format_args!(
                "scheduler {:?} runs operations at {highest}: an urgent request would not be read \
                 while another one runs",
                scheduler.name()
            ),
            "give the pool a higher priority than all of the scheduler's",
        ));
    }
    mapper.distinct(object, &[own, highest]).map(drop)
}

/// Where a lane listens.
fn endpoints(
    orb: &Orb,
    priority: Priority,
    options: &ThreadpoolOptions,
) -> Result<Vec<String>, SystemException> {
    if !options.endpoints.is_empty() {
        let priority = priority.to_string();
        return Ok(options.endpoints.iter().map(|e| e.replace("{}", &priority)).collect());
    }
    let mut hosts: Vec<&str> = Vec::new();
    for (host, _) in orb.published_addresses()? {
        if !hosts.contains(&host.as_str()) {
            hosts.push(host);
        }
    }
    let endpoint = |host: &&str| match host.contains(':') {
        true => format!("iiop://[{host}]:0"),
        false => format!("iiop://{host}:0"),
    };
    Ok(hosts.iter().map(endpoint).collect())
}

impl fmt::Display for Threadpool {
    /// The table of lanes: CORBA priority, native priority, threads, addresses. Why the system
    /// refuses a native priority stands once for each reason; not at all with `{:#}`, for programs
    /// that have shown the report of the platform.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "thread pool {:?}", self.name())?;
        if let Some(scheduler) = self.scheduler() {
            let priorities = scheduler.priorities().map(|priority| priority.to_string());
            let priorities = priorities.collect::<Vec<_>>().join(", ");
            write!(f, ", {}, at priorities {priorities}", scheduler.strategy())?;
        }
        // The same reason tells another priority for each lane.
        let mut told: Vec<String> = Vec::new();
        for lane in self.report() {
            let (fixed, dynamic) = lane.threads;
            write!(f, "\n  priority {} → {}", lane.priority, lane.native)?;
            if lane.native != lane.mapped {
                write!(f, " (mapped to {}, below the highest lane)", lane.mapped)?;
            }
            if let Some(refused) = &lane.refused {
                let reason = refused.replace(|c: char| c.is_ascii_digit(), "");
                match f.alternate() || told.contains(&reason) {
                    true => write!(f, ", refused")?,
                    false => write!(f, ", refused: {refused}")?,
                }
                told.push(reason);
            }
            let budget = if lane.has_budget { ", with a budget" } else { "" };
            write!(f, "{budget}; {fixed} + {dynamic} threads")?;
            for (host, port) in &lane.addresses {
                write!(f, ", {host}:{port}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Threadpool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Threadpool({:?})", self.name())
    }
}
