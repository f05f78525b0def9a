//! Waiting for moments of the monotonic clock, and how exactly the kernel keeps them.

use crate::error::context;
use rustix::io::Errno;
use rustix::thread::{clock_nanosleep_absolute, current_timer_slack, set_current_timer_slack};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::io;
use std::num::NonZeroU64;
use std::time::Duration;

/// Waits until the monotonic clock shows `moment`, counted from its origin, whatever signals come
/// (`clock_nanosleep` with `TIMER_ABSTIME`). Returns at once if the moment has passed.
///
/// A periodic thread that adds its period to the last moment does not drift, unlike one that
/// sleeps for a duration.
pub fn sleep_until(moment: Duration) {
    let request = Timespec {
        tv_sec: i64::try_from(moment.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: moment.subsec_nanos().into(),
    };
    while clock_nanosleep_absolute(ClockId::Monotonic, &request) == Err(Errno::INTR) {}
}

/// The moment that the monotonic clock shows, counted from its origin (`CLOCK_MONOTONIC`).
#[inline]
pub fn monotonic_now() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// The processor time that the calling thread has used (`CLOCK_THREAD_CPUTIME_ID`).
pub fn thread_cpu_time() -> Duration {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), used.tv_nsec as u32)
}

/// How much later than asked the kernel may wake the calling thread (`PR_GET_TIMERSLACK`). It does
/// not count for real-time threads.
///
/// # Errors
/// None is known.
pub fn timer_slack() -> io::Result<Duration> {
    let slack = current_timer_slack().map_err(|errno| context("cannot read the slack", errno))?;
    Ok(Duration::from_nanos(slack))
}

/// Sets the [timer slack](timer_slack) of the calling thread, at least 1 ns.
///
/// # Errors
/// None is known.
pub fn set_timer_slack(slack: Duration) -> io::Result<()> {
    let nanos = u64::try_from(slack.as_nanos()).unwrap_or(u64::MAX).max(1);
    set_current_timer_slack(NonZeroU64::new(nanos))
        .map_err(|errno| context(format_args!("cannot set the timer slack to {slack:?}"), errno))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_sleeps_until_the_moment_and_not_at_all_for_a_past_one() {
        let moment = monotonic_now() + Duration::from_millis(3);
        sleep_until(moment);
        assert!(monotonic_now() >= moment);
        sleep_until(Duration::ZERO);
    }

    #[test]
    fn the_slack_of_a_thread_is_what_it_was_set_to() {
        std::thread::spawn(|| {
            set_timer_slack(Duration::from_nanos(1234)).unwrap();
            assert_eq!(timer_slack().unwrap(), Duration::from_nanos(1234));
            set_timer_slack(Duration::ZERO).unwrap();
            assert_eq!(timer_slack().unwrap(), Duration::from_nanos(1));
        })
        .join()
        .unwrap();
    }

    #[test]
    fn processor_time_grows_with_work() {
        let before = thread_cpu_time();
        while thread_cpu_time() == before {}
    }
}
