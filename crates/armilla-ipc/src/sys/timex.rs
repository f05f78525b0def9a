//! What the kernel knows of its clock.

use super::last_errno;
use rustix::io::Errno;
use std::mem;

/// The largest error in microseconds, and whether the clock follows another one (`adjtimex`).
pub(crate) fn kernel_clock() -> Result<(u64, bool), Errno> {
    // SAFETY: rule 4; without modes the kernel only fills the structure.
    let mut state: libc::timex = unsafe { mem::zeroed() };
    // SAFETY: rule 2.
    let result = unsafe { libc::adjtimex(&mut state) };
    if result < 0 {
        return Err(last_errno());
    }
    let is_synchronized = result != libc::TIME_ERROR && state.status & libc::STA_UNSYNC == 0;
    Ok((u64::try_from(state.maxerror).unwrap_or(u64::MAX), is_synchronized))
}
