//! Replies that are captured in memory instead of being sent: those of requests from this process,
//! of requests that the main thread serves, and of servants from a servant locator.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::server::connections::connection::{Connection, ServedBy};
use crate::sync::lock;
use crate::transport::is_here;
use armilla_ipc::{Address, Readiness, SendError, Stream};
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A connection that carries one request at a time, and the stream that captures the reply.
pub(in crate::server) struct ReplyCapture {
    pub(in crate::server) connection: Arc<Connection>,
    pub(in crate::server) capture_stream: Arc<CaptureStream>,
}

/// How many captures are kept for reuse.
const MAX_KEPT_CAPTURES: usize = 16;

impl ReplyCapture {
    /// Keeps the capture for the next request, unless a response handler may still use it.
    pub(in crate::server) fn keep_for_reuse(self) {
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
///
/// # Errors
/// Those of `Orb::server`.
pub(in crate::server) fn capture(
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
            *lock(&kept_captures.capture_stream.captured) = Captured::new(memory);
            kept_captures
        }
        None => {
            let captured = Mutex::new(Captured::new(memory));
            let capture_stream = CaptureStream { captured, changed: Condvar::new(), peer };
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

/// A stream that captures a reply in memory instead of sending it.
#[derive(Debug)]
pub(in crate::server) struct CaptureStream {
    captured: Mutex<Captured>,
    changed: Condvar,
    peer: Address,
}

#[derive(Debug)]
struct Captured {
    reply: Vec<u8>,
    stage: Stage,
}

/// How far another thread has come with a request that it was handed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Stage {
    /// It has not begun it.
    Waiting,
    Begun,
    /// It has served it. The reply may come later.
    Served,
    /// It has handed it back.
    Refused,
    /// It will never serve it.
    Dropped,
    /// Whoever handed it over no longer waits, so nobody begins it.
    Abandoned,
}

impl Captured {
    const fn new(reply: Vec<u8>) -> Self {
        Self { reply, stage: Stage::Waiting }
    }
}

impl CaptureStream {
    /// Waits for the reply, which a response handler may send later from another thread. `left` is
    /// asked how long, if the reply is not there yet.
    ///
    /// # Errors
    /// `TIMEOUT` when it does not come in this time.
    pub(in crate::server) fn wait(
        &self,
        left: impl FnOnce() -> Option<Duration>,
    ) -> Result<Vec<u8>, SystemException> {
        let mut captured = lock(&self.captured);
        if !captured.reply.is_empty() {
            return Ok(std::mem::take(&mut captured.reply));
        }
        let mut captured = self.wait_while(captured, left(), |captured| captured.reply.is_empty());
        match std::mem::take(&mut captured.reply) {
            reply if reply.is_empty() => {
                let kind = ExceptionKind::Timeout;
                Err(SystemException::new(kind, Minor::REPLY_TIMED_OUT, Completion::Maybe))
            }
            reply => Ok(reply),
        }
    }

    /// Waits until the request that another thread was handed has a reply, or until it is at a stage
    /// for which `is_end` holds. Returns the reply, which may be empty, and the stage; a request
    /// that was not begun within `left` is [abandoned](Stage::Abandoned).
    pub(in crate::server) fn wait_for_stage(
        &self,
        left: Option<Duration>,
        is_end: impl Fn(Stage) -> bool,
    ) -> (Vec<u8>, Stage) {
        let captured = lock(&self.captured);
        let goes_on = |captured: &Captured| captured.reply.is_empty() && !is_end(captured.stage);
        let mut captured = self.wait_while(captured, left, goes_on);
        if captured.stage == Stage::Waiting {
            captured.stage = Stage::Abandoned;
        }
        (std::mem::take(&mut captured.reply), captured.stage)
    }

    fn wait_while<'c>(
        &self,
        captured: MutexGuard<'c, Captured>,
        left: Option<Duration>,
        goes_on: impl Fn(&Captured) -> bool,
    ) -> MutexGuard<'c, Captured> {
        let goes_on = |captured: &mut Captured| goes_on(captured);
        match left {
            None => {
                let waited = self.changed.wait_while(captured, goes_on);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
            Some(limit) => {
                let waited = self.changed.wait_timeout_while(captured, limit, goes_on);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
        }
    }

    /// Notes that the thread that was handed the request has come from one of the stages `from` to
    /// this one. Returns `false` when it is at another stage.
    pub(in crate::server) fn pass(&self, from: &[Stage], to: Stage) -> bool {
        let mut captured = lock(&self.captured);
        let passes = from.contains(&captured.stage);
        if passes {
            captured.stage = to;
            self.changed.notify_all();
        }
        passes
    }
}

impl Stream for CaptureStream {
    fn recv(&self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        lock(&self.captured).reply.extend_from_slice(bytes);
        self.changed.notify_all();
        Ok(())
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        let mut captured = lock(&self.captured);
        parts.iter().for_each(|part| captured.reply.extend_from_slice(part));
        self.changed.notify_all();
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
