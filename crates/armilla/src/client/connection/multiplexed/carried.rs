//! Connections that the server side reads (bidirectional GIOP): it passes replies in as whole
//! messages. LocateRequests over such connections are made here too.

use super::{BorrowedBuffers, Slot};
use crate::client::connection::loss::reply_timed_out;
use crate::client::connection::multiplexed::{MultiplexedConnection, Sending, Waiter};
use crate::client::connection::pending_reply::{PendingReply, resume_all};
use crate::client::request::{Deadline, ObjectAddress};
use crate::exception::{Completion, Minor, SystemException};
use crate::sync::lock;
use armilla_cdr::{ByteOrder, CodeSet, Encoder};
use armilla_giop::engine::ConnectionLoss;
use armilla_giop::{HEADER_LEN, Message, MessageHeader, encode_locate_request};
use std::sync::Arc;
use std::thread;

/// Asynchronous calls whose replies were read.
pub(crate) struct Ready(Vec<Arc<dyn PendingReply>>);

impl Ready {
    /// Resumes the calls. Runs interceptors and callbacks.
    pub(crate) fn resume(self) {
        resume_all(self.0);
    }
}

impl MultiplexedConnection {
    /// Takes a reply that the server side has read.
    ///
    /// # Errors
    /// When the message ends the connection. Its calls have failed by then.
    pub(crate) fn take(&self, message: &Message<'_>) -> Result<Ready, ConnectionLoss> {
        let mut ready = Vec::new();
        match self.dispatch(message, None, &mut ready) {
            Ok(_) => Ok(Ready(ready)),
            Err(loss) => {
                self.fail(loss.clone(), "");
                Err(loss)
            }
        }
    }

    /// Sends a LocateRequest. Returns the buffers with the answer.
    pub(in crate::client) fn locate(
        &self,
        object: ObjectAddress<'_>,
        deadline: &Deadline,
    ) -> Result<BorrowedBuffers, SystemException> {
        let mut out = Encoder::with_buffer(Vec::new(), ByteOrder::NATIVE, CodeSet::default());
        encode_locate_request(&mut out, object.version, 0, object.named())
            .map_err(|error| SystemException::encoding(&error, Completion::No))?;
        MessageHeader::finish(&mut out).map_err(|error| {
            SystemException::bad_param(Minor::MESSAGE_TOO_LARGE, error.to_string())
        })?;
        let mut buffers = BorrowedBuffers::of_this_thread();
        let slot = buffers.slot.clone();
        slot.reset();
        let (waiter, sending) = (Some(Waiter::Thread(slot.clone())), Sending::Blocking(deadline));
        // The request id follows the header directly, in every version.
        let id = self.queue(&mut out, HEADER_LEN, waiter, object.version, sending)?;
        self.await_reply(id, &slot, deadline)?;
        slot.take(&mut buffers.reply, deadline)?;
        Ok(buffers)
    }

    /// Waits for a reply that another thread reads.
    fn await_reply(
        &self,
        id: u32,
        slot: &Arc<Slot>,
        deadline: &Deadline,
    ) -> Result<(), SystemException> {
        while !slot.is_done() {
            match deadline.remaining() {
                None if self.give_up(id) => {
                    self.note_expired(deadline.started);
                    return Err(reply_timed_out(self.peer(), deadline));
                }
                // Another thread is storing the reply, and wakes this thread afterwards.
                None => thread::park(),
                Some(left) => {
                    let state = lock(&self.state);
                    if !slot.is_done() {
                        self.wait_as_follower(state, left);
                    }
                }
            }
        }
        Ok(())
    }
}
