//! How wrong the clock of the system may be, as the kernel estimates it.

use crate::sys::kernel_clock;
use std::io;
use std::time::Duration;

/// What the kernel says of its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockError {
    /// The largest error that the clock may have. It grows by 500 µs a second while no other clock
    /// is heard of.
    pub largest: Duration,
    /// Whether the clock follows another one, as by NTP or PTP. Otherwise the largest error says
    /// nothing.
    pub is_synchronized: bool,
}

/// Asks the kernel how wrong the clock of the system may be: one system call.
///
/// ```
/// let error = armilla_ipc::clock_error()?;
/// println!("give or take {:?}, synchronized: {}", error.largest, error.is_synchronized);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// That of `adjtimex`, such as where a sandbox forbids it.
pub fn clock_error() -> io::Result<ClockError> {
    let (largest, is_synchronized) = kernel_clock()?;
    Ok(ClockError { largest: Duration::from_micros(largest), is_synchronized })
}
