//! Descriptors that travel from process to process over a Unix-domain stream (`SCM_RIGHTS`).

use super::UnixStream;
use crate::{SendError, Stream, socket};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    self, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;

/// The most descriptors that one call passes.
pub const MAX_DESCRIPTORS: usize = 16;

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
        let refused = |why: &str| {
            let source = io::Error::new(io::ErrorKind::InvalidInput, why);
            Err(SendError { sent: 0, source })
        };
        if bytes.is_empty() && !descriptors.is_empty() {
            return refused("descriptors travel only with at least one byte");
        }
        if descriptors.len() > MAX_DESCRIPTORS {
            return refused("more than 16 descriptors in one call");
        }
        let mut space = [MaybeUninit::uninit(); SPACE];
        let mut attempt = || {
            let mut control = SendAncillaryBuffer::new(&mut space);
            // It has room for as many as were just checked.
            control.push(SendAncillaryMessage::ScmRights(descriptors));
            net::sendmsg(self, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL)
        };
        let sent = match attempt() {
            Ok(count) => Ok(count),
            Err(errno) => self.socket.again_sending(errno, attempt),
        };
        let sent = sent.map_err(|source| SendError { sent: 0, source })?;
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
        let before = descriptors.len();
        let mut attempt = || {
            let mut space = [MaybeUninit::uninit(); SPACE];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let flags = RecvFlags::CMSG_CLOEXEC;
            let parts = &mut [IoSliceMut::new(buffer)];
            let message = net::recvmsg(self, parts, &mut control, flags)?;
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(passed) = message {
                    descriptors.extend(passed);
                }
            }
            Ok::<_, Errno>((message.bytes, message.flags.contains(ReturnFlags::CTRUNC)))
        };
        let mut truncated = false;
        let mut count = || {
            let (count, cut) = attempt()?;
            truncated = cut;
            Ok(count)
        };
        let count = match count() {
            Ok(count) => count,
            Err(errno) => self.socket.again_receiving(errno, count)?,
        };
        if truncated {
            descriptors.truncate(before);
            let why = "some of the descriptors that were passed did not fit and are closed";
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
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
