//! The life of a connection: its socket, its memory once the peer has passed it, and the directions
//! that this process has ended. Moving bytes is in `rings` and `stream`.

use super::handshake;
use super::rings::RingPair;
use super::system::{poll_socket, shut_down_reading};
use super::wait::WaitLimit;
use rustix::event::PollFlags;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use std::io;
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// One end of a stream, established or about to be.
#[derive(Debug)]
pub(super) struct Connection {
    socket: OwnedFd,
    /// Set once the peer's memory is here, which an accepted stream does not wait for.
    rings: OnceLock<RingPair>,
    opening: Mutex<()>,
    closed_for_reading: AtomicBool,
    closed_for_writing: AtomicBool,
}

impl Connection {
    /// At a connected socket; without a `rings` it is still to come over the socket.
    pub(super) fn new(socket: OwnedFd, rings: Option<RingPair>) -> Self {
        Self {
            socket,
            rings: rings.map_or_else(OnceLock::new, OnceLock::from),
            opening: Mutex::new(()),
            closed_for_reading: AtomicBool::new(false),
            closed_for_writing: AtomicBool::new(false),
        }
    }

    #[inline]
    pub(super) fn socket(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }

    /// The link, if it is there already.
    pub(super) fn established(&self) -> Option<&RingPair> {
        self.rings.get()
    }

    /// The link, for which an accepted stream waits at its first use.
    #[inline]
    pub(super) fn rings(&self, limit: &mut WaitLimit<'_>) -> io::Result<&RingPair> {
        match self.rings.get() {
            Some(rings) => Ok(rings),
            None => self.await_rings(limit),
        }
    }

    #[cold]
    fn await_rings(&self, limit: &mut WaitLimit<'_>) -> io::Result<&RingPair> {
        loop {
            if let Some(rings) = self.try_rings()? {
                return Ok(rings);
            }
            poll_socket(self.socket(), PollFlags::IN, limit.left()?)?;
        }
    }

    /// The link, if it is there or can be had without waiting.
    pub(super) fn try_rings(&self) -> io::Result<Option<&RingPair>> {
        if let Some(rings) = self.rings.get() {
            return Ok(Some(rings));
        }
        // One thread at a time; otherwise a second one could take a later byte for the greeting.
        let _turn = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(rings) = self.rings.get() {
            return Ok(Some(rings));
        }
        let Some(region) = handshake::accept(self.socket())? else { return Ok(None) };
        let rings = self.rings.get_or_init(|| RingPair::new(region, 1));
        // A direction that was ended meanwhile, see `end`.
        self.publish_ends(rings);
        Ok(Some(rings))
    }

    /// Passes on to the peer which directions were ended here.
    fn publish_ends(&self, rings: &RingPair) {
        if self.closed_for_writing.load(Ordering::SeqCst) {
            rings.end_writing(self.socket());
        }
        if self.closed_for_reading.load(Ordering::SeqCst) {
            rings.end_reading(self.socket());
        }
    }

    /// A new connection over the same socket and memory.
    #[cfg(any(test, feature = "trial"))]
    pub(super) fn begin_anew(&mut self) {
        let memory = self.rings.take().map(RingPair::into_region);
        self.rings = memory.map_or_else(OnceLock::new, |region| RingPair::new(region, 0).into());
        self.closed_for_reading = AtomicBool::new(false);
        self.closed_for_writing = AtomicBool::new(false);
    }

    pub(super) fn closed_for_reading(&self) -> bool {
        self.closed_for_reading.load(Ordering::SeqCst)
    }

    pub(super) fn closed_for_writing(&self) -> bool {
        self.closed_for_writing.load(Ordering::SeqCst)
    }

    /// Ends one or both directions here, and wakes the threads that wait in them.
    pub(super) fn end(&self, how: Shutdown) {
        if how != Shutdown::Read {
            self.closed_for_writing.store(true, Ordering::SeqCst);
        }
        if how != Shutdown::Write {
            self.closed_for_reading.store(true, Ordering::SeqCst);
            shut_down_reading(self.socket());
        }
        if let Some(rings) = self.rings.get() {
            self.publish_ends(rings);
        }
    }
}
