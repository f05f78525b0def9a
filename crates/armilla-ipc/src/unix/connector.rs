//! The active side of the Unix-domain transport, and the connection in progress on which the
//! transports build that pass descriptors.

use super::{UnixStream, addr};
use crate::deadline::Deadline;
use crate::error::context;
use crate::socket::{Socket, connect_within};
use crate::{Address, Connector, PendingConnect, Stream, StreamOptions, WaitCondition};
use rustix::fd::AsFd;
use rustix::io::Errno;
use rustix::net::{self, SocketFlags};
use std::io;
use std::time::Duration;

/// Makes Unix-domain streams actively.
#[derive(Clone, Debug, Default)]
pub struct UnixConnector {
    options: StreamOptions,
}

impl UnixConnector {
    /// A connector whose streams have these options, so far as they apply.
    pub fn new(options: StreamOptions) -> Self {
        Self { options }
    }

    /// Connects to the socket at `address` within `timeout`. Only a peer whose queue of waiting
    /// connections is full makes this wait at all.
    ///
    /// # Errors
    /// As [`Connector::connect`]: [`io::ErrorKind::NotFound`] if there is no such file,
    /// [`io::ErrorKind::ConnectionRefused`] if no process listens there.
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<UnixStream> {
        self.connect_to(address, timeout)
            .map(UnixStream::from_socket)
            .map_err(|error| context(format_args!("cannot connect to {address}"), error))
    }

    pub(super) fn connect_to(
        &self,
        address: &Address,
        timeout: Option<Duration>,
    ) -> io::Result<Socket> {
        let target = addr::to_os(address)?;
        let fd = addr::socket(SocketFlags::empty())?;
        self.options.apply(fd.as_fd())?;
        connect_within(fd.as_fd(), &target, timeout)?;
        Ok(Socket::new(fd, addr::unnamed(), address.clone()))
    }
}

/// The longest pause before the next attempt at a full queue. The kernel does not report when there
/// is room.
const PAUSE: Duration = Duration::from_millis(16);

/// A connection in progress to a Unix-domain socket, and how to make a stream of it.
pub(crate) struct UnixPendingConnect<F> {
    /// The address that the caller knows, for errors.
    address: Address,
    place: Address,
    options: StreamOptions,
    deadline: Deadline,
    pause: Duration,
    finish: F,
}

impl<F> UnixPendingConnect<F> {
    /// A connect to `place`, which the caller knows as `address`; `finish` makes a stream of the
    /// socket.
    pub(crate) fn new(
        address: &Address,
        place: Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
        finish: F,
    ) -> Self {
        let (address, options) = (address.clone(), options.clone());
        let (deadline, pause) = (Deadline::after(timeout), Duration::from_micros(500));
        Self { address, place, options, deadline, pause, finish }
    }

    /// The connected socket; `None` while the queue of the acceptor is full.
    fn step(&mut self) -> io::Result<Option<UnixStream>> {
        let target = addr::to_os(&self.place)?;
        let fd = addr::socket(SocketFlags::NONBLOCK)?;
        self.options.apply(fd.as_fd())?;
        loop {
            match net::connect(&fd, &target) {
                Ok(()) => break,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    self.pause = (2 * self.pause).min(PAUSE);
                    return self.deadline.remaining().map(|_| None);
                }
                Err(errno) => return Err(errno.into()),
            }
        }
        rustix::io::ioctl_fionbio(&fd, false)?;
        let socket = Socket::new(fd, addr::unnamed(), self.place.clone());
        Ok(Some(UnixStream::from_socket(socket)))
    }
}

impl<S, F: FnMut(UnixStream) -> io::Result<S> + Send> PendingConnect<S> for UnixPendingConnect<F> {
    fn advance(&mut self) -> io::Result<Option<S>> {
        self.step()
            .and_then(|socket| socket.map(&mut self.finish).transpose())
            .map_err(|error| context(format_args!("cannot connect to {}", self.address), error))
    }

    fn wait_condition(&self) -> WaitCondition<'_> {
        WaitCondition::pause(self.deadline.left().map_or(self.pause, |left| left.min(self.pause)))
    }
}

impl Connector for UnixConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}
