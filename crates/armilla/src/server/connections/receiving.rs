//! The receiving side of a connection: one read at a time, by its leader. A thread that has served
//! large messages gives their memory back while it waits.

use super::connection::Connection;
use crate::server::reply::close_reason::CloseReason;
use crate::server::threads::leadership::LeadToken;
use crate::server::threads::served::AfterServing;
use crate::server::threads::served_by::ServedBy;
use crate::server::threads::worker::{MEMORY_KEPT, Worker};
use armilla_giop::Framer;
use std::io;
use std::sync::atomic::Ordering;

/// A message of this many octets is large: its thread has memory to release later.
const LARGE_MESSAGE: usize = 1 << 20;

impl Connection {
    /// Reads once, and blocks if `fetch` says so. During a flood of oneway requests the thread
    /// yields the processor before it blocks: otherwise a client on the same processor would have
    /// to wake it for nearly every message.
    #[inline]
    pub(in crate::server) fn read(
        &self,
        framer: &mut Framer,
        token: &mut LeadToken,
        worker: &mut Worker,
        (fetch, in_flood): (AfterServing, bool),
    ) -> Result<(), CloseReason> {
        self.await_message(token, framer);
        let inbox = &mut worker.inbox;
        let received = match fetch {
            AfterServing::Wait if in_flood => self.recv_in_flood(framer.space_from(inbox)),
            AfterServing::Wait => self.stream.recv(framer.space_from(inbox)),
            _ => {
                let received = self.stream.try_recv(framer.space_from(inbox));
                received.inspect(|_| self.note_arrival())
            }
        };
        let received = match received {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                self.release_and_recv(framer, worker)
            }
            received => received,
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

    /// Takes note of the size of a message, in octets. After a large one the thread of the connection
    /// waits for a limited time, and then releases memory.
    #[inline]
    pub(in crate::server) fn note_size(&self, octets: usize) {
        if octets >= LARGE_MESSAGE {
            self.note_large();
        }
    }

    #[cold]
    fn note_large(&self) {
        let first = !self.large.swap(true, Ordering::Relaxed);
        if first && matches!(self.served_by, ServedBy::Thread(_)) {
            // If it fails, the memory stays until the connection ends.
            self.stream.set_recv_timeout(Some(MEMORY_KEPT)).ok();
        }
    }

    /// Frees the memory of large messages, unless one is incomplete, and reads without a time limit.
    #[cold]
    #[inline(never)]
    fn release_and_recv(&self, framer: &mut Framer, worker: &mut Worker) -> io::Result<usize> {
        self.stream.set_recv_timeout(None)?;
        self.large.store(false, Ordering::Relaxed);
        if !framer.is_partial() {
            framer.release_memory();
            worker.release_memory();
        }
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
