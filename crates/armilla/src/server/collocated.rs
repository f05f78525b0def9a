//! Requests from this process, dispatched by the calling thread or by the main thread. The reply is
//! captured in memory.
//!
//! Direct calls of a servant, without a request, do not come here; asynchronous calls within the
//! process use [`super::in_process`].

use super::caller::serve_from;
use super::connection::{Connection, ServedBy};
use super::dispatch;
use super::nesting;
use crate::client::{LocalLimit, ReplyBuffer};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::server::poa::PoaInner;
use crate::sync::lock;
use crate::threads::{BlockingScope, wait_limit};
use crate::transport::{HERE, is_here};
use armilla_cdr::CodeSets;
use armilla_giop::{Message, OwnedMessage, decode_request};
use armilla_ipc::{Address, Readiness, SendError, Stream};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Serves a request with these code sets. Returns the reply message, empty when none is expected.
pub(super) fn serve_collocated(
    orb: &Orb,
    message: &Message<'_>,
    code_sets: CodeSets,
    limit: LocalLimit,
    reply_buffer: &mut ReplyBuffer,
) -> Result<Vec<u8>, SystemException> {
    serve_for(HERE, orb, message, code_sets, limit, reply_buffer)
}

fn serve_for(
    peer: Address,
    orb: &Orb,
    message: &Message<'_>,
    code_sets: CodeSets,
    limit: LocalLimit,
    reply_buffer: &mut ReplyBuffer,
) -> Result<Vec<u8>, SystemException> {
    if nesting::is_exhausted() {
        return Err(nesting::too_deep());
    }
    let malformed = |error| SystemException::decoding(&error, Completion::No);
    let (header, body) = decode_request(message).map_err(malformed)?;
    let expected = header.response_expected;
    let reply_memory = std::mem::take(&mut reply_buffer.caught);
    let capture = capture(orb, header.request_id, peer, reply_memory)?;
    let memory = &mut reply_buffer.written;
    let served = wait_limit::within(limit.time, || {
        serve_from(Some(&capture.connection), || {
            dispatch::request(&capture.connection, message, header, body, code_sets, memory)
        })
    });
    let reply = match served {
        Ok(()) if expected => capture.capture_stream.wait(|| limit.left()),
        // A captured reply cannot fail to be sent.
        Ok(()) | Err(_) => Ok(Vec::new()),
    };
    capture.keep_for_reuse();
    reply
}

/// A connection that carries one collocated request at a time, and the stream that captures the
/// reply.
pub(super) struct ReplyCapture {
    pub(super) connection: Arc<Connection>,
    pub(super) capture_stream: Arc<CaptureStream>,
}

/// How many captures are kept for reuse.
const MAX_KEPT_CAPTURES: usize = 16;

impl ReplyCapture {
    /// Keeps the capture for the next request, unless a response handler may still use it.
    fn keep_for_reuse(self) {
        let is_ours = Arc::strong_count(&self.connection) == 1;
        if is_ours && is_here(&self.capture_stream.peer) && self.connection.is_idle() {
            let workers = self.connection.workers.clone();
            let mut kept_captures = workers.kept_captures.lock();
            if kept_captures.len() < MAX_KEPT_CAPTURES && !workers.is_closing() {
                kept_captures.push(self);
            }
        }
    }
}

/// Returns a connection from `peer` on which this request is in progress. The reply is captured in
/// `memory`.
pub(super) fn capture(
    orb: &Orb,
    request_id: u32,
    peer: Address,
    mut memory: Vec<u8>,
) -> Result<ReplyCapture, SystemException> {
    memory.clear();
    let workers = orb.server()?.workers();
    let kept_captures = if is_here(&peer) { workers.kept_captures.lock().pop() } else { None };
    let capture = match kept_captures {
        Some(kept_captures) => {
            *lock(&kept_captures.capture_stream.reply) = memory;
            kept_captures
        }
        None => {
            let capture_stream =
                CaptureStream { reply: Mutex::new(memory), arrived: Condvar::new(), peer };
            let capture_stream = Arc::new(capture_stream);
            let connection =
                Connection::new(orb, workers, capture_stream.clone(), 0, ServedBy::Collocated);
            ReplyCapture { connection: Arc::new(connection), capture_stream }
        }
    };
    // This cannot be refused: no other request is in progress on the connection.
    let _begun = capture.connection.output.lock().responder.begin(request_id, || false);
    Ok(capture)
}

