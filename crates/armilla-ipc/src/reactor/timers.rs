//! The timers of a reactor: one `timerfd` for all of them, set to the earliest deadline.

use super::Reactor;
use super::heap::{Heap, Key, Nanos};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Handles the expiry of a timer. A closure `Fn(&Reactor, Timer) -> Option<Duration>` implements
/// it.
pub trait TimerHandler: Send + Sync {
    /// The timer has expired. To be called again, return the delay: it counts from the moment at
    /// which this call was due, or from now if that delay is over already.
    fn expired(&self, reactor: &Reactor, timer: Timer) -> Option<Duration>;
}

impl<F: Fn(&Reactor, Timer) -> Option<Duration> + Send + Sync> TimerHandler for F {
    fn expired(&self, reactor: &Reactor, timer: Timer) -> Option<Duration> {
        self(reactor, timer)
    }
}

/// Names an armed timer. Like a token it is never given out again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Timer(Key);

impl Reactor {
    /// Calls `resume_timer` when `delay` has passed: not sooner, and as much later as the threads
    /// of the reactor are busy.
    ///
    /// Reads the clock once; a system call only if no armed timer comes sooner. Allocates nothing
    /// beyond the most timers ever armed at once: pass the same `Arc` again and again.
    ///
    /// ```
    /// use armilla_ipc::reactor::{Reactor, Timer};
    /// use std::{sync::Arc, time::Duration};
    ///
    /// let reactor = Reactor::new()?;
    /// reactor.arm(Duration::from_millis(1), Arc::new(|reactor: &Reactor, _: Timer| {
    ///     reactor.stop();
    ///     None // or after how long to expire again
    /// }));
    /// reactor.run()?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn arm(&self, delay: Duration, resume_timer: Arc<dyn TimerHandler>) -> Timer {
        let deadline = after(now(), delay);
        let mut armed = self.timer_queue.lock();
        let key = armed.heap.insert(deadline, resume_timer);
        self.timer_queue.set_if_earlier(&mut armed, deadline);
        Timer(key)
    }

    /// Lets a timer expire `delay` from now instead; false if it has expired or was cancelled.
    /// Moving it to a later time costs no system call.
    pub fn rearm(&self, timer: Timer, delay: Duration) -> bool {
        let deadline = after(now(), delay);
        let mut armed = self.timer_queue.lock();
        let set = armed.heap.set(timer.0, deadline);
        if set {
            self.timer_queue.set_if_earlier(&mut armed, deadline);
        }
        set
    }

    /// Disarms a timer; false if it has expired or was cancelled. One that is being called at this
    /// moment is not called again. Costs no system call.
    pub fn cancel(&self, timer: Timer) -> bool {
        let removed = self.timer_queue.lock().heap.remove(timer.0);
        removed.is_some()
    }

    /// Calls the handler of one timer that is due. Before that, another thread may take the next
    /// one.
    pub(super) fn expire_due_timer(&self) {
        let now = now();
        let mut armed = self.timer_queue.lock();
        let due = armed.heap.pop_due(now);
        let first = armed.heap.first();
        self.timer_queue.set(&mut armed, first);
        drop(armed);
        // It could fail only for want of a descriptor that is there.
        let _ = self.epoll.rearm_timer(self.timer_queue.descriptor());
        let Some((key, deadline, resume_timer)) = due else { return };
        let retry_interrupted = resume_timer.expired(self, Timer(key));
        let mut armed = self.timer_queue.lock();
        if !armed.heap.is_out(key) {
            return; // cancelled, or armed anew, by the handler itself or by another thread
        }
        match retry_interrupted {
            Some(delay) => {
                let next = Some(after(deadline, delay)).filter(|&next| next > now);
                let next = next.unwrap_or_else(|| after(now, delay));
                armed.heap.set(key, next);
                self.timer_queue.set_if_earlier(&mut armed, next);
            }
            None => drop(armed.heap.remove(key)),
        }
    }
}

/// The armed timers, and the descriptor that is readable when the first of them is due.
pub(super) struct TimerQueue {
    fd: OwnedFd,
    armed: Mutex<Armed>,
}

struct Armed {
    heap: Heap<Arc<dyn TimerHandler>>,
    /// The moment that the descriptor is set to, [`NEVER`] if to none.
    set_to: Nanos,
}

const NEVER: Nanos = Nanos::MAX;

impl TimerQueue {
    pub(super) fn new() -> io::Result<Self> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let fd = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        Ok(Self { fd, armed: Mutex::new(Armed { heap: Heap::default(), set_to: NEVER }) })
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    fn lock(&self) -> MutexGuard<'_, Armed> {
        // The heap is consistent between its methods, and nothing else can panic under this lock.
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the descriptor to `deadline` if it is set to a later moment. A setting that is too
    /// early, for a timer that was cancelled, costs one needless wake-up.
    fn set_if_earlier(&self, armed: &mut Armed, deadline: Nanos) {
        if deadline < armed.set_to {
            self.set(armed, Some(deadline));
        }
    }

    /// Sets the descriptor to `moment`, which ends its being readable.
    fn set(&self, armed: &mut Armed, moment: Option<Nanos>) {
        armed.set_to = moment.unwrap_or(NEVER);
        let zero = Timespec { tv_sec: 0, tv_nsec: 0 };
        // A moment of zero would switch it off.
        let value = moment.map_or(zero, |moment| Timespec {
            tv_sec: (moment.max(1) / NANOS).cast_signed(),
            tv_nsec: (moment.max(1) % NANOS).cast_signed(),
        });
        let setting = Itimerspec { it_interval: zero, it_value: value };
        // The setting is well-formed, and the kernel knows no other reason to fail.
        let _ = timerfd_settime(&self.fd, TimerfdTimerFlags::ABSTIME, &setting);
    }
}

impl fmt::Debug for TimerQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clockwork").field("fd", &self.fd).finish_non_exhaustive()
    }
}

const NANOS: u64 = 1_000_000_000;

/// The precise monotonic clock: unlike the coarse one it is never behind the kernel's timers.
fn now() -> Nanos {
    let now = clock_gettime(ClockId::Monotonic);
    // It starts near zero at boot, so neither conversion can lose anything.
    now.tv_sec.cast_unsigned() * NANOS + now.tv_nsec.cast_unsigned()
}

/// The moment `delay` after `start`, at most the last before the end of time.
fn after(start: Nanos, delay: Duration) -> Nanos {
    let delay = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
    start.saturating_add(delay).min(NEVER - 1)
}
