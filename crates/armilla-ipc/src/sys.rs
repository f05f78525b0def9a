//! The system calls that rustix lacks, each wrapped so that its callers need no `unsafe`.
//!
//! # Safety contract
//! Every `unsafe` block of this file upholds the same four rules, and nothing else is asked of them:
//!
//! 1. A descriptor comes from a [`BorrowedFd`] or an [`OwnedFd`] and so is open during the call.
//! 2. A pointer given to the kernel points into a value that is borrowed, mutably where the kernel
//!    writes, until the call returns; the kernel keeps none of them afterwards. The one exception is
//!    [`send_zero_copy`], which hands the duty to its callers and is `unsafe` itself.
//! 3. A length given with a pointer is the length of what it points to.
//! 4. Structures are zeroed before the kernel fills them, zero is a valid value of every one of
//!    them, and only what the kernel says it wrote is looked at.
//!
//! The tests of `recv_batch`, `send_batch`, memberships, options and zero-copy sending run under the
//! address sanitizer by the script `sanitize` of this crate.

#![allow(unsafe_code)]

use libc::{c_int, socklen_t};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::addr::SocketAddrArg;
use rustix::net::{RecvFlags, SocketAddrAny};
use std::mem::{self, MaybeUninit};
use std::{io, ptr};

/// The most datagrams that one call of [`recv_batch`] or [`send_batch`] moves.
pub(crate) const MAX_BATCH: usize = 64;

/// The most descriptors that one call passes.
pub const MAX_DESCRIPTORS: usize = 16;

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

/// The process and the user at the other end of a Unix-domain socket (`SO_PEERCRED`). The process is 0
/// where it has no number in our namespace, which the type of rustix cannot hold.
pub(crate) fn peer_credentials(fd: BorrowedFd<'_>) -> Result<libc::ucred, Errno> {
    let mut peer = libc::ucred { pid: 0, uid: 0, gid: 0 };
    get_option(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, &mut peer)?;
    Ok(peer)
}

/// Reads an option into `value`, of whose type every bit pattern is valid: an `int`, or a structure of
/// nothing else.
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

/// What to do with the membership in a multicast group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Membership {
    /// Receive what anybody sends to the group.
    Join,
    /// The end of `Join`.
    Leave,
    /// Receive what this source sends to the group.
    JoinSource(std::net::IpAddr),
    /// The end of `JoinSource`.
    LeaveSource(std::net::IpAddr),
}

/// Changes the membership of `fd` in `group` on the interface with this index (0: the system's
/// choice), by the calls of RFC 3678 that serve both families.
pub(crate) fn change_membership(
    fd: BorrowedFd<'_>,
    group: std::net::IpAddr,
    interface: u32,
    change: Membership,
) -> Result<(), Errno> {
    let level = if group.is_ipv4() { libc::IPPROTO_IP } else { libc::IPPROTO_IPV6 };
    let gr_group = storage_of(group);
    let whole = libc::group_req { gr_interface: interface, gr_group };
    let of_source = |source| libc::group_source_req {
        gsr_interface: interface,
        gsr_group: gr_group,
        gsr_source: storage_of(source),
    };
    match change {
        Membership::Join => set_option(fd, level, libc::MCAST_JOIN_GROUP, &whole),
        Membership::Leave => set_option(fd, level, libc::MCAST_LEAVE_GROUP, &whole),
        Membership::JoinSource(source) => {
            set_option(fd, level, libc::MCAST_JOIN_SOURCE_GROUP, &of_source(source))
        }
        Membership::LeaveSource(source) => {
            set_option(fd, level, libc::MCAST_LEAVE_SOURCE_GROUP, &of_source(source))
        }
    }
}