/// Lets the main thread serve a request of `peer` for an object of `poa`, as soon as the POA admits
/// it. Returns the reply, or `None` when the main thread is not to serve it.
///
/// # Errors
/// `BAD_INV_ORDER` when the ORB is shut down first; `TIMEOUT` when the time limit of a collocated
/// call expires.
pub(super) fn serve_on_main_thread(
    peer: &Address,
    orb: &Orb,
    poa: &Arc<PoaInner>,
    message: &Message<'_>,
    code_sets: CodeSets,
) -> Option<Result<Vec<u8>, SystemException>> {
    let _blocking = BlockingScope::begin();
    loop {
        // This thread waits while the POA manager holds requests, not the main thread: that one may
        // be about to activate the manager.
        if !poa.admits_by_main_thread(orb) {
            return None;
        }
        match hand_to_main_thread(peer, orb, poa, message, code_sets) {
            Ok(None) => {}
            Ok(Some(reply)) => return Some(reply),
            Err(exception) => return Some(Err(exception)),
        }
    }
}

/// Hands the request to the main thread. `None` when the POA no longer admitted it there.
fn hand_to_main_thread(
    peer: &Address,
    orb: &Orb,
    poa: &Arc<PoaInner>,
    message: &Message<'_>,
    code_sets: CodeSets,
) -> Result<Option<Result<Vec<u8>, SystemException>>, SystemException> {
    let (sender, receiver) = sync_channel(1);
    let (main, peer, poa, mut kept) = (orb.clone(), peer.clone(), poa.clone(), OwnedMessage::new());
    kept.copy_from(message);
    orb.main_thread().push(Box::new(move || {
        let Some(message) = kept.message() else { return };
        let limit = LocalLimit::from_now(main.settings().call_timeout);
        let serve =
            || serve_for(peer, &main, &message, code_sets, limit, &mut ReplyBuffer::default());
        // The receiver is gone only if the caller has timed out.
        sender.send(poa.admits_now().then(serve)).ok();
    }));
    match wait_limit::left() {
        None => receiver.recv().map_err(|_| SystemException::shut_down()),
        Some(left) => receiver.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Disconnected => SystemException::shut_down(),
            RecvTimeoutError::Timeout => wait_limit::exhausted(
                Completion::Maybe,
                "the main thread did not serve the call in time".into(),
            ),
        }),
    }
}

/// A stream that captures a reply in memory instead of sending it.
#[derive(Debug)]
pub(super) struct CaptureStream {
    reply: Mutex<Vec<u8>>,
    arrived: Condvar,
    peer: Address,
}

impl CaptureStream {
    /// Waits for the reply, which a response handler may send later from another thread. `left` is
    /// asked how long, if the reply is not there yet.
    pub(super) fn wait(
        &self,
        left: impl FnOnce() -> Option<Duration>,
    ) -> Result<Vec<u8>, SystemException> {
        let empty = |reply: &mut Vec<u8>| reply.is_empty();
        let mut reply = lock(&self.reply);
        if !reply.is_empty() {
            return Ok(std::mem::take(&mut *reply));
        }
        let mut reply = match left() {
            None => self.arrived.wait_while(reply, empty).unwrap_or_else(PoisonError::into_inner),
            Some(limit) => {
                let waited = self.arrived.wait_timeout_while(reply, limit, empty);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        };
        match std::mem::take(&mut *reply) {
            reply if reply.is_empty() => {
                let kind = ExceptionKind::Timeout;
                Err(SystemException::new(kind, Minor::REPLY_TIMED_OUT, Completion::Maybe))
            }
            reply => Ok(reply),
        }
    }
}

impl Stream for CaptureStream {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        lock(&self.reply).extend_from_slice(bytes);
        self.arrived.notify_all();
        Ok(())
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        let mut reply = lock(&self.reply);
        parts.iter().for_each(|part| reply.extend_from_slice(part));
        self.arrived.notify_all();
        Ok(())
    }

    fn set_recv_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn set_send_timeout(&self, _: Option<Duration>) -> io::Result<()> {
        Ok(())
    }

    fn readiness(&self) -> io::Result<Readiness> {
        Ok(Readiness::Idle)
    }

    fn shutdown(&self, _: Shutdown) -> io::Result<()> {
        Ok(())
    }

    fn peer(&self) -> &Address {
        &self.peer
    }

    fn local(&self) -> &Address {
        &self.peer
    }
}
