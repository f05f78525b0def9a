//! The system calls that rustix lacks, each wrapped so that its callers need no `unsafe`.
//!
//! # Safety contract
//! Every `unsafe` block of this file and of its submodules upholds the same four rules, and nothing
//! else is asked of them:
//!
//! 1. A descriptor comes from a [`BorrowedFd`] or an [`OwnedFd`] and so is open during the call.
//! 2. A pointer given to the kernel points into a value that is borrowed, mutably where the kernel
//!    writes, until the call returns; the kernel keeps none of them afterwards. The one exception
//!    is `send_zero_copy`, which hands the duty to its callers and is `unsafe` itself.
//! 3. A length given with a pointer is the length of what it points to.
//! 4. Structures are zeroed before the kernel fills them, zero is a valid value of every one of
//!    them, and only what the kernel says it wrote is looked at.
//!
//! The tests of `recv_batch`, `send_batch`, memberships, options and zero-copy sending run under
//! the address sanitizer by `.ci/sanitizers`.

#![allow(unsafe_code)]

mod allocator;
mod ancillary;
#[cfg(any(feature = "udp", feature = "unix-datagram"))]
mod batch;
#[cfg(feature = "udp")]
mod multicast;
#[cfg(feature = "real-time")]
mod real_time;
mod stack;
#[cfg(feature = "clock-error")]
mod timex;
#[cfg(feature = "zero-copy")]
mod zero_copy;

#[cfg(feature = "real-time")]
pub(crate) use allocator::keep_freed_memory;
pub(crate) use allocator::release_free_memory;
pub use ancillary::MAX_DESCRIPTORS;
pub(crate) use ancillary::{Passed, recv_passed};
#[cfg(any(feature = "udp", feature = "unix-datagram"))]
pub(crate) use batch::{MAX_BATCH, recv_batch, send_batch};
#[cfg(feature = "udp")]
pub(crate) use multicast::{Membership, change_membership};
#[cfg(feature = "real-time")]
pub(crate) use real_time::{
    SchedulingAttributes, after_fork, page_faults, scheduling_attributes, set_scheduling_attributes,
};
pub(crate) use stack::stack_of_this_thread;
#[cfg(feature = "clock-error")]
pub(crate) use timex::kernel_clock;
#[cfg(feature = "zero-copy")]
pub(crate) use zero_copy::{send_zero_copy, zero_copy_completion};

use libc::{c_int, socklen_t};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::{io, mem, ptr};

fn last_errno() -> Errno {
    // The error of a failed system call is always one that has a number.
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// A count, or the error that a negative result stands for.
fn counted(result: isize) -> Result<usize, Errno> {
    usize::try_from(result).map_err(|_| last_errno())
}

/// An option of a socket whose value is an `int`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntOption {
    level: c_int,
    name: c_int,
}

/// `SO_BUSY_POLL`, in microseconds.
pub(crate) const BUSY_POLL: IntOption = IntOption::socket(libc::SO_BUSY_POLL);
/// `SO_PRIORITY`.
pub(crate) const PRIORITY: IntOption = IntOption::socket(libc::SO_PRIORITY);
/// `SO_ZEROCOPY`.
pub(crate) const ZERO_COPY: IntOption = IntOption::socket(libc::SO_ZEROCOPY);
/// `IPV6_TCLASS`.
pub(crate) const TRAFFIC_CLASS_V6: IntOption =
    IntOption { level: libc::IPPROTO_IPV6, name: libc::IPV6_TCLASS };
/// `TCP_MAXSEG`, in bytes: 48 to 32,767.
pub(crate) const MAX_SEGMENT: IntOption =
    IntOption { level: libc::IPPROTO_TCP, name: libc::TCP_MAXSEG };
/// `IP_MULTICAST_ALL`.
pub(crate) const MULTICAST_ALL: IntOption =
    IntOption { level: libc::IPPROTO_IP, name: libc::IP_MULTICAST_ALL };
/// `IPV6_MULTICAST_ALL`.
pub(crate) const MULTICAST_ALL_V6: IntOption =
    IntOption { level: libc::IPPROTO_IPV6, name: libc::IPV6_MULTICAST_ALL };

impl IntOption {
    const fn socket(name: c_int) -> Self {
        Self { level: libc::SOL_SOCKET, name }
    }

    /// Sets the option to `value`.
    pub(crate) fn set(self, fd: impl AsFd, value: c_int) -> Result<(), Errno> {
        set_option(fd.as_fd(), self.level, self.name, &value)
    }

