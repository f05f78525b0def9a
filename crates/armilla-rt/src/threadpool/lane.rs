//! One lane: its endpoints and threads, and the right to run a request in it.

use super::budget::Budget;
use super::lending::{self, HasPermits};
use super::options::{LaneOptions, RequestBuffering};
use crate::current::set_priority;
use crate::error::RtError;
use crate::priority::Priority;
use armilla::{Completion, EndpointGroup, ExceptionKind, Minor, SystemException, blocking};
use armilla_ipc::real_time::{Scheduling, Semaphore, reserve_stack};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use tracing::warn;

thread_local! {
    /// The lane to which the calling thread belongs, as the address of its state; 0 for none.
    static LANE: Cell<usize> = const { Cell::new(0) };
}

/// A lane. Lanes share nothing that a request touches, unless they lend threads to one another.
pub(crate) struct Lane {
    pub(crate) priority: Priority,
    /// What the mapping makes of the priority.
    pub(crate) mapped: Scheduling,
    /// What the threads have: that, or an ordinary class below the highest lane.
    pub(crate) native: Scheduling,
    pub(crate) options: LaneOptions,
    /// A permit is the right to call a servant: there are as many as threads.
    permits: Semaphore,
    buffering: Option<RequestBuffering>,
    waiting: AtomicUsize,
    waiting_octets: AtomicUsize,
    budget: Option<Arc<Budget>>,
    /// Why a thread did not get the native priority.
    pub(crate) refused: OnceLock<String>,
    pub(crate) group: OnceLock<EndpointGroup>,
}

/// What a new lane is made from.
pub(super) struct LaneConfig {
    pub(super) options: LaneOptions,
    pub(super) mapped: Scheduling,
    pub(super) native: Scheduling,
    pub(super) buffering: Option<RequestBuffering>,
    pub(super) budget: Option<Arc<Budget>>,
}

impl Lane {
    pub(super) fn new(config: LaneConfig) -> Self {
        let LaneConfig { options, mapped, native, buffering, budget } = config;
        let threads = options.static_threads + options.dynamic_threads;
        Self {
            priority: options.priority,
            mapped,
            native,
            options,
            permits: Semaphore::new(u32::try_from(threads).unwrap_or(u32::MAX)),
            buffering,
            waiting: AtomicUsize::new(0),
            waiting_octets: AtomicUsize::new(0),
            budget,
            refused: OnceLock::new(),
            group: OnceLock::new(),
        }
    }

    /// Prepares the calling thread, which begins to serve the lane: its priority, its stack.
    pub(super) fn adopt_thread(&self, stack: usize) {
        LANE.set(std::ptr::from_ref(self).addr());
        reserve_stack(stack);
        if let Err(error) = set_priority(self.priority, self.native) {
            self.note_refusal(&error);
        }
    }

    /// Notes and logs that a thread did not get the native priority, the first time.
    pub(super) fn note_refusal(&self, error: &RtError) {
        if self.refused.set(error.reason().to_owned()).is_ok() {
            warn!(lane = self.priority.get(), "{error}");
        }
    }

    /// Whether the calling thread is one of this lane's.
    #[inline]
    pub(crate) fn is_current(&self) -> bool {
        LANE.get() == std::ptr::from_ref(self).addr()
    }

    /// Takes a permit of the lane at `index`, or borrows one of a lane below it. Waits for one if the
    /// lane buffers requests or its thread may wait. `lanes` are those that lend to one another,
    /// the most urgent first. Returns the index of the lane whose permit it is.
    ///
    /// # Errors
    /// `TRANSIENT` when the requests that wait already are as many as may.
    #[inline]
    pub(crate) fn enter(
        lanes: &[Arc<Self>],
        index: usize,
        octets: usize,
    ) -> Result<usize, SystemException> {
        if lanes[index].permits.try_acquire() {
            return Ok(index);
        }
        lanes[index].enter_slow(lanes, index, octets)
    }

    #[cold]
    fn enter_slow(
        &self,
        lanes: &[Arc<Self>],
        index: usize,
        octets: usize,
    ) -> Result<usize, SystemException> {
        if let Some(lender) = lending::try_borrow(lanes, index) {
            return Ok(lender);
        }
        let Some(bounds) = self.buffering else {
            return Ok(lending::wait(lanes, index));
        };
        let requests = self.waiting.fetch_add(1, Ordering::Relaxed);
        let waiting = self.waiting_octets.fetch_add(octets, Ordering::Relaxed);
        let full = bounds.max_requests > 0 && requests >= bounds.max_requests
            || bounds.max_octets > 0 && waiting.saturating_add(octets) > bounds.max_octets;
        // Another thread reads further requests meanwhile, to buffer or to refuse them.
        let entered = match full {
            true => Err(self.buffer_full(requests, waiting)),
            false => Ok(blocking(|| lending::wait(lanes, index))),
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        self.waiting_octets.fetch_sub(octets, Ordering::Relaxed);
        entered
    }

    /// Gives a permit of the lane at `index` back, perhaps to a lane above it that waits for it.
    #[inline]
    pub(crate) fn leave(lanes: &[Arc<Self>], index: usize) {
        lending::give_back(lanes, index);
    }

    /// Charges the calling thread's work to the budget, if it is one of this lane's.
    #[inline]
    pub(crate) fn charge(&self) {
        if let Some(budget) = self.budget.as_ref().filter(|_| self.is_current()) {
            budget.charge();
        }
    }

    /// Whether the lane has a budget.
    pub(crate) const fn has_budget(&self) -> bool {
        self.budget.is_some()
    }

    /// The first IIOP address of the lane.
    pub(crate) fn address(&self) -> Option<&(String, u16)> {
        self.group.get()?.addresses().first()
    }

    #[cold]
    fn buffer_full(&self, requests: usize, octets: usize) -> SystemException {
        let what = format!(
            "all {} threads of the lane of priority {} are busy, and {requests} requests of {octets} \
             octets wait (max_buffered_requests, max_request_buffer_size)",
            self.options.static_threads + self.options.dynamic_threads,
            self.priority
        );
        let (kind, minor) = (ExceptionKind::Transient, Minor::TOO_MANY_REQUESTS_IN_PROGRESS);
        SystemException::new(kind, minor, Completion::No).with_reason(what)
    }
}

impl HasPermits for Arc<Lane> {
    #[inline]
    fn permits(&self) -> &Semaphore {
        &self.permits
    }
}
