//! A connected consumer: its subscription, its queue, and the thread that calls it.
//!
//! A supplier's thread correlates and queues, under a mutex that inherits priorities and is held for
//! no call. The consumer's own thread delivers, so that a slow consumer holds nobody else.

use crate::consumer::{Consumer, ConsumerError};
use crate::corba::{ConsumerStatistics, DiscardPolicy, Event};
use crate::correlation::{Correlator, Matched};
use crate::event::{nanos, now as wall_now};
use crate::options::{ChannelLimits, ConsumerOptions};
use crate::presence::Presence;
use crate::queue::{Delivery, Queue};
use crate::subscription::Subscription;
use armilla::{ExceptionKind, Minor, SystemException, blocking};
use armilla_ipc::real_time::{PiMutex, Semaphore, monotonic_now};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing::warn;

/// A connected consumer.
pub(crate) struct Connection {
    state: PiMutex<State>,
    /// Signalled when something can be delivered, or it has ended.
    filled: Semaphore,
    /// Signalled once for each place that becomes free, and when it has ended.
    room: Semaphore,
    ended: AtomicBool,
    /// Set when the timers of the subscription may be others than a waiting thread knows.
    changed: AtomicBool,
    discard: DiscardPolicy,
    limits: ChannelLimits,
}

/// How long a supplier sleeps at least that waits for a delivery to expire.
const SHORTEST_WAIT: Duration = Duration::from_micros(100);

/// Why a wait has ended.
enum Wake {
    With(Delivery),
    Ended,
    Changed,
}

struct State {
    correlator: Correlator,
    queue: Queue,
    suspended: bool,
    /// Whether the last delivery was of a timer: one that waits in the queue is next.
    ticked: bool,
    statistics: ConsumerStatistics,
}

/// What became of an event.
#[derive(Debug)]
pub(crate) enum Offered {
    /// It completes nothing, or is queued, or has been counted as lost.
    Done,
    /// The supplier is to wait for room, and then to queue this.
    Full(Delivery),
    /// The consumer is to be disconnected.
    Disconnect,
}

impl Connection {
    pub(crate) fn new(options: &ConsumerOptions, limits: ChannelLimits) -> Self {
        let length = match options.queue_length {
            0 => limits.queue_length,
            asked => asked,
        };
        let state = State {
            correlator: Correlator::new(&options.subscription, now()),
            queue: Queue::new(options.order, length, limits.queue_octets),
            suspended: false,
            ticked: false,
            statistics: ConsumerStatistics::default(),
        };
        Self {
            state: PiMutex::new(state),
            filled: Semaphore::new(0),
            room: Semaphore::new(0),
            ended: AtomicBool::new(false),
            changed: AtomicBool::new(false),
            discard: options.discard,
            limits,
        }
    }

    /// Takes an event that the consumer may want. Does not wait.
    pub(crate) fn offer(&self, event: &Arc<Event>) -> Offered {
        let now = now();
        let mut state = self.state.lock();
        if state.suspended || self.has_ended() {
            return Offered::Done;
        }
        let Some(matched) = state.correlator.offer(event, now) else { return Offered::Done };
        let delivery = Delivery::new(matched, now);
        let freed = state.make_room(&delivery);
        while !state.queue.has_room(&delivery) {
            match self.discard {
                // Several, if that is larger than those that make room for it.
                DiscardPolicy::DiscardOldest => {
                    state.queue.discard_oldest();
                    state.statistics.discarded += 1;
                }
                DiscardPolicy::DiscardNewest => {
                    state.statistics.discarded += 1;
                    return Offered::Done;
                }
                DiscardPolicy::BlockSupplier => return Offered::Full(delivery),
                DiscardPolicy::DisconnectConsumer => {
                    state.statistics.discarded += 1;
                    return Offered::Disconnect;
                }
            }
        }
        state.queue(delivery);
        drop(state);
        self.filled.signal();
        // One of the places is taken.
        self.tell_of_room(freed.saturating_sub(1));
        Offered::Done
    }

