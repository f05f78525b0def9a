//! The two ends of a flow that has begun, as state machines over the calls that move octets: those
//! of a thread wait, those of a task return `WouldBlock`.

mod consumer;
mod pace;
mod producer;

pub use consumer::FlowConsumer;
pub use producer::FlowProducer;

use crate::carrier::{Carrier, Connection, Keep};
use crate::limits::Limits;
use crate::{FlowControl, FlowOptions, FlowSpec, StreamError, UNKNOWN_SIZE};
use std::io::{self, IoSlice};
use std::sync::Arc;

/// What one step moves at most: limits, cancellation and pace are looked at between steps.
const STEP: usize = 1 << 20;

/// How a flow ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlowSummary {
    /// How many octets this flow moved.
    pub octets: u64,
    /// The checksum that the consumer has compared; empty if there was nothing to compare.
    pub verified: Vec<u8>,
}

/// An end of a flow: [`FlowProducer`] or [`FlowConsumer`].
pub trait FlowEnd: Sized + Send + 'static + sealed::FromLink {}

pub(crate) mod sealed {
    use super::Link;

    /// Makes an end of a connection whose sides have greeted each other.
    pub trait FromLink {
        #[doc(hidden)]
        fn from_link(link: Link) -> Self;
    }
}

/// A connection on which both sides have agreed to a flow.
#[derive(Debug)]
pub struct Link {
    pub(crate) carrier: Arc<Carrier>,
    pub(crate) control: FlowControl,
    limits: Limits,
    spec: FlowSpec,
    /// Takes the connection if the flow is complete.
    keep: Option<Keep>,
    complete: bool,
}

impl Link {
    /// Begins a flow: from now on its limits count, and `control` is its own.
    pub(crate) fn begin(
        connection: Connection,
        control: FlowControl,
        options: &FlowOptions,
        spec: FlowSpec,
    ) -> Self {
        let Connection { carrier, keep } = connection;
        control.attach(&carrier);
        Self { carrier, control, limits: Limits::start(options), spec, keep, complete: false }
    }

    /// Both sides know that everything has come; nothing of this flow is left on the connection.
    const fn complete(&mut self) {
        self.complete = true;
    }

    /// How many octets this flow is to have, if that is known.
    fn agreed(&self) -> Option<u64> {
        (self.spec.size != UNKNOWN_SIZE).then(|| self.spec.size.saturating_sub(self.spec.offset))
    }

    /// How many octets of the whole are there.
    fn at(&self) -> u64 {
        self.spec.offset.saturating_add(self.control.transferred())
    }

    /// Waits until a step may be made, and limits it.
    fn prepare(&self) -> io::Result<()> {
        self.limits.apply(self.carrier.stream()).map_err(|error| self.error(error))?;
        let limit = self.limits.step().map_err(|error| self.error(error))?;
        if !self.control.wait_to_go(limit) {
            return Err(StreamError::TimedOut { at: self.at() }.into());
        }
        self.check()
    }

    /// Fails once the flow is cancelled.
    fn check(&self) -> io::Result<()> {
        if self.control.is_cancelled() { Err(StreamError::Cancelled.into()) } else { Ok(()) }
    }

    /// What an error means where the kernel moves octets between the carrier and a file: it does not
    /// say which of both has failed, but a socket does not fail in the ways of a file.
    fn error_of_either(&self, error: io::Error) -> io::Error {
        use rustix::io::Errno;
        let errno = error.raw_os_error().map(Errno::from_raw_os_error);
        match errno {
            Some(
                Errno::BADF
                | Errno::DQUOT
                | Errno::FBIG
                | Errno::INVAL
                | Errno::IO
                | Errno::ISDIR
                | Errno::NODEV
                | Errno::NOSPC
                | Errno::NXIO
                | Errno::OVERFLOW
                | Errno::ROFS
                | Errno::SPIPE
                | Errno::STALE,
            ) => StreamError::File(error).into(),
            _ if matches!(error.kind(), io::ErrorKind::WriteZero) => {
                StreamError::File(error).into()
            }
            _ => self.error(error),
        }
    }

    /// What an error of the carrier means for the flow. `WouldBlock` of a task stays what it is.
    fn error(&self, error: io::Error) -> io::Error {
        if error.kind() == io::ErrorKind::WouldBlock || StreamError::of(&error).is_some() {
            return error;
        }
        if self.control.is_cancelled() {
            return StreamError::Cancelled.into();
        }
        let at = self.at();
        match error.kind() {
            io::ErrorKind::TimedOut => StreamError::TimedOut { at }.into(),
            _ => StreamError::Cut { at, source: error }.into(),
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.control.end();
        // From here on the control no longer reaches the connection, which is the next flow's.
        let intact = self.control.detach();
        if let Some(keep) = self.keep.take().filter(|_| self.complete && intact) {
            keep.keep(Arc::clone(&self.carrier));
        }
    }
}

/// Receives, waiting or not.
pub(crate) type Receiving<'a> = &'a mut dyn FnMut(&mut [u8]) -> io::Result<usize>;

/// Sends parts as if they were one, waiting or not.
pub(crate) type Sending<'a> = &'a mut dyn FnMut(&[IoSlice<'_>]) -> io::Result<usize>;

/// A message of fixed length that comes or goes in parts.
#[derive(Debug)]
pub(crate) struct Part<const N: usize> {
    octets: [u8; N],
    done: usize,
}

impl<const N: usize> Part<N> {
    /// A message to be received.
    pub(crate) const fn empty() -> Self {
        Self { octets: [0; N], done: 0 }
    }

    /// A message whose first octets have come.
    pub(crate) const fn begun(octets: [u8; N], done: usize) -> Self {
        Self { octets, done }
    }

    /// A message to be sent.
    pub(crate) const fn new(octets: [u8; N]) -> Self {
        Self { octets, done: 0 }
    }

    /// Receives what is missing.
    pub(crate) fn receive(&mut self, recv: Receiving<'_>) -> io::Result<&[u8; N]> {
        while self.done < N {
            match recv(&mut self.octets[self.done..])? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => self.done += count,
            }
        }
        Ok(&self.octets)
    }

    /// Sends what is left.
    pub(crate) fn send(&mut self, send: Sending<'_>) -> io::Result<()> {
        while self.done < N {
            self.done += send(&[IoSlice::new(&self.octets[self.done..])])?;
        }
        Ok(())
    }
}
