//! Replies that are captured in memory instead of being sent: those of requests from this process,
//! of requests that the main thread serves, and of servants from a servant locator.

use super::sink::{LateSink, PendingReply, ReplySink, RequestSink};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use crate::sync::lock;
use crate::transport::HERE;
use crate::wire;
use armilla_cdr::Encoder;
use armilla_ipc::{Address, SendError};
use std::cell::{OnceCell, RefCell};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The place for the reply to a request of the calling thread. Only a reply that comes later needs
/// one that threads share.
pub(in crate::server) struct LocalCapture<'o> {
    orb: &'o Orb,
    reply: RefCell<Vec<u8>>,
    late: OnceCell<Arc<Capture>>,
}

/// The address of a client in this process.
static PEER: Address = HERE;

impl<'o> LocalCapture<'o> {
    /// Captures a reply in `memory`.
    #[inline]
    pub(in crate::server) fn new(orb: &'o Orb, mut memory: Vec<u8>) -> Self {
        memory.clear();
        Self { orb, reply: RefCell::new(memory), late: OnceCell::new() }
    }

    /// The reply; `left` is asked how long to wait for one that a response handler sends later.
    ///
    /// # Errors
    /// `TIMEOUT` when it does not come in this time.
    #[inline]
    pub(in crate::server) fn wait(
        self,
        left: impl FnOnce() -> Option<Duration>,
    ) -> Result<Vec<u8>, SystemException> {
        match self.late.into_inner() {
            Some(late) if self.reply.borrow().is_empty() => late.wait(left),
            _ => Ok(self.reply.into_inner()),
        }
    }
}

impl ReplySink for LocalCapture<'_> {
    fn orb(&self) -> &Orb {
        self.orb
    }

    fn peer(&self) -> &Address {
        &PEER
    }

    fn settle(
        &self,
        _: u32,
        _: PendingReply,
        reply: Option<&Encoder<'_>>,
    ) -> Result<(), SendError> {
        reply.map_or(Ok(()), |reply| self.send(reply))
    }

    #[inline]
    fn send(&self, message: &Encoder<'_>) -> Result<(), SendError> {
        write(message, &mut self.reply.borrow_mut());
        Ok(())
    }

    fn is_abandoned(&self, _: u32) -> bool {
        false
    }
}

impl RequestSink for LocalCapture<'_> {
    fn defer(&self) -> LateSink {
        self.late.get_or_init(|| Arc::new(Capture::new(self.orb, HERE))).clone()
    }
}

/// Appends a message to what was captured.
#[inline]
fn write(message: &Encoder<'_>, captured: &mut Vec<u8>) {
    match message.as_contiguous() {
        Some(octets) => captured.extend_from_slice(octets),
        None => wire::parts(message, usize::MAX, |parts| {
            parts.iter().for_each(|part| captured.extend_from_slice(part));
        }),
    }
}

/// The place for a reply that several threads share: one serves the request, another one waits.
#[derive(Debug)]
pub(in crate::server) struct Capture {
    orb: Orb,
    peer: Address,
    captured: Mutex<Captured>,
    changed: Condvar,
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

impl Capture {
    /// The place for the reply to a request from `peer`.
    pub(in crate::server) fn new(orb: &Orb, peer: Address) -> Self {
        let captured = Captured { reply: Vec::new(), stage: Stage::Waiting };
        Self { orb: orb.clone(), peer, captured: Mutex::new(captured), changed: Condvar::new() }
    }

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

impl ReplySink for Capture {
    fn orb(&self) -> &Orb {
        &self.orb
    }

    fn peer(&self) -> &Address {
        &self.peer
    }

    fn settle(
        &self,
        _: u32,
        _: PendingReply,
        reply: Option<&Encoder<'_>>,
    ) -> Result<(), SendError> {
        reply.map_or(Ok(()), |reply| self.send(reply))
    }

    fn send(&self, message: &Encoder<'_>) -> Result<(), SendError> {
        write(message, &mut lock(&self.captured).reply);
        self.changed.notify_all();
        Ok(())
    }

    fn is_abandoned(&self, _: u32) -> bool {
        false
    }
}

impl RequestSink for Arc<Capture> {
    fn defer(&self) -> LateSink {
        self.clone()
    }
}
