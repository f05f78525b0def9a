//! The receiving side of a connection: one read at a time, by its leader. A thread that has served
//! large messages gives their memory back while it waits.

use super::close_reason::CloseReason;
use super::connection::{AfterServing, Connection};
use super::leadership::LeadToken;
use super::workers::Worker;
use armilla_giop::Framer;
use std::io;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A message of this many octets is large: its thread has memory to release later.
const LARGE_MESSAGE: usize = 1 << 20;

/// How long a thread keeps the memory of large messages for the next one of the same connection.
pub(super) const MEMORY_KEPT: Duration = Duration::from_secs(1);

impl Connection {
    /// Reads once, and blocks if `fetch` says so. During a flood of oneway requests the thread
    /// yields the processor before it blocks: otherwise a client on the same processor would have
    /// to wake it for nearly every message.
    #[inline]
    pub(super) fn read(
        &self,
        framer: &mut Framer,
        token: &mut LeadToken,
        worker: &mut Worker,
        (fetch, in_flood): (AfterServing, bool),
    ) -> Result<(), CloseReason> {
        self.leadership.await_message(token, framer.is_partial());
        let inbox = &mut worker.inbox;
        let received = match fetch {
            AfterServing::Wait if self.large.load(Ordering::Relaxed) && !framer.is_partial() => {
                self.recv_or_release(framer, worker)
            }
            AfterServing::Wait if in_flood => self.recv_in_flood(framer.space_from(inbox)),
            AfterServing::Wait => self.stream.recv(framer.space_from(inbox)),
            _ => self.stream.try_recv(framer.space_from(inbox)),
        };
        match received {
            Ok(0) => Err(self.reason_for_end(framer.is_partial())),
            Ok(count) => {
                framer.received(count);
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(CloseReason::Io(error)),
        }
    }

    /// Takes note of the size of a message, in octets.
    #[inline]
    pub(super) fn note_size(&self, octets: usize) {
        if octets >= LARGE_MESSAGE {
            self.large.store(true, Ordering::Relaxed);
        }
    }

    /// Reads once. If nothing comes for a while, the thread frees the memory of large messages
    /// before it goes on waiting.
    #[cold]
    #[inline(never)]
    fn recv_or_release(&self, framer: &mut Framer, worker: &mut Worker) -> io::Result<usize> {
        self.stream.set_recv_timeout(Some(MEMORY_KEPT))?;
        let received = self.stream.recv(framer.space_from(&mut worker.inbox));
        self.stream.set_recv_timeout(None)?;
        if !received.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::TimedOut) {
            return received;
        }
        framer.release_memory();
        worker.release_memory();
        self.large.store(false, Ordering::Relaxed);
        self.stream.recv(framer.space_from(&mut worker.inbox))
    }

    #[cold]
    #[inline(never)]
    fn recv_in_flood(&self, space: &mut [u8]) -> io::Result<usize> {
        match self.stream.try_recv(space) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                std::thread::yield_now();
                self.stream.recv(space)
            }
            received => received,
        }
    }
}
