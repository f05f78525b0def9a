//! Several datagrams in one system call: `recvmmsg` and `sendmmsg`.
//!
//! # Safety contract
//! The four rules of the [parent module](super).

use super::counted;
use libc::socklen_t;
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::Errno;
use rustix::net::SocketAddrAny;
use std::{mem, ptr};

/// The most datagrams that one call of [`recv_batch`] or [`send_batch`] moves.
pub(crate) const MAX_BATCH: usize = 64;

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

/// Receives datagrams into the parts of `size` bytes of `buffer`: waits for the first, and takes
/// the others that are there, at most [`MAX_BATCH`]. Calls `each` for each in order; returns their
/// number.
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

/// Sends `datagrams`, at most [`MAX_BATCH`] of them, to the addresses beside them or to the
/// connected peer. Returns how many were sent.
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