    /// Waits for room, and queues a delivery. Counts it as lost if there is none in time.
    pub(crate) fn offer_waiting(&self, delivery: Delivery) {
        let end = monotonic_now().saturating_add(self.limits.block);
        let mut delivery = Some(delivery);
        let mut freed = 0;
        // Another thread reads from the supplier's connection meanwhile.
        blocking(|| {
            while let Some(wait) = self.wait_for_room(end) {
                let attempt = || {
                    let mut state = self.state.lock();
                    let ended = self.has_ended();
                    if let Some(waiting) = &delivery {
                        freed += state.make_room(waiting);
                    }
                    if !ended && let Some(fits) = delivery.take_if(|it| state.queue.has_room(it)) {
                        state.queue(fits);
                    }
                    (ended || delivery.is_none()).then_some(())
                };
                if self.room.wait_for(Some(wait), attempt).is_some() {
                    break;
                }
            }
        });
        match delivery {
            None => {
                self.filled.signal();
                self.tell_of_room(freed.saturating_sub(1));
            }
            Some(_) => {
                self.state.lock().statistics.discarded += 1;
                self.tell_of_room(freed);
            }
        }
    }

    /// How long a supplier sleeps at most that waits for room until `end`, by the monotonic clock:
    /// a delivery that expires makes room too, and nobody signals that. `None` after the end.
    fn wait_for_room(&self, end: Duration) -> Option<Duration> {
        let left = end.checked_sub(monotonic_now()).filter(|left| !left.is_zero())?;
        let expiry = self.state.lock().queue.next_expiry();
        let expiry = expiry.map(|at| Duration::from_nanos(at.saturating_sub(wall_now())));
        // Not without a pause, should the clock be set meanwhile.
        let expiry = expiry.map(|expiry| expiry.max(SHORTEST_WAIT));
        earlier(Some(left), expiry)
    }

    /// Wakes a supplier for each place that has become free.
    fn tell_of_room(&self, places: usize) {
        if self.discard == DiscardPolicy::BlockSupplier {
            // Without a waiter there is none for the further places either.
            (0..places).all(|_| self.room.signal());
        }
    }

    /// Takes the next delivery that has not expired, if one waits; time passes for the correlation.
    /// Timers come first, but never twice while something waits: a consumer that is slower than its
    /// timer would get nothing else.
    fn take(&self) -> Option<Delivery> {
        let mut state = self.state.lock();
        let is_queues_turn = state.ticked && state.queue.len() > 0;
        state.ticked = false;
        if !is_queues_turn && let Some(matched) = state.tick(now()) {
            state.ticked = true;
            state.statistics.queued += 1;
            return Some(Delivery::new(matched, now()));
        }
        let freed = state.expire();
        let found = state.queue.pop();
        drop(state);
        self.tell_of_room(freed + usize::from(found.is_some()));
        found
    }

    /// Waits up to `limit` for a delivery. `None` at its end, and after the connection has ended.
    pub(crate) fn wait(&self, limit: Option<Duration>) -> Option<Delivery> {
        let end = limit.map(|limit| monotonic_now().saturating_add(limit));
        loop {
            // The time until a timer of the subscription ends the wait too.
            let tick = self.state.lock().next_tick();
            let tick = tick.map(|tick| Duration::from_nanos(tick.saturating_sub(now())));
            let left = end.map(|end| end.saturating_sub(monotonic_now()));
            let found = self.filled.wait_for(earlier(tick, left), || {
                if self.has_ended() {
                    return Some(Wake::Ended);
                }
                let changed = self.changed.swap(false, Ordering::SeqCst);
                self.take().map(Wake::With).or(changed.then_some(Wake::Changed))
            });
            match found {
                Some(Wake::With(delivery)) => return Some(delivery),
                Some(Wake::Ended) => return None,
                None if end.is_some_and(|end| monotonic_now() >= end) => return None,
                None | Some(Wake::Changed) => {}
            }
        }
    }

    /// Takes a delivery if one waits: for `try_pull`.
    pub(crate) fn try_take(&self) -> Option<Delivery> {
        self.take().filter(|_| !self.has_ended())
    }

