//! Sending from buffers that the kernel reads in place: `MSG_ZEROCOPY`.
//!
//! # Safety contract
//! The four rules of the [parent module](super). [`send_zero_copy`] hands rule 2 to its callers and
//! is `unsafe` itself.

use super::counted;
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::Errno;
use std::mem::{self, MaybeUninit};
use std::ptr;

/// Sends from `bytes` without copying them (`MSG_ZEROCOPY`).
///
/// # Safety
/// The kernel goes on reading `bytes` after the call has returned. They must stay in place and
/// unchanged until [`zero_copy_completion`] has confirmed the call.
pub(crate) unsafe fn send_zero_copy(fd: BorrowedFd<'_>, bytes: &[u8]) -> Result<usize, Errno> {
    let flags = libc::MSG_ZEROCOPY | libc::MSG_NOSIGNAL;
    let (fd, base) = (fd.as_raw_fd(), bytes.as_ptr().cast());
    // SAFETY: rules 1 and 3; rule 2 is the caller's.
    counted(unsafe { libc::send(fd, base, bytes.len(), flags) })
}

/// That the kernel no longer reads what some calls of [`send_zero_copy`] gave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// How many calls it confirms.
    pub(crate) calls: u32,
    /// The kernel had to copy after all.
    pub(crate) copied: bool,
}

/// Takes one confirmation from the error queue of the socket, without waiting: `AGAIN` if there is
/// none.
pub(crate) fn zero_copy_completion(fd: BorrowedFd<'_>) -> Result<Completion, Errno> {
    /// Room for one `sock_extended_err` with the address that may follow it, aligned as a
    /// `cmsghdr`.
    #[repr(C, align(8))]
    struct Control([MaybeUninit<u8>; 128]);
    let mut control = Control([MaybeUninit::uninit(); 128]);
    // SAFETY: rule 4.
    let mut header: libc::msghdr = unsafe { mem::zeroed() };
    header.msg_control = control.0.as_mut_ptr().cast();
    header.msg_controllen = control.0.len() as _;
    let flags = libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT;
    // SAFETY: rules 1 to 4.
    counted(unsafe { libc::recvmsg(fd.as_raw_fd(), &mut header, flags) })?;
    // SAFETY: `header` is as the kernel left it, its control part lies in `control`.
    let message = unsafe { libc::CMSG_FIRSTHDR(&header) };
    if message.is_null() {
        return Err(Errno::AGAIN);
    }
    // SAFETY: the kernel wrote the header of a message here, and behind it `cmsg_len` bytes.
    let (level, kind) = unsafe { ((*message).cmsg_level, (*message).cmsg_type) };
    if !matches!(
        (level, kind),
        (libc::SOL_IP, libc::IP_RECVERR) | (libc::SOL_IPV6, libc::IPV6_RECVERR)
    ) {
        return Err(Errno::AGAIN);
    }
    // SAFETY: the data of a message of this kind is a `sock_extended_err`, perhaps unaligned.
    let error =
        unsafe { ptr::read_unaligned(libc::CMSG_DATA(message).cast::<libc::sock_extended_err>()) };
    if error.ee_origin != SO_EE_ORIGIN_ZEROCOPY {
        return Err(Errno::from_raw_os_error(error.ee_errno as i32));
    }
    // The calls from `ee_info` to `ee_data`, both included; the numbers wrap around.
    let calls = error.ee_data.wrapping_sub(error.ee_info).wrapping_add(1);
    let copied = i32::from(error.ee_code) & SO_EE_CODE_ZEROCOPY_COPIED != 0;
    Ok(Completion { calls, copied })
}

/// From `linux/errqueue.h`, as the next; the libc crate lacks both.
const SO_EE_ORIGIN_ZEROCOPY: u8 = 5;
const SO_EE_CODE_ZEROCOPY_COPIED: i32 = 1;
