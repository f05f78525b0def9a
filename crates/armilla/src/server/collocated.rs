//! Requests from this very process, dispatched by the thread that makes them.

use super::caller::serve_from;
use super::connection::{Connection, ServedBy};
use super::dispatch;
use crate::client::ReplyBuffer;
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

/// Serves a request, in these code sets, and gives the reply, which is empty when none is expected.
pub(super) fn serve_collocated(
    orb: &Orb,
    message: &Message<'_>,
    code_sets: CodeSets,
    limit: Option<Duration>,
    reply_buffer: &mut ReplyBuffer,
) -> Result<Vec<u8>, SystemException> {
    serve_for(HERE, orb, message, code_sets, limit, reply_buffer)
}

fn serve_for(
    peer: Address,
    orb: &Orb,
    message: &Message<'_>,
    code_sets: CodeSets,
    limit: Option<Duration>,
    reply_buffer: &mut ReplyBuffer,
) -> Result<Vec<u8>, SystemException> {
    let malformed = |error| SystemException::decoding(&error, Completion::No);
    let (header, body) = decode_request(message).map_err(malformed)?;
    let expected = header.response_expected;
    let caught = std::mem::take(&mut reply_buffer.caught);
    let capture = capture(orb, header.request_id, peer, caught)?;
    let memory = &mut reply_buffer.written;
    let served = wait_limit::within(limit, || {
        serve_from(Some(&capture.connection), || {
            dispatch::request(&capture.connection, message, header, body, code_sets, memory)
        })
    });
    let reply = match served {
        Ok(()) if expected => capture.capture_stream.wait(limit),
        // Nothing can go wrong with sending here.
        Ok(()) | Err(_) => Ok(Vec::new()),
    };
    capture.keep_for_reuse();
    reply
}

/// A connection for one request of this process at a time, and what catches the reply.
pub(super) struct ReplyCapture {
    pub(super) connection: Arc<Connection>,
    pub(super) capture_stream: Arc<CaptureStream>,
}

/// How many of them are kept_captures at most.
const MAX_KEPT_CAPTURES: usize = 16;

impl ReplyCapture {
    /// Keeps it for the next request, unless somebody may still reply to this one.
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

/// A connection from `peer` with this request in progress; the reply is caught in `memory`.
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
    // No request is in progress there, so that there is room for one.
    let _begun = capture.connection.output.lock().responder.begin(request_id, || false);
    Ok(capture)
}

/// Has the main thread serve a request of `peer` for an object of `poa`, once it can be served, and gives
/// the reply; `None` when the main thread is not to be asked.
///
/// # Errors
/// `BAD_INV_ORDER` when the ORB is shut down before that; `TIMEOUT` when a call of this process has no
/// time left.
pub(super) fn serve_on_main_thread(
    peer: &Address,
    orb: &Orb,
    poa: &Arc<PoaInner>,
    message: &Message<'_>,
    code_sets: CodeSets,
) -> Option<Result<Vec<u8>, SystemException>> {
    let _blocking = BlockingScope::begin();
    loop {
        // It is this thread that waits while requests are held: the main thread may be the one that
        // ends it.
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

/// Has it serve the request now; `None` when it cannot be served any more.
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
        let limit = main.settings().call_timeout;
        let serve =
            || serve_for(peer, &main, &message, code_sets, limit, &mut ReplyBuffer::default());
        // Whoever waits for it is there until it has come, or given it up.
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

/// Catches a reply instead of sending it.
#[derive(Debug)]
pub(super) struct CaptureStream {
    reply: Mutex<Vec<u8>>,
    arrived: Condvar,
    peer: Address,
}

impl CaptureStream {
    /// The reply; servants may make it after they returned, in another thread.
    pub(super) fn wait(&self, limit: Option<Duration>) -> Result<Vec<u8>, SystemException> {
        let empty = |reply: &mut Vec<u8>| reply.is_empty();
        let reply = lock(&self.reply);
        let mut reply = match limit {
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