    /// The value of the option.
    pub(crate) fn get(self, fd: impl AsFd) -> Result<c_int, Errno> {
        let mut value: c_int = 0;
        get_option(fd.as_fd(), self.level, self.name, &mut value)?;
        Ok(value)
    }
}

/// Reads as much of the kernel's `struct tcp_info` as there is and `target` takes.
pub(crate) fn tcp_info(fd: BorrowedFd<'_>, target: &mut [u8]) -> Result<(), Errno> {
    let mut length = target.len() as socklen_t;
    let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
    let (fd, target) = (fd.as_raw_fd(), target.as_mut_ptr().cast());
    // SAFETY: rules 1 to 3.
    let result = unsafe { libc::getsockopt(fd, level, name, target, &mut length) };
    counted(result as isize).map(drop)
}

/// The process and the user at the other end of a Unix-domain socket (`SO_PEERCRED`). The process
/// is 0 where it has no number in our namespace, which the type of rustix cannot hold.
pub(crate) fn peer_credentials(fd: BorrowedFd<'_>) -> Result<libc::ucred, Errno> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    get_option(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, &mut peer)?;
    Ok(peer)
}

/// Reads an option into `value`, of whose type every bit pattern is valid: an `int`, or a structure
/// of nothing else.
fn get_option<T: Copy>(
    fd: BorrowedFd<'_>,
    level: c_int,
    name: c_int,
    value: &mut T,
) -> Result<(), Errno> {
    let mut length = mem::size_of::<T>() as socklen_t;
    let target = ptr::from_mut(value).cast();
    // SAFETY: rules 1 to 4.
    let result = unsafe { libc::getsockopt(fd.as_raw_fd(), level, name, target, &mut length) };
    counted(result as isize).map(drop)
}

fn set_option<T>(fd: BorrowedFd<'_>, level: c_int, name: c_int, value: &T) -> Result<(), Errno> {
    let length = mem::size_of::<T>() as socklen_t;
    let value = ptr::from_ref(value).cast();
    // SAFETY: rules 1 to 3.
    let result = unsafe { libc::setsockopt(fd.as_raw_fd(), level, name, value, length) };
    counted(result as isize).map(drop)
}

/// Lets the number of `fd` stand for the file that `with` stands for; the file that it stood for is
/// closed unless another descriptor, or a call under way, still holds it.
pub(crate) fn replace(fd: &OwnedFd, with: BorrowedFd<'_>) -> Result<(), Errno> {
    // SAFETY: rule 1. The number remains open and owned by `fd` throughout.
    let result = unsafe { libc::dup3(with.as_raw_fd(), fd.as_raw_fd(), libc::O_CLOEXEC) };
    counted(result as isize).map(drop)
}

/// Whether the calling thread runs before all ordinary ones (`SCHED_FIFO` and its like).
pub(crate) fn has_real_time_policy() -> bool {
    // SAFETY: takes nothing but a number; 0 is the calling thread.
    let policy = unsafe { libc::sched_getscheduler(0) } & !libc::SCHED_RESET_ON_FORK;
    matches!(policy, libc::SCHED_FIFO | libc::SCHED_RR | libc::SCHED_DEADLINE)
}

/// How often this crate has changed the policy of a thread.
static POLICY_CHANGES: AtomicU32 = AtomicU32::new(0);

/// As [`has_real_time_policy`], without a system call as long as this crate changes no policy. A
/// change that the program makes by other means may go unnoticed.
pub(crate) fn is_known_to_be_real_time() -> bool {
    thread_local! {
        /// The changes that there had been, and the answer then.
        static KNOWN: Cell<Option<(u32, bool)>> = const { Cell::new(None) };
    }
    let changes = POLICY_CHANGES.load(Relaxed);
    if let Some((seen, known)) = KNOWN.get()
        && seen == changes
    {
        return known;
    }
    let found = has_real_time_policy();
    KNOWN.set(Some((changes, found)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(feature = "real-time")]
    fn a_change_of_policy_is_known() {
        use crate::real_time::Scheduling;
        std::thread::spawn(|| {
            assert!(!is_known_to_be_real_time());
            // Without the privilege there is nothing to test.
            if (Scheduling::Fifo { priority: 1 }).apply().is_ok() {
                assert!(is_known_to_be_real_time());
            }
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_real_time_policy_is_noticed() {
        assert!(!has_real_time_policy());
        let thread = std::thread::spawn(|| {
            let parameters = libc::sched_param { sched_priority: 1 };
            // SAFETY: rules 2 and 3; 0 is the calling thread.
            let set = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) };
            // Without the privilege there is nothing to test.
            assert!(set != 0 || has_real_time_policy());
        });
        thread.join().unwrap();
        assert!(!has_real_time_policy());
    }
}
