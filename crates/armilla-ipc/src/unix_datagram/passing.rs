//! Ancillary data of datagrams: descriptors (`SCM_RIGHTS`) and the sender's credentials
//! (`SCM_CREDENTIALS`).

use super::{ConnectedUnixDatagram, UnixDatagram};
use crate::datagram::{Endpoint, Name, Received};
use crate::unix::passing;
use crate::{Address, Credentials, sys};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::net::{RecvFlags, sockopt};
use std::io;

impl UnixDatagram {
    /// Sends `bytes` as one datagram to `to`, and with it copies of `descriptors`: the receiver
    /// gets its own, which outlive ours.
    ///
    /// # Errors
    /// As [`Datagram::send_to`](crate::datagram::Datagram::send_to);
    /// [`io::ErrorKind::InvalidInput`] for more than
    /// [`MAX_DESCRIPTORS`](crate::unix::MAX_DESCRIPTORS).
    pub fn send_to_with_descriptors(
        &self,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
        to: &Address,
    ) -> io::Result<()> {
        self.endpoint.send_passing(bytes, descriptors, Some(to))
    }

    /// Receives one datagram as [`recv_from`](crate::datagram::Datagram::recv_from) does, and
    /// appends the descriptors that came with it to `descriptors`. They close when they are
    /// dropped, and are not inherited by `exec`. Any other reception closes them.
    ///
    /// # Errors
    /// As `recv_from`; [`io::ErrorKind::InvalidData`] if the sender passed more descriptors than
    /// [`MAX_DESCRIPTORS`](crate::unix::MAX_DESCRIPTORS) or the process has run out of them: those
    /// that did arrive are closed, and the datagram is lost.
    pub fn recv_from_with_descriptors(
        &self,
        buffer: &mut [u8],
        descriptors: &mut Vec<OwnedFd>,
    ) -> io::Result<(Received, Address)> {
        self.endpoint.recv_passed(buffer, descriptors)
    }

    /// Has the kernel note on every datagram to come, or no more, who sent it (`SO_PASSCRED`): see
    /// [`recv_from_with_credentials`](Self::recv_from_with_credentials).
    ///
    /// # Errors
    /// Whatever the operating system reports; none is known.
    pub fn identify_senders(&self, on: bool) -> io::Result<()> {
        Ok(sockopt::set_socket_passcred(self, on)?)
    }

    /// Receives one datagram as [`recv_from`](crate::datagram::Datagram::recv_from) does, and tells
    /// whose it is; `None` if it was sent when [nobody asked](Self::identify_senders).
    ///
    /// ```
    /// use armilla_ipc::{Address, datagram::Datagram, unix_datagram::UnixDatagram};
    ///
    /// let here = Address::abstract_name(format!("who-is-it-{}", std::process::id()));
    /// let server = UnixDatagram::bind(&here)?;
    /// server.identify_senders(true)?;
    /// UnixDatagram::unbound()?.send_to(b"me", &here)?;
    /// let (_, _, who) = server.recv_from_with_credentials(&mut [0; 8])?;
    /// assert_eq!(who.unwrap().process, std::process::id());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// As `recv_from`.
    pub fn recv_from_with_credentials(
        &self,
        buffer: &mut [u8],
    ) -> io::Result<(Received, Address, Option<Credentials>)> {
        self.endpoint.recv_identified(buffer)
    }
}

impl ConnectedUnixDatagram {
    /// Sends `bytes` and copies of `descriptors` to the peer, as
    /// [`UnixDatagram::send_to_with_descriptors`].
    ///
    /// # Errors
    /// As there.
    pub fn send_with_descriptors(
        &self,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
    ) -> io::Result<()> {
        self.endpoint.send_passing(bytes, descriptors, None)
    }

    /// Receives one datagram of the peer with its descriptors, as
    /// [`UnixDatagram::recv_from_with_descriptors`].
    ///
    /// # Errors
    /// As there.
    pub fn recv_with_descriptors(
        &self,
        buffer: &mut [u8],
        descriptors: &mut Vec<OwnedFd>,
    ) -> io::Result<Received> {
        self.endpoint.recv_passed(buffer, descriptors).map(|(received, _)| received)
    }

    /// As [`UnixDatagram::identify_senders`].
    ///
    /// # Errors
    /// As there.
    pub fn identify_senders(&self, on: bool) -> io::Result<()> {
        Ok(sockopt::set_socket_passcred(self, on)?)
    }

    /// Receives one datagram of the peer and tells whose it is, as
    /// [`UnixDatagram::recv_from_with_credentials`].
    ///
    /// # Errors
    /// As there.
    pub fn recv_with_credentials(
        &self,
        buffer: &mut [u8],
    ) -> io::Result<(Received, Option<Credentials>)> {
        self.endpoint.recv_identified(buffer).map(|(received, _, who)| (received, who))
    }
}

impl Endpoint<Address> {
    fn send_passing(
        &self,
        bytes: &[u8],
        descriptors: &[BorrowedFd<'_>],
        to: Option<&Address>,
    ) -> io::Result<()> {
        passing::check(descriptors)?;
        let to = to.map(Name::to_os).transpose()?;
        self.sending(|| passing::send(self.as_fd(), bytes, descriptors, to.as_ref())).map(drop)
    }

    fn recv_passed(
        &self,
        buffer: &mut [u8],
        descriptors: &mut Vec<OwnedFd>,
    ) -> io::Result<(Received, Address)> {
        let mut passed = Vec::new();
        let (received, message) = self.take(buffer, &mut passed)?;
        passing::complete(message.lost, passed, descriptors)?;
        Ok((received, Address::from_os(message.from)?))
    }

    fn recv_identified(
        &self,
        buffer: &mut [u8],
    ) -> io::Result<(Received, Address, Option<Credentials>)> {
        // Descriptors, if any came, are closed with the list.
        let (received, message) = self.take(buffer, &mut Vec::new())?;
        let sender = message.sender.and_then(Credentials::of_sender);
        Ok((received, Address::from_os(message.from)?, sender))
    }

    /// Receives one datagram and everything that came with it.
    fn take(
        &self,
        buffer: &mut [u8],
        descriptors: &mut Vec<OwnedFd>,
    ) -> io::Result<(Received, sys::Passed)> {
        let room = buffer.len();
        let message = self
            .receiving(|| sys::recv_passed(self.as_fd(), buffer, descriptors, RecvFlags::TRUNC))?;
        Ok((Received::new(message.length, room), message))
    }
}
