//! Descriptor passing over a Unix-domain stream (`SCM_RIGHTS`), and the system calls for it, which
//! datagrams share.

use super::UnixStream;
use crate::sys::{MAX_DESCRIPTORS, recv_passed};
use crate::{SendError, Stream, socket};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{
    self, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrAny,
};
use std::io::{self, IoSlice};
use std::mem::MaybeUninit;

const SPACE: usize = rustix::cmsg_space!(ScmRights(MAX_DESCRIPTORS));

impl UnixStream {
    /// Sends all of `bytes`, and with the first of them copies of `descriptors`: the receiver gets
    /// its own, which outlive ours.
    ///
    /// ```
    /// use armilla_ipc::{Stream, UnixStream};
    /// use std::os::fd::AsFd;
    ///
    /// let (near, far) = UnixStream::pair()?;
    /// let (carried, other) = UnixStream::pair()?;
    /// near.send_with_descriptors(b"!", &[carried.as_fd()])?;
    ///
    /// let mut descriptors = Vec::new();
    /// assert_eq!(far.recv_with_descriptors(&mut [0; 8], &mut descriptors)?, 1);
    /// let carried = UnixStream::from_descriptor(descriptors.remove(0))?;
    /// carried.send_all(b"through the copy")?;
    /// assert_eq!(other.recv(&mut [0; 64])?, 16);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Stream::send_all`]; [`io::ErrorKind::InvalidInput`] if `bytes` is empty, because
    /// descriptors travel only with a byte, or if there are more than [`MAX_DESCRIPTORS`].
    pub fn send_with_descriptors(
        &self,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
    ) -> Result<(), SendError> {
        let refused = |source| SendError { sent: 0, source };
        check(descriptors).map_err(refused)?;
        if bytes.is_empty() && !descriptors.is_empty() {
            let why = "descriptors travel only with at least one byte";
            return Err(refused(io::Error::new(io::ErrorKind::InvalidInput, why)));
        }
        let attempt = || send(self.as_fd(), bytes, descriptors, None);
        let sent = match attempt() {
            Ok(count) => Ok(count),
            Err(errno) => self.socket.retry_send(errno, attempt),
        };
        let sent = sent.map_err(refused)?;
        match &bytes[sent..] {
            [] => Ok(()),
            rest => {
                self.send_all(rest).map_err(|error| SendError { sent: sent + error.sent, ..error })
            }
        }
    }

    /// Receives as [`Stream::recv`] does, and appends the descriptors that came with the bytes to
    /// `descriptors`. They close when they are dropped, and are not inherited by `exec`.
    ///
    /// A plain `recv` closes the descriptors that come with what it takes.
    ///
    /// # Errors
    /// As [`Stream::recv`]; [`io::ErrorKind::InvalidData`] if the peer sent more descriptors than
    /// [`MAX_DESCRIPTORS`] or the process has run out of them: those that did arrive are closed.
    pub fn recv_with_descriptors(
        &self,
        buffer: &mut [u8],
        descriptors: &mut Vec<OwnedFd>,
    ) -> io::Result<usize> {
        let mut passed = Vec::new();
        let mut message = None;
        let mut attempt = || {
            let received = recv_passed(self.as_fd(), buffer, &mut passed, RecvFlags::empty())?;
            let count = received.length;
            message = Some(received);
            Ok(count)
        };
        let count = match attempt() {
            Ok(count) => count,
            Err(errno) => self.socket.retry_recv(errno, attempt)?,
        };
        complete(message.is_some_and(|message| message.lost), passed, descriptors)?;
        Ok(count)
    }

    /// Makes a stream of a connected Unix-domain stream socket, such as one that was passed here.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] if `descriptor` is anything else.
    pub fn from_descriptor(descriptor: OwnedFd) -> io::Result<Self> {
        socket::check_connected(descriptor.as_fd(), net::AddressFamily::UNIX)?;
        let local = super::addr::from_os(Some(net::getsockname(&descriptor)?));
        let peer = super::addr::from_os(net::getpeername(&descriptor)?);
        Ok(Self::from_socket(socket::Socket::adopt(descriptor, local, peer)?))
    }
}

/// Refuses more descriptors than one call passes.
pub(crate) fn check(descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    if descriptors.len() <= MAX_DESCRIPTORS {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "more than 16 descriptors in one call"))
}

/// One `sendmsg` of `bytes` with copies of `descriptors`, which were [checked](check), to the peer
/// or to another address.
pub(crate) fn send(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
    to: Option<&SocketAddrAny>,
) -> rustix::io::Result<usize> {
    let mut space = [MaybeUninit::uninit(); SPACE];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() {
        // It has room for as many as were checked.
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    let (parts, flags) = ([IoSlice::new(bytes)], SendFlags::NOSIGNAL);
    match to {
        Some(to) => net::sendmsg_addr(socket, to, &parts, &mut control, flags),
        None => net::sendmsg(socket, &parts, &mut control, flags),
    }
}

/// Checks that the process has `count` descriptors left. A process without them would lose what is
/// passed; an error here comes before anything is received.
pub(crate) fn expect(socket: BorrowedFd<'_>, count: usize) -> io::Result<()> {
    let spare: io::Result<Vec<_>> = (0..count).map(|_| socket.try_clone_to_owned()).collect();
    spare.map(drop)
}

/// Hands over the descriptors that were passed, all of them or none.
pub(crate) fn complete(
    lost: bool,
    mut passed: Vec<OwnedFd>,
    descriptors: &mut Vec<OwnedFd>,
) -> io::Result<()> {
    if lost {
        let why = "the peer passed more descriptors than fit; those that arrived are closed";
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    descriptors.append(&mut passed);
    Ok(())
}