    /// Calls the consumer until the connection ends, or the consumer is gone.
    pub(crate) fn run(&self, consumer: &dyn Consumer, presence: &Presence) {
        let mut failures = 0;
        while let Some(delivery) = self.wait(None) {
            let queued = delivery.queued;
            let called = catch_unwind(AssertUnwindSafe(|| call(consumer, delivery)));
            let mut state = self.state.lock();
            let statistics = &mut state.statistics;
            match called {
                Ok(Ok(())) => {
                    failures = 0;
                    let took = now().saturating_sub(queued);
                    statistics.longest_delivery = statistics.longest_delivery.max(took);
                    statistics.delivered += 1;
                    presence.hear();
                    continue;
                }
                Ok(Err(ConsumerError::Gone)) => failures = u32::MAX,
                // The process ends, not the connection.
                Ok(Err(ConsumerError::Failed(exception))) if is_shut_down(&exception) => {
                    drop(state);
                    self.end();
                    return;
                }
                Ok(Err(ConsumerError::Failed(exception))) => {
                    warn!("a consumer of events failed: {exception}");
                    failures += 1;
                }
                Err(_) => {
                    warn!("a consumer of events panicked");
                    failures += 1;
                }
            }
            statistics.failed += 1;
            drop(state);
            if failures >= self.limits.failures.max(1) {
                return;
            }
        }
    }

    /// Ends the connection: nothing is delivered any more. Returns whether it had not ended before.
    pub(crate) fn end(&self) -> bool {
        let first = !self.ended.swap(true, Ordering::SeqCst);
        if first {
            let mut state = self.state.lock();
            state.statistics.discarded += state.queue.clear() as u64;
            drop(state);
            self.filled.signal_all();
            self.room.signal_all();
        }
        first
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Replaces the subscription. What was queued stays, what was gathered is discarded.
    pub(crate) fn change_subscription(&self, subscription: &Subscription) {
        self.state.lock().correlator = Correlator::new(subscription, now());
        self.look_again();
    }

    pub(crate) fn suspend(&self, suspended: bool) {
        self.state.lock().suspended = suspended;
        self.look_again();
    }

    fn look_again(&self) {
        self.changed.store(true, Ordering::SeqCst);
        self.filled.signal();
    }

    pub(crate) fn statistics(&self) -> ConsumerStatistics {
        let state = self.state.lock();
        let waiting = u32::try_from(state.queue.len()).unwrap_or(u32::MAX);
        ConsumerStatistics { waiting, ..state.statistics }
    }
}

impl State {
    /// Lets time pass for the correlation, unless the connection is suspended.
    fn tick(&mut self, now: u64) -> Option<Matched> {
        if self.suspended { None } else { self.correlator.tick(now) }
    }

    fn next_tick(&self) -> Option<u64> {
        self.correlator.next_tick().filter(|_| !self.suspended)
    }

    /// Removes what has expired, and counts it. Returns how many places became free.
    fn expire(&mut self) -> usize {
        // Without expiry nobody looks at the clock.
        let expired = match self.queue.next_expiry() {
            Some(_) => self.queue.expire(wall_now()),
            None => 0,
        };
        self.statistics.expired += expired as u64;
        expired
    }

    /// Removes what has expired if there is no room else. Returns how many places became free.
    fn make_room(&mut self, delivery: &Delivery) -> usize {
        if self.queue.has_room(delivery) { 0 } else { self.expire() }
    }

    fn queue(&mut self, delivery: Delivery) {
        self.queue.push(delivery);
        self.statistics.queued += 1;
        let waiting = u32::try_from(self.queue.len()).unwrap_or(u32::MAX);
        self.statistics.most_waiting = self.statistics.most_waiting.max(waiting);
    }
}

/// Whether this ORB was shut down, so that it calls nobody.
pub(crate) fn is_shut_down(exception: &SystemException) -> bool {
    exception.kind() == ExceptionKind::BadInvOrder
        && exception.minor() == Minor::BAD_INV_ORDER_ORB_SHUT_DOWN
}

fn call(consumer: &dyn Consumer, delivery: Delivery) -> Result<(), ConsumerError> {
    match delivery.matched {
        Matched::One(event) => consumer.push(std::slice::from_ref(&event)),
        Matched::Several(events) => {
            let events: Vec<Event> = events.iter().map(|event| Event::clone(event)).collect();
            consumer.push(&events)
        }
    }
}

fn earlier(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// Nanoseconds of the monotonic clock.
fn now() -> u64 {
    nanos(monotonic_now())
}
