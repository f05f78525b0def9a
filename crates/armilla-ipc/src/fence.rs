//! Asymmetric fences, for two sides of which one runs all the time and the other hardly ever.
//!
//! Two threads each store to one location and then load from the other's. At least one of them sees
//! what the other has stored, provided that a full memory fence stands between the two steps of
//! both. Such a fence costs as much as an atomic exchange. [`light`] and [`heavy`] divide that cost
//! unevenly. The frequent side issues a [`light`] fence, which restrains the compiler only. The
//! rare side issues a [`heavy`] fence: the kernel runs a full fence on every CPU that is running a
//! thread of this process (`membarrier(2)`, `MEMBARRIER_CMD_PRIVATE_EXPEDITED`; about a
//! microsecond). A thread that is not running has passed one when it was scheduled out.
//!
//! # What holds
//! For every pair of one light and one heavy fence: either all that the light side stored before
//! its fence is seen by the loads of the heavy side after its own, or all that the heavy side
//! stored before its fence is seen by the loads of the light side after its own. The same holds for
//! two heavy fences. Two light fences promise nothing to each other.
//!
//! Where the kernel has no such call, or a filter forbids it, both are full fences.

use rustix::io::Result;
use rustix::thread::MembarrierCommand;
#[cfg(not(miri))]
use rustix::thread::membarrier;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering, compiler_fence, fence};
use std::thread::sleep;
use std::time::Duration;

/// Registers the process with the kernel, once. [`heavy`] does it too, but the first call costs up
/// to some ten milliseconds when there are other threads already: a program should make it early.
/// Until then [`light`] is a full fence.
pub fn prepare() {
    FENCE.prepare();
}

/// The fence of the frequent side.
#[inline(always)]
pub fn light() {
    FENCE.light();
}

/// A light fence, then a load of flags. Returns `true` where the fence was passed and all flags are
/// 0: one test says both. Otherwise nothing is promised, and the caller issues a [`light`] fence
/// and loads again.
#[inline(always)]
pub fn light_and_all_clear(flags: impl FnOnce() -> u32) -> bool {
    compiler_fence(Ordering::SeqCst);
    FENCE.mode.load(Ordering::Relaxed) | flags() == 0
}

/// The fence of the rare side.
pub fn heavy() {
    FENCE.heavy();
}

/// A [`heavy`] fence. Returns whether it holds against threads whose own fence is a
/// [`compiler_fence`] and nothing else, which costs not even the question of which fence to pass.
/// Where it is `false`, such a thread may have missed what was stored before.
pub fn heavy_alone() -> bool {
    FENCE.heavy();
    FENCE.mode.load(Ordering::Relaxed) == ASYMMETRIC
}

static FENCE: AsymmetricFence = AsymmetricFence::new(membarrier);

/// Miri has no such call.
#[cfg(miri)]
fn membarrier(_: MembarrierCommand) -> Result<()> {
    Err(rustix::io::Errno::NOSYS)
}

/// Light fences restrain the compiler only, and the kernel does the rest. It is 0 for the sake of
/// [`light_and_all_clear`].
const ASYMMETRIC: u32 = 0;
/// Light fences are full ones.
const FULL: u32 = 1;
/// Light fences are full ones, but some that were not may have been passed a moment ago.
const LEAVING: u32 = 2;

/// After this time every CPU has made its earlier stores visible: it has been interrupted many
/// times.
const DRAINED: Duration = Duration::from_millis(20);

struct AsymmetricFence {
    mode: AtomicU32,
    asked: OnceLock<()>,
    kernel: fn(MembarrierCommand) -> Result<()>,
}

impl AsymmetricFence {
    const fn new(kernel: fn(MembarrierCommand) -> Result<()>) -> Self {
        Self { mode: AtomicU32::new(FULL), asked: OnceLock::new(), kernel }
    }

    fn prepare(&self) {
        self.asked.get_or_init(|| {
            if (self.kernel)(MembarrierCommand::RegisterPrivateExpedited).is_ok() {
                self.mode.store(ASYMMETRIC, Ordering::SeqCst);
            }
        });
    }

    #[inline(always)]
    fn light(&self) {
        match self.mode.load(Ordering::Relaxed) {
            ASYMMETRIC => compiler_fence(Ordering::SeqCst),
            _ => fence(Ordering::SeqCst),
        }
    }

    fn heavy(&self) {
        // A thread whose light fence was none has seen that the kernel agreed. So has this thread,
        // which has registered the process itself or waited for the thread that did.
        self.prepare();
        fence(Ordering::SeqCst);
        if self.mode.load(Ordering::Relaxed) == ASYMMETRIC
            && (self.kernel)(MembarrierCommand::PrivateExpedited).is_err()
        {
            self.mode
                .compare_exchange(ASYMMETRIC, LEAVING, Ordering::SeqCst, Ordering::SeqCst)
                .ok();
        }
        if self.mode.load(Ordering::Relaxed) == LEAVING {
            self.leave();
        }
        fence(Ordering::SeqCst);
    }

    /// The kernel agreed once and does not any more: a filter was installed since. From now on
    /// light fences are full ones, and the effects of those that were not become visible within
    /// [`DRAINED`].
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
    fn both_missed(fence: &AsymmetricFence, rounds: u32) -> u32 {
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
            scope.spawn(|| side(0, &|| fence.light()));
            side(1, &|| fence.heavy())
        })
    }

    #[test]
    fn flags_and_fence_are_tested_at_once() {
        prepare();
        let passed = FENCE.mode.load(Ordering::SeqCst) == ASYMMETRIC;
        assert_eq!(light_and_all_clear(|| 0), passed);
        assert!(!light_and_all_clear(|| 1));
    }

    #[test]
    fn a_heavy_fence_alone_says_whether_it_is_enough() {
        let asymmetric = heavy_alone();
        assert_eq!(asymmetric, FENCE.mode.load(Ordering::SeqCst) == ASYMMETRIC);
    }

    #[test]
    fn at_least_one_of_two_racing_threads_sees_the_other() {
        assert_eq!(both_missed(&FENCE, 20_000), 0);
    }

    #[test]
    fn so_it_is_where_the_kernel_refuses() {
        let fence = AsymmetricFence::new(refuses);
        assert_eq!(both_missed(&fence, 20_000), 0);
        assert_eq!(fence.mode.load(Ordering::SeqCst), FULL);
    }

    #[test]
    fn a_barrier_that_the_kernel_refuses_later_is_not_tried_again() {
        let fence = AsymmetricFence::new(regrets);
        fence.prepare();
        assert_eq!(fence.mode.load(Ordering::SeqCst), ASYMMETRIC);
        fence.heavy();
        assert_eq!(fence.mode.load(Ordering::SeqCst), FULL);
        assert_eq!(both_missed(&fence, 2_000), 0);
    }
}