/// The address as the kernel wants it within a larger structure; the port is 0.
fn storage_of(address: std::net::IpAddr) -> libc::sockaddr_storage {
    // SAFETY: rule 4.
    let mut storage: libc::sockaddr_storage = unsafe { mem::zeroed() };
    let address = std::net::SocketAddr::new(address, 0);
    let target = (&raw mut storage).cast::<u8>();
    // SAFETY: `with_sockaddr` gives a pointer that is readable for the length, which of an IP
    // address is at most 28 bytes, less than a `sockaddr_storage`; the two do not overlap.
    unsafe {
        address.with_sockaddr(|source, length| {
            ptr::copy_nonoverlapping(source.cast::<u8>(), target, length as usize);
        });
    }
    storage
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

/// What a datagram received by [`recv_batch`] was.
#[derive(Debug)]
pub(crate) struct Arrived {
    /// How many bytes are in its part of the buffer.
    pub(crate) length: usize,
    /// It was longer than that part.
    pub(crate) truncated: bool,
    /// Where it came from, if the sender has an address.
    pub(crate) from: Option<SocketAddrAny>,
}

/// Receives datagrams into the parts of `size` bytes of `buffer`: waits for the first and takes what
/// else is there, at most [`MAX_BATCH`]. Tells of each to `each`, in order; returns their number.
pub(crate) fn recv_batch(
    fd: BorrowedFd<'_>,
    buffer: &mut [u8],
    size: usize,
    mut each: impl FnMut(Arrived),
) -> Result<usize, Errno> {
    // SAFETY: rule 4, for all three.
    let mut headers: [libc::mmsghdr; MAX_BATCH] = unsafe { mem::zeroed() };
    let mut parts: [libc::iovec; MAX_BATCH] = unsafe { mem::zeroed() };
    let mut names: [libc::sockaddr_storage; MAX_BATCH] = unsafe { mem::zeroed() };
    let mut count = 0;
    for (index, part) in buffer.chunks_exact_mut(size.max(1)).take(MAX_BATCH).enumerate() {
        parts[index] = libc::iovec { iov_base: part.as_mut_ptr().cast(), iov_len: part.len() };
        let header = &mut headers[index].msg_hdr;
        header.msg_iov = &raw mut parts[index];
        header.msg_iovlen = 1;
        header.msg_name = (&raw mut names[index]).cast();
        header.msg_namelen = mem::size_of::<libc::sockaddr_storage>() as socklen_t;
        count = index + 1;
    }
    let flags = libc::MSG_WAITFORONE;
    let (fd, list) = (fd.as_raw_fd(), headers.as_mut_ptr());
    // SAFETY: rules 1 to 4; each header points into the arrays above and into `buffer`.
    let result = unsafe { libc::recvmmsg(fd, list, count as u32, flags as _, ptr::null_mut()) };
    let received = counted(result as isize)?;
    for (header, name) in headers.iter().zip(&names).take(received) {
        let length = header.msg_hdr.msg_namelen;
        // Without an address the kernel says 0, or as much as the family alone.
        let from = (length as usize > mem::size_of::<libc::sa_family_t>()).then(|| {
            // SAFETY: the kernel wrote an address of `length` bytes to `name`, never more than it
            // holds for the families that this crate makes sockets of.
            unsafe { SocketAddrAny::read(ptr::from_ref(name).cast(), length) }
        });
        let truncated = header.msg_hdr.msg_flags & libc::MSG_TRUNC != 0;
        each(Arrived { length: header.msg_len as usize, truncated, from });
    }
    Ok(received)
}

/// What [`recv_passed`] received beside the bytes and the descriptors.
pub(crate) struct Passed {
    /// How many bytes the system call counts.
    pub(crate) length: usize,
    /// Where they came from, if the sender has an address.
    pub(crate) from: Option<SocketAddrAny>,
    /// Who sent them (`SCM_CREDENTIALS`), if the socket asks for that. The process may be 0, which the
    /// type of rustix cannot hold.
    pub(crate) sender: Option<libc::ucred>,
    /// Some descriptors did not fit.
    pub(crate) lost: bool,
}

/// Room for credentials and as many descriptors as one call passes.
const CONTROL: usize = {
    let (sender, files) = (size_of::<libc::ucred>(), MAX_DESCRIPTORS * size_of::<c_int>());
    // SAFETY: computes numbers.
    unsafe { (libc::CMSG_SPACE(sender as u32) + libc::CMSG_SPACE(files as u32)) as usize }
};

/// Receives from a Unix-domain socket into `buffer` once, and what was passed with the bytes.
pub(crate) fn recv_passed(
    fd: BorrowedFd<'_>,
    buffer: &mut [u8],
    descriptors: &mut Vec<OwnedFd>,
    flags: RecvFlags,
) -> Result<Passed, Errno> {
    #[repr(C, align(8))] // as a `cmsghdr`
    struct Control([MaybeUninit<u8>; CONTROL]);
    let mut control = Control([MaybeUninit::uninit(); CONTROL]);
    // SAFETY: rule 4, for both.
    let mut name: libc::sockaddr_storage = unsafe { mem::zeroed() };
    let mut header: libc::msghdr = unsafe { mem::zeroed() };
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    header.msg_iov = &raw mut part;
    header.msg_iovlen = 1;
    header.msg_name = (&raw mut name).cast();
    header.msg_namelen = mem::size_of::<libc::sockaddr_storage>() as socklen_t;
    header.msg_control = control.0.as_mut_ptr().cast();
    header.msg_controllen = control.0.len() as _;
    let flags = flags.bits() as c_int | libc::MSG_CMSG_CLOEXEC;
    // SAFETY: rules 1 to 4.
    let length = counted(unsafe { libc::recvmsg(fd.as_raw_fd(), &mut header, flags) })?;
    let before = descriptors.len();
    // SAFETY: `header` is as the kernel left it, its control part lies in `control`.
    let sender = unsafe { take_control(&header, descriptors) };
    let named = header.msg_namelen as usize > mem::size_of::<libc::sa_family_t>();
    // SAFETY: the kernel wrote an address of this length to `name`.
    let from =
        named.then(|| unsafe { SocketAddrAny::read((&raw const name).cast(), header.msg_namelen) });
    let many = descriptors.len() - before > MAX_DESCRIPTORS;
    let lost = many || header.msg_flags & libc::MSG_CTRUNC != 0;
    Ok(Passed { length, from, sender, lost })
}

/// Takes the descriptors that were passed, and who passed them.
///
/// # Safety
/// The kernel has filled the control part of `header`, and nobody has taken anything from it yet.
unsafe fn take_control(
    header: &libc::msghdr,
    descriptors: &mut Vec<OwnedFd>,
) -> Option<libc::ucred> {
    let mut sender = None;
    // SAFETY: the kernel wrote whole messages, each as long as it says; their data may be unaligned.
    // The descriptors in them are ours alone.
    unsafe {
        let mut message = libc::CMSG_FIRSTHDR(header);
        while !message.is_null() {
            let data = libc::CMSG_DATA(message);
            match ((*message).cmsg_level, (*message).cmsg_type) {
                (libc::SOL_SOCKET, libc::SCM_CREDENTIALS) => {
                    sender = Some(ptr::read_unaligned(data.cast()));
                }
                (libc::SOL_SOCKET, libc::SCM_RIGHTS) => {
                    let octets = (*message).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                    descriptors.extend((0..octets / size_of::<c_int>()).map(|place| {
                        OwnedFd::from_raw_fd(ptr::read_unaligned(data.cast::<c_int>().add(place)))
                    }));
                }
                _ => {}
            }
            message = libc::CMSG_NXTHDR(header, message);
        }
    }
    sender
}

/// Sends `datagrams`, at most [`MAX_BATCH`] of them, to the addresses beside them or to the connected
/// peer. Returns how many were sent.
pub(crate) fn send_batch<'a>(
    fd: BorrowedFd<'_>,
    datagrams: impl Iterator<Item = (&'a [u8], Option<SocketAddrAny>)>,
) -> Result<usize, Errno> {
    // SAFETY: rule 4, for both.
    let mut headers: [libc::mmsghdr; MAX_BATCH] = unsafe { mem::zeroed() };
    let mut parts: [libc::iovec; MAX_BATCH] = unsafe { mem::zeroed() };
    let mut names: [Option<SocketAddrAny>; MAX_BATCH] = [const { None }; MAX_BATCH];
    let mut count = 0;
    for (index, (bytes, name)) in datagrams.take(MAX_BATCH).enumerate() {
        // The kernel only reads what it is given to send.
        let base = bytes.as_ptr().cast_mut().cast();
        parts[index] = libc::iovec { iov_base: base, iov_len: bytes.len() };
        names[index] = name;
        let header = &mut headers[index].msg_hdr;
        header.msg_iov = &raw mut parts[index];
        header.msg_iovlen = 1;
        if let Some(name) = &mut names[index] {
            header.msg_namelen = name.addr_len();
            header.msg_name = name.as_mut_ptr().cast();
        }
        count = index + 1;
    }
    let (fd, list, flags) = (fd.as_raw_fd(), headers.as_mut_ptr(), libc::MSG_NOSIGNAL);
    // SAFETY: rules 1 to 3; each header points into the arrays above and into a borrowed slice.
    let result = unsafe { libc::sendmmsg(fd, list, count as u32, flags as _) };
    counted(result as isize)
}

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
    /// Room for one `sock_extended_err` with the address that may follow it, aligned as a `cmsghdr`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_time_policy_is_noticed() {
        assert!(!has_real_time_policy());
        let thread = std::thread::spawn(|| {
            let parameters = libc::sched_param { sched_priority: 1 };
            // SAFETY: rules 2 and 3; 0 is the calling thread.
            let set = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) };
            // Who may not have it is not asked any further.
            assert!(set != 0 || has_real_time_policy());
        });
        thread.join().unwrap();
        assert!(!has_real_time_policy());
    }
}
