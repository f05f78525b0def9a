//! The active side of the named-pipe transport: makes two named pipes, and asks the acceptor to
//! open them.

use super::addr::{self, PipeFiles};
use super::{FifoStream, addr::REQUEST};
use crate::channel::{Channel, set_pipe_size};
use crate::deadline::Deadline;
use crate::error::{context, timespec};
use crate::interest::Interest;
use crate::pending_connect::wait_for_connect;
use crate::{Address, Connector, PendingConnect, Stream, StreamOptions, WaitCondition};
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Makes streams of named pipes actively.
#[derive(Clone, Debug, Default)]
pub struct FifoConnector {
    options: StreamOptions,
}

impl FifoConnector {
    /// A connector whose streams have these options: each side sets the size of the pipe that it
    /// writes to, the rest does not apply.
    pub fn new(options: StreamOptions) -> Self {
        Self { options }
    }

    /// Connects to the acceptor at `address` within `timeout`. It must accept within this time;
    /// without a timeout this waits until it does.
    ///
    /// # Errors
    /// As [`Connector::connect`]: [`io::ErrorKind::NotFound`] if there is no named pipe,
    /// [`io::ErrorKind::ConnectionRefused`] if no process listens there.
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<FifoStream> {
        wait_for_connect(&mut FifoPendingConnect::new(address, timeout, &self.options)?)
    }
}

impl Connector for FifoConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}

/// A request to the acceptor, and the pipes that it is to open.
pub(super) struct FifoPendingConnect {
    address: Address,
    deadline: Deadline,
    acceptor: OwnedFd,
    request: [u8; REQUEST],
    request_sent: bool,
    /// Readable when the acceptor has answered or gone.
    answer: OwnedFd,
    /// The ends for the stream, until it is made.
    ends: Option<(OwnedFd, OwnedFd)>,
    /// A pipe can be opened for writing only while it has a reader. Until the acceptor opens it,
    /// this is the reader.
    _reader: OwnedFd,
    _made: PipeFiles,
}

impl FifoPendingConnect {
    pub(super) fn new(
        address: &Address,
        timeout: Option<Duration>,
        options: &StreamOptions,
    ) -> io::Result<Self> {
        let path = addr::path(address)?;
        Self::prepare(address, path, Deadline::after(timeout), options)
            .map_err(|error| connect_error(address, error))
    }

    fn prepare(
        address: &Address,
        path: &Path,
        deadline: Deadline,
        options: &StreamOptions,
    ) -> io::Result<Self> {
        let acceptor = match addr::open_at(path, OFlags::WRONLY) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            other => other?,
        };
        let (files, request) = PipeFiles::new_unique(path)?;
        let input = addr::open_at(&files.0.to_connector, OFlags::RDONLY)?;
        let reader = addr::open_at(&files.0.to_acceptor, OFlags::RDWR)?;
        let output = addr::open_at(&files.0.to_acceptor, OFlags::WRONLY)?;
        set_pipe_size(output.as_fd(), options)?;
        let answer = epoll::create(CreateFlags::CLOEXEC)?;
        epoll::add(&answer, &input, EventData::new_u64(ANSWERED), EventFlags::IN)?;
        // Of the acceptor's pipe only an error matters, which the kernel always reports.
        epoll::add(&answer, &acceptor, EventData::new_u64(GONE), EventFlags::empty())?;
        Ok(Self {
            address: address.clone(),
            deadline,
            acceptor,
            request,
            request_sent: false,
            answer,
            ends: Some((input, output)),
            _reader: reader,
            _made: files,
        })
    }

    /// Whether the acceptor has opened our pipes.
    fn step(&mut self) -> io::Result<bool> {
        if !self.request_sent {
            // The kernel takes so few bytes as a whole.
            self.request_sent = match rustix::io::write(&self.acceptor, &self.request) {
                Ok(_) => true,
                Err(Errno::AGAIN | Errno::INTR) => return self.deadline.remaining().map(|_| false),
                Err(Errno::PIPE) => return Err(io::ErrorKind::ConnectionRefused.into()),
                Err(errno) => return Err(errno.into()),
            };
        }
        let none = Event { flags: EventFlags::empty(), data: EventData::new_u64(0) };
        let mut events = [none; 2];
        let now = timespec(Duration::ZERO);
        let seen = match epoll::wait(&self.answer, &mut events, Some(&now)) {
            Err(Errno::INTR) => 0,
            other => other?,
        };
        match &events[..seen] {
            [] => self.deadline.remaining().map(|_| false),
            // Copied, because the kernel's structure is packed.
            events if events.iter().any(|event| ({ event.data }).u64() == ANSWERED) => {
                let Some((input, _)) = &self.ends else { return Ok(false) };
                match rustix::io::read(input, &mut [0; 1])? {
                    1 => Ok(true),
                    _ => Err(io::ErrorKind::ConnectionRefused.into()),
                }
            }
            _ => Err(io::ErrorKind::ConnectionRefused.into()),
        }
    }

    fn stream(&mut self) -> io::Result<Option<FifoStream>> {
        let Some(ends) = self.ends.take() else { return Ok(None) };
        let names = (addr::unnamed(), self.address.clone());
        Ok(Some(FifoStream::new(Channel::of_two(ends, names)?)))
    }
}

/// What the set of descriptors calls the answer of the acceptor, and its end.
const ANSWERED: u64 = 1;
const GONE: u64 = 2;

impl PendingConnect<FifoStream> for FifoPendingConnect {
    fn advance(&mut self) -> io::Result<Option<FifoStream>> {
        let stream = match self.step() {
            Ok(true) => self.stream(),
            Ok(false) => Ok(None),
            Err(error) => Err(error),
        };
        stream.map_err(|error| connect_error(&self.address, error))
    }

    fn wait_condition(&self) -> WaitCondition<'_> {
        match self.request_sent {
            true => WaitCondition::ready(self.answer.as_fd(), Interest::READ, self.deadline.left()),
            false => {
                WaitCondition::ready(self.acceptor.as_fd(), Interest::WRITE, self.deadline.left())
            }
        }
    }
}

fn connect_error(address: &Address, error: io::Error) -> io::Error {
    context(format_args!("cannot connect to {address}"), error)
}
