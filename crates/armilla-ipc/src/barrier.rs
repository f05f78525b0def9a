//! Memory barriers for two sides of which one runs all the time and the other hardly ever.
//!
//! Where each of two threads stores to one place and then loads from the other's, at least one of
//! them sees what the other has stored, provided that a full barrier stands between the two steps of
//! both. Such a barrier costs as much as an atomic exchange. [`light`] and [`heavy`] divide that cost
//! unevenly: the frequent side issues a [`light`] one, which only holds the compiler back, and the
//! rare side a [`heavy`] one, which has the kernel run a full barrier on every CPU that is running a
//! thread of this process (`membarrier(2)`, `MEMBARRIER_CMD_PRIVATE_EXPEDITED`; about a microsecond).
//! A thread that is not running has passed one when it was put aside.
//!
//! # What holds
//! For every pair of one `light` and one `heavy` barrier: either all that the light side stored before
//! its barrier is seen by what the heavy side loads after its own, or all that the heavy side stored
//! before its barrier is seen by what the light side loads after its own. So it is for two heavy ones.
//! Two light ones promise nothing to each other.
//!
//! Where the kernel has no such call, or a filter forbids it, both are full barriers.

use rustix::io::Result;
use rustix::thread::MembarrierCommand;
#[cfg(not(miri))]
use rustix::thread::membarrier;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering, compiler_fence, fence};
use std::thread::sleep;
use std::time::Duration;

/// Asks the kernel for its part, once in a process. [`heavy`] does it too; but the first call costs
/// up to some ten milliseconds when there are other threads already, so a program does well to make it
/// early. Until then [`light`] is a full barrier.
pub fn prepare() {
    BARRIER.prepare();
}

/// The barrier of the frequent side.
#[inline(always)]
pub fn light() {
    BARRIER.light();
}

/// A light barrier, then a load of flags. Returns `true` where the barrier was passed and all flags are 0: one
/// test says both. Else nothing is promised, and the caller issues a [`light`] barrier and loads again.
#[inline(always)]
pub fn light_and_all_clear(flags: impl FnOnce() -> u32) -> bool {
    compiler_fence(Ordering::SeqCst);
    BARRIER.mode.load(Ordering::Relaxed) | flags() == 0
}

/// The barrier of the rare side.
pub fn heavy() {
    BARRIER.heavy();
}

static BARRIER: Barrier = Barrier::new(membarrier);

/// Miri has no such call.
#[cfg(miri)]
fn membarrier(_: MembarrierCommand) -> Result<()> {
    Err(rustix::io::Errno::NOSYS)
}

/// The light barriers hold the compiler back, and the kernel does the rest. It is 0 for the sake of
/// [`light_and_all_clear`].
const SHARED: u32 = 0;
/// The light barriers are full ones.
const FULL: u32 = 1;
/// The light barriers are full ones, but some that were not may have been passed a moment ago.
const LEAVING: u32 = 2;

/// By when every CPU has made visible what it stored before: it is interrupted many times before.
const DRAINED: Duration = Duration::from_millis(20);

struct Barrier {
    mode: AtomicU32,
    asked: OnceLock<()>,
    kernel: fn(MembarrierCommand) -> Result<()>,
}

impl Barrier {
    const fn new(kernel: fn(MembarrierCommand) -> Result<()>) -> Self {
        Self { mode: AtomicU32::new(FULL), asked: OnceLock::new(), kernel }
    }

    fn prepare(&self) {
        self.asked.get_or_init(|| {
            if (self.kernel)(MembarrierCommand::RegisterPrivateExpedited).is_ok() {
                self.mode.store(SHARED, Ordering::SeqCst);
            }
        });
    }

    #[inline(always)]
    fn light(&self) {
        match self.mode.load(Ordering::Relaxed) {
            SHARED => compiler_fence(Ordering::SeqCst),
            _ => fence(Ordering::SeqCst),
        }
    }

    fn heavy(&self) {
        // Whoever has passed a light barrier that is none has seen that the kernel agreed; so does
        // this thread, which has asked itself or waited for who did.
        self.prepare();
        fence(Ordering::SeqCst);
        if self.mode.load(Ordering::Relaxed) == SHARED
            && (self.kernel)(MembarrierCommand::PrivateExpedited).is_err()
        {
            self.mode.compare_exchange(SHARED, LEAVING, Ordering::SeqCst, Ordering::SeqCst).ok();
        }
        if self.mode.load(Ordering::Relaxed) == LEAVING {
            self.leave();
        }
        fence(Ordering::SeqCst);
    }

    /// The kernel has agreed once and does so no more: a filter was installed since. From now on the
    /// light barriers are full ones, and those that were not have had their time.
    #[cold]
    fn leave(&self) {
        sleep(DRAINED);
        self.mode.store(FULL, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    fn refuses(_: MembarrierCommand) -> Result<()> {
        Err(Errno::NOSYS)
    }

    /// As under a filter that is installed after the start.
    fn regrets(command: MembarrierCommand) -> Result<()> {
        match command {
            MembarrierCommand::RegisterPrivateExpedited => Ok(()),
            _ => Err(Errno::PERM),
        }
    }

    /// Two threads store and look, over and over; returns how often neither saw the other.
    fn both_missed(barrier: &Barrier, rounds: u32) -> u32 {
        let (stored, seen) =
            ([const { AtomicU32::new(0) }; 2], [const { AtomicBool::new(true) }; 2]);
        let arrived = AtomicU32::new(0);
        let meet = |number: u32| {
            arrived.fetch_add(1, Ordering::SeqCst);
            let mut turns = 0u32;
            while arrived.load(Ordering::SeqCst) < 2 * number {
                turns += 1;
                // On a CPU of their own both spin; where they share one the other must get it.
                if turns.is_multiple_of(1_000) {
                    thread::yield_now();
                }
            }
        };
        let side = |me: usize, pass: &dyn Fn()| {
            let mut missed = 0;
            for round in 1..=rounds {
                meet(2 * round - 1);
                stored[me].store(round, Ordering::Relaxed);
                pass();
                seen[me].store(stored[1 - me].load(Ordering::Relaxed) == round, Ordering::Relaxed);
                meet(2 * round);
                missed += u32::from(seen.iter().all(|seen| !seen.load(Ordering::Relaxed)));
            }
            missed
        };
        thread::scope(|scope| {
            scope.spawn(|| side(0, &|| barrier.light()));
            side(1, &|| barrier.heavy())
        })
    }

    #[test]
    fn flags_and_barrier_are_tested_at_once() {
        prepare();
        let passed = BARRIER.mode.load(Ordering::SeqCst) == SHARED;
        assert_eq!(light_and_all_clear(|| 0), passed);
        assert!(!light_and_all_clear(|| 1));
    }

    #[test]
    fn one_of_the_two_sides_sees_the_other() {
        assert_eq!(both_missed(&BARRIER, 20_000), 0);
    }

    #[test]
    fn so_it_is_where_the_kernel_refuses() {
        let barrier = Barrier::new(refuses);
        assert_eq!(both_missed(&barrier, 20_000), 0);
        assert_eq!(barrier.mode.load(Ordering::SeqCst), FULL);
    }

    #[test]
    fn a_kernel_that_refuses_later_is_asked_no_more() {
        let barrier = Barrier::new(regrets);
        barrier.prepare();
        assert_eq!(barrier.mode.load(Ordering::SeqCst), SHARED);
        barrier.heavy();
        assert_eq!(barrier.mode.load(Ordering::SeqCst), FULL);
        assert_eq!(both_missed(&barrier, 2_000), 0);
    }
}
