//! A budget of processor time for the lanes below the highest of a pool.
//!
//! Linux stops all real-time threads of a CPU, the most urgent too, when they have used 95 % of a
//! second together. Lanes below the highest therefore use less than that by themselves: a thread
//! that has used the budget of the period waits for the next one, between two requests.

use armilla_ipc::real_time::{monotonic_now, sleep_until, thread_cpu_time};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The length of a period. Ten fit into the second of the kernel.
const PERIOD: Duration = Duration::from_millis(100);

thread_local! {
    /// The processor time that the thread had used when it was asked last.
    static ACCOUNTED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// The budget that several lanes share.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Nanoseconds of each period.
    runtime: u64,
    /// The number of the current period, and what was used of it in nanoseconds.
    period: AtomicU64,
    used: AtomicU64,
}

impl Budget {
    /// A budget of this share of one CPU, 0.01 to 1.
    pub(crate) fn new(share: f64) -> Self {
        let runtime = PERIOD.mul_f64(share.clamp(0.01, 1.0)).as_nanos() as u64;
        Self { runtime, period: AtomicU64::new(0), used: AtomicU64::new(0) }
    }

    /// Counts what the calling thread has used since it was counted last, and waits for the next
    /// period if the budget is used up.
    pub(crate) fn charge(&self) {
        let now = thread_cpu_time();
        let used = now.saturating_sub(ACCOUNTED.replace(now)).as_nanos() as u64;
        let period = (monotonic_now().as_nanos() / PERIOD.as_nanos()) as u64;
        if self.period.swap(period, Ordering::Relaxed) != period {
            self.used.store(0, Ordering::Relaxed);
        }
        let before = self.used.fetch_add(used, Ordering::Relaxed);
        if before.saturating_add(used) >= self.runtime {
            sleep_until(Duration::from_nanos((period + 1) * PERIOD.as_nanos() as u64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn a_thread_gets_no_more_than_the_share() {
        let budget = Budget::new(0.2);
        std::thread::spawn(move || {
            budget.charge();
            let (begun, cpu) = (Instant::now(), thread_cpu_time());
            while begun.elapsed() < PERIOD * 4 {
                let step = thread_cpu_time();
                while thread_cpu_time() - step < Duration::from_millis(1) {}
                budget.charge();
            }
            let share = (thread_cpu_time() - cpu).as_secs_f64() / begun.elapsed().as_secs_f64();
            // A period at either end may be cut.
            assert!(share < 0.4, "{share}");
        })
        .join()
        .unwrap();
    }
}
