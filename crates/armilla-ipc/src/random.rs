//! Numbers that nobody can guess.

use rustix::io::{Errno, retry_on_intr};
use rustix::rand::{GetRandomFlags, getrandom};
use std::io;
use std::num::NonZeroU64;

/// A number from the random numbers of the operating system, for what others must not guess. Waits
/// while a host that has just started has none.
///
/// ```
/// assert_ne!(armilla_ipc::random::number()?, armilla_ipc::random::number()?);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// `Unsupported` and the like where the system has no random numbers.
pub fn number() -> io::Result<NonZeroU64> {
    loop {
        let mut octets = [0; 8];
        // The kernel gives so few octets whole.
        let read = retry_on_intr(|| getrandom(&mut octets[..], GetRandomFlags::empty()))?;
        if read < octets.len() {
            return Err(Errno::IO.into());
        }
        if let Some(number) = NonZeroU64::new(u64::from_ne_bytes(octets)) {
            return Ok(number);
        }
    }
}
