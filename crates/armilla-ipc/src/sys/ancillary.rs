//! Descriptors and credentials that travel with the bytes of a Unix-domain socket: `SCM_RIGHTS` and
//! `SCM_CREDENTIALS`.
//!
//! # Safety contract
//! The four rules of the [parent module](super).

use super::counted;
use libc::{c_int, socklen_t};
use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SocketAddrAny};
use std::mem::{self, MaybeUninit};
use std::ptr;

/// The most descriptors that one call passes.
pub const MAX_DESCRIPTORS: usize = 16;

/// What [`recv_passed`] received beside the bytes and the descriptors.
pub(crate) struct Passed {
    /// How many bytes the system call counts.
    pub(crate) length: usize,
    /// Where they came from, if the sender has an address.
    pub(crate) from: Option<SocketAddrAny>,
    /// The sender's credentials (`SCM_CREDENTIALS`), if the socket requests them. The process may
    /// be 0, which the type of rustix cannot hold.
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

/// Takes the descriptors that were passed, and the sender's credentials.
///
/// # Safety
/// The kernel has filled the control part of `header`, and no descriptor has been taken from it
/// yet.
unsafe fn take_control(
    header: &libc::msghdr,
    descriptors: &mut Vec<OwnedFd>,
) -> Option<libc::ucred> {
    let mut sender = None;
    // SAFETY: the kernel wrote whole messages, each as long as it says; their data may be
    // unaligned. The descriptors in them are ours alone.
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
