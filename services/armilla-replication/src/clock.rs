//! The clock by which promises are kept.

/// The nanoseconds since some moment: they go on while the process is stopped, and on Linux also while the
/// host sleeps.
#[cfg(target_os = "linux")]
pub(crate) fn elapsed() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(now.tv_sec).unwrap_or_default();
    seconds.saturating_mul(1_000_000_000) + u64::try_from(now.tv_nsec).unwrap_or_default()
}

/// The nanoseconds since some moment: they go on while the process is stopped.
#[cfg(not(target_os = "linux"))]
pub(crate) fn elapsed() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static BEGUN: OnceLock<Instant> = OnceLock::new();
    let begun = BEGUN.get_or_init(Instant::now);
    u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
