//! Makes two named pipes and asks the acceptor to open them.

use super::addr::{self, Made, Names};
use super::{FifoStream, addr::REQUEST};
use crate::channel::{Channel, Half};
use crate::deadline::Deadline;
use crate::error::{context, timespec};
use crate::{Address, Connector, Stream, StreamOptions};
use rustix::event::{PollFd, PollFlags, poll};
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
    /// [`io::ErrorKind::ConnectionRefused`] if nobody listens at it.
    pub fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<FifoStream> {
        let path = addr::path(address)?;
        self.connect_to(path, timeout)
            .map_err(|error| context(format_args!("cannot connect to {address}"), error))
    }

    fn connect_to(&self, path: &Path, timeout: Option<Duration>) -> io::Result<FifoStream> {
        let deadline = Deadline::after(timeout);
        let acceptor = match addr::open_at(path, OFlags::WRONLY) {
            Err(error) if Errno::from_io_error(&error) == Some(Errno::NXIO) => {
                return Err(io::ErrorKind::ConnectionRefused.into());
            }
            other => Half::new(other?)?,
        };
        let (names, request) = Names::fresh(path);
        let made = Made::new(names)?;
        let names = &made.0;
        let input = addr::open_at(&names.to_connector, OFlags::RDONLY)?;
        // A pipe can be opened for writing only while somebody reads it; until the acceptor does,
        // that is ourselves.
        let reader = addr::open_at(&names.to_acceptor, OFlags::RDWR)?;
        let output = addr::open_at(&names.to_acceptor, OFlags::WRONLY)?;
        crate::pipe::addr::apply(&self.options, output.as_fd())?;
        ask(&acceptor, &request, deadline)?;
        wait_for_answer(&input, &acceptor, deadline)?;
        drop(reader);
        let ends = (addr::unnamed(), Address::fifo(path));
        Ok(FifoStream::new(Channel::of_two((input, output), ends)?))
    }
}

impl Connector for FifoConnector {
    fn connect(&self, address: &Address, timeout: Option<Duration>) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.connect(address, timeout)?))
    }
}

fn ask(acceptor: &Half, request: &[u8; REQUEST], deadline: Deadline) -> io::Result<()> {
    acceptor.set_timeout(deadline.remaining()?);
    acceptor.send_all(request).map_err(|error| match error.source.kind() {
        io::ErrorKind::BrokenPipe => io::ErrorKind::ConnectionRefused.into(),
        _ => error.source,
    })
}

/// Waits until the acceptor has opened our pipes, or nobody listens any more.
fn wait_for_answer(input: &OwnedFd, acceptor: &Half, deadline: Deadline) -> io::Result<()> {
    loop {
        let left = deadline.remaining()?.map(timespec);
        // Of the acceptor's pipe only the error is of interest, which is always told.
        let fds =
            &mut [PollFd::new(input, PollFlags::IN), PollFd::new(acceptor, PollFlags::empty())];
        match poll(fds, left.as_ref()) {
            Err(Errno::INTR) => continue,
            other => other?,
        };
        let (answered, gone) = (!fds[0].revents().is_empty(), !fds[1].revents().is_empty());
        if answered {
            return match rustix::io::read(input, &mut [0; 1])? {
                1 => Ok(()),
                _ => Err(io::ErrorKind::ConnectionRefused.into()),
            };
        }
        if gone {
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
    }
}
