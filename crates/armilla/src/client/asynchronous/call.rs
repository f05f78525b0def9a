//! An asynchronous call: its state and its transitions. No thread waits for it.
//!
//! The arguments are encoded when the call begins. Each attempt builds its request from them. The
//! thread that reads the reply stores it with [`store_reply`](AsyncCall::store_reply). Once it has
//! released the connection it calls [`resume`](AsyncCall::resume), which ends the call or starts
//! the next attempt ([`resuming`](super::resuming)). The decision is in
//! [`continuing`](super::continuing), its rules are in [`Invocation`].

use super::call_target::CallTarget;
use super::stored_reply::StoredReply;
use crate::client::connection::{MultiplexedConnection, PendingReply, Sending};
use crate::client::endpoint::{Access, Endpoint, WaitingCall};
use crate::client::interception::{Ended, Intercepted};
use crate::client::invocation::{Invocation, Selected, Selection, StaleConnections, to_send};
use crate::client::reference::{AddedContext, AttemptTarget, Object};
use crate::client::request::{
    AddedContexts, EncodedArguments, Outgoing, OwnedOperation, StableContexts, Wait, no_reply,
    part, undecodable,
};
use crate::exception::SystemException;
use crate::interception::{Contexts, Slots};
use crate::runtime::Orb;
use crate::signature::{CallAtFault, Part};
use crate::sync::lock;
use crate::threads::BlockingScope;
use armilla_cdr::{CdrResult, CodeSets, Decoder, Encoder};
use armilla_giop::{OwnedMessage, ReplyStatus, ResponseFlags, ServiceContext};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::Waker;
use std::thread::Thread;
use std::time::Duration;

/// An asynchronous call under way.
pub(super) struct AsyncCall {
    pub(super) first: CallTarget,
    pub(super) selection: Option<Selection>,
    /// What tells of the calling thread, where the call goes elsewhere than it began.
    pub(super) caller: Option<AddedContext>,
    pub(super) operation: OwnedOperation,
    pub(super) arguments: EncodedArguments,
    /// The number of addresses left to try, the current one included.
    pub(super) addresses: AtomicUsize,
    /// The `PICurrent` slots of the calling thread when the call began.
    pub(super) slots: Slots,
    pub(super) state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    /// `None` while a thread decides the next step of the call.
    pub(super) invocation: Option<Invocation>,
    /// Whether its selector was asked again.
    pub(super) asked_again: bool,
    /// Whether the call waits for what its selector answers, and can expire meanwhile.
    pub(super) awaits_selector: bool,
    /// The number of attempts over a connection that turned out to be closed.
    pub(super) stale: StaleConnections,
    /// The target of the last attempt.
    pub(super) attempt_target: Option<AttemptTarget>,
    /// The state of the interceptors for the attempt under way.
    pub(super) flow: Option<Box<Intercepted>>,
    /// The connection that carries the request, and the request id. The call keeps the connection
    /// alive: nothing else may refer to it.
    pub(super) link: Option<(Arc<MultiplexedConnection>, u32)>,
    /// The connection on which the call waits for room, or has waited.
    pub(super) room: Weak<MultiplexedConnection>,
    pub(super) event: Option<Event>,
    pub(super) reply: OwnedMessage,
    pub(super) code_sets: Option<CodeSets>,
    pub(super) outcome: Option<Result<(), SystemException>>,
    pub(super) listener: Listener,
    pub(super) cancelled: bool,
}

/// What is stored and not yet processed.
pub(super) enum Event {
    Reply,
    Failure(SystemException),
    /// The pause before the next attempt is over.
    Launch,
}

/// The outcome of an attempt.
pub(super) enum AttemptOutcome {
    Ended(Ended),
    /// The connection was stale; the same attempt is made over another one.
    Resend,
}

/// The party that is notified of the outcome.
#[derive(Default)]
pub(super) enum Listener {
    #[default]
    Nobody,
    Task(Waker),
    Thread(Thread),
    Callback(Callback),
}

pub(super) type Callback = Box<dyn FnOnce(&AsyncCall) + Send>;

impl AsyncCall {
    /// Encodes the arguments of a call and starts the first attempt. Work that would block, such as
    /// connecting, is left to another thread.
    pub(super) fn begin<'p>(
        object: &Object,
        operation: OwnedOperation,
        arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Result<Arc<Self>, SystemException> {
        let Selected { object, context, by: selection, caller } = object.selected()?;
        let reference = object.reference()?;
        let invocation = Invocation::begin(&object, reference)?;
        let deadline = invocation.deadline;
        let interceptors = reference.orb.interceptors();
        let slots = interceptors.map(|known| known.slots_of_thread(&reference.orb));
        let bound = reference.route()?;
        let Access { endpoint, version, .. } = &*bound.preferred().access;
        let code_sets = (endpoint.code_sets, endpoint.settings.code_sets(endpoint.code_sets));
        let arguments = EncodedArguments::encode(*version, code_sets, &operation, arguments)?;
        let call = Arc::new(Self {
            first: CallTarget::new(object, context, deadline),
            selection,
            caller,
            operation,
            arguments,
            addresses: AtomicUsize::new(1),
            slots: slots.unwrap_or_default(),
            state: Mutex::default(),
        });
        lock(&call.state).invocation = Some(invocation);
        call.launch();
        Ok(call)
    }

    /// Starts attempts at the current target until one is under way or the call has ended.
    pub(super) fn launch(self: &Arc<Self>) {
        while let Some(outcome) = self.start_attempt() {
            if !self.apply_outcome(outcome) {
                return;
            }
        }
    }

    /// Starts an attempt. `None` when it is under way; otherwise its outcome.
    fn start_attempt(self: &Arc<Self>) -> Option<AttemptOutcome> {
        let found = self.target().object.reference().and_then(|reference| {
            reference.orb.check_running()?;
            Ok((reference, AttemptTarget::of(reference)?))
        });
        let (reference, attempt_target) = match found {
            Ok(found) => found,
            Err(exception) => return Some(AttemptOutcome::Ended(exception.into())),
        };
        let mut state = lock(&self.state);
        if state.cancelled {
            return None;
        }
        let left =
            state.invocation.as_ref().map_or(1, |it| it.addresses_left(attempt_target.route()));
        self.addresses.store(left, Ordering::Relaxed);
        state.attempt_target = Some(attempt_target.clone());
        // The call no longer waits on the connection of the attempt before.
        let left = state.link.take();
        drop(state);
        drop(left);
        if let Err(ended) = self.begin_flow(reference, &attempt_target) {
            return Some(AttemptOutcome::Ended(ended));
        }
        let orb = &reference.orb;
        let link = endpoint(orb, &attempt_target).shared_connection_for(
            orb,
            attempt_target.clone(),
            self.clone(),
        );
        let sent = match link {
            Ok(None) => return None,
            Ok(Some(link)) => self.send(&link),
            Err(exception) => Err(exception),
        };
        sent.err().map(|exception| self.after_failure(exception))
    }

    /// The call, as a connection completes it.
    fn pending(self: &Arc<Self>) -> Arc<dyn PendingReply> {
        self.clone()
    }

    /// Sends the request, or lets the call wait for room on the connection.
    pub(super) fn send(
        self: &Arc<Self>,
        link: &MultiplexedConnection,
    ) -> Result<(), SystemException> {
        match link.waits_for_room(&self.pending())? {
            true => Ok(()),
            false => self.send_now(link),
        }
    }

    pub(super) fn send_now(
        self: &Arc<Self>,
        link: &MultiplexedConnection,
    ) -> Result<(), SystemException> {
        let mut state = lock(&self.state);
        let Some(attempt_target) = state.attempt_target.clone().filter(|_| !state.cancelled) else {
            // The call was cancelled while the interceptors began; they must see its end.
            let flow = state.flow.take();
            drop(state);
            flow.into_iter().for_each(|flow| self.abandon_flow(*flow));
            return Ok(());
        };
        let contexts = state.flow.as_ref().map(|flow| flow.contexts().clone());
        let group = state.invocation.as_mut().map_or(Ok(Vec::new()), |invocation| {
            let object = &self.target().object;
            invocation.group_contexts(object, object.reference()?, attempt_target.route())
        })?;
        drop(state);
        self.target().deadline.check_sendable(link.peer())?;
        let object = attempt_target.target().object();
        let mut added = contexts.as_ref().map_or_else(SmallVec::new, Contexts::to_send);
        added.extend(self.target().context.as_ref().map(to_send));
        added.extend(group.iter().map(|(id, data)| ServiceContext { id: *id, data }));
        // What interceptors add may differ each time, and so does what a group gets.
        let stable = self.target().context.filter(|_| contexts.is_none() && group.is_empty());
        let stable = stable.map(StableContexts::of);
        let request = Outgoing {
            object,
            operation: self.operation.get(),
            response: ResponseFlags::Target,
            arguments: &|out| self.arguments.put(out, object.version, link.code_sets()),
            added: (!added.is_empty()).then_some(AddedContexts { contexts: &added, stable }),
        };
        link.send_for(self.pending(), request, Sending::NonBlocking)
    }

    /// The reply that is stored. No other thread sees it until it is dropped.
    pub(super) fn stored_reply(&self) -> StoredReply<'_> {
        let mut state = lock(&self.state);
        let message = std::mem::take(&mut state.reply);
        let code_sets = state.code_sets.unwrap_or(CodeSets::UNAGREED);
        StoredReply { call: self, message, code_sets }
    }

    /// Stores the memory of a reply again, for its next reader.
    pub(super) fn take_back(&self, message: OwnedMessage) {
        lock(&self.state).reply = message;
    }

    /// Decodes the body of the reply with `read`. The call must have ended.
    pub(super) fn decode<T>(
        &self,
        read: impl FnOnce(ReplyStatus, &mut Decoder<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let outcome = lock(&self.state).outcome.clone();
        outcome.unwrap_or_else(|| Err(no_reply()))?;
        let reply = self.stored_reply();
        let (header, mut body) = reply.open()?;
        read(header.status, &mut body).map_err(|error| {
            let exception = undecodable(header.status, &error);
            match reply.open() {
                Ok((_, body)) => {
                    self.at_fault(part(header.status)).explain_decoding(exception, body)
                }
                Err(_) => exception,
            }
        })
    }

    fn at_fault(&self, part: Part) -> CallAtFault<'_> {
        CallAtFault { signature: self.operation.signature(), ..self.operation.get().at_fault(part) }
    }

    /// Whether the call has ended. If not, `waker` is woken at its end.
    pub(super) fn poll(&self, waker: &Waker) -> bool {
        let mut state = lock(&self.state);
        if state.outcome.is_some() {
            return true;
        }
        match &state.listener {
            Listener::Task(known) if known.will_wake(waker) => {}
            _ => {
                let before = std::mem::replace(&mut state.listener, Listener::Task(waker.clone()));
                // The waker of another task may be the last that knows that task.
                drop(state);
                drop(before);
            }
        }
        false
    }

    /// Registers `callback` for the outcome. The thread that reads the reply runs it; if the call
    /// has already ended, a thread of the ORB.
    pub(super) fn then(self: &Arc<Self>, callback: Callback) {
        let mut state = lock(&self.state);
        if state.outcome.is_none() {
            state.listener = Listener::Callback(callback);
            return;
        }
        drop(state);
        self.call_back_late(callback);
    }

    /// Waits up to `limit` for the call to end. The thread reads replies itself if no other thread
    /// does.
    pub(super) fn wait(self: &Arc<Self>, limit: Option<Duration>) -> bool {
        if self.is_done() {
            return true;
        }
        let waiting = Wait::of(limit);
        let _blocking = BlockingScope::begin();
        loop {
            let mut state = lock(&self.state);
            if state.outcome.is_some() {
                return true;
            }
            if state.event.is_some() {
                // The thread that stored it may have deferred the rest.
                drop(state);
                self.resume_here();
                continue;
            }
            let Some(left) = waiting.left() else {
                state.listener = Listener::Nobody;
                return false;
            };
            state.listener = Listener::Thread(std::thread::current());
            let link = state.link.clone();
            drop(state);
            // The coarse clock may lag by some milliseconds, so the call expires shortly.
            let rest = match link {
                Some(_) => self.target().deadline.remaining(),
                None => self.target().deadline.send_time_left(),
            };
            let soon = match rest {
                None => TICK,
                Some(rest) => rest.map_or(PATIENCE, |rest| rest.min(PATIENCE)),
            };
            let left = left.map_or(soon, |left| left.min(soon)).max(TICK);
            // The thread that would expire the call may depend on this thread.
            let is_late = rest.is_none();
            match link {
                Some((link, id)) => {
                    if is_late {
                        link.expire();
                    }
                    link.read_or_wait(id, left);
                }
                None if is_late && self.withdraw() => self.clone().end_unsent(),
                None => std::thread::park_timeout(left),
            }
        }
    }

    /// Removes the call from the queue for a connection. Whether it was queued.
    fn withdraw(self: &Arc<Self>) -> bool {
        let attempt_target = lock(&self.state).attempt_target.clone();
        let (Some(attempt_target), Ok(reference)) =
            (attempt_target, self.target().object.reference())
        else {
            return false;
        };
        endpoint(&reference.orb, &attempt_target).withdraw(&**self)
    }

    /// Cancels the call: the outcome is no longer wanted.
    pub(super) fn cancel(&self) {
        let mut state = lock(&self.state);
        if state.outcome.is_some() {
            return;
        }
        state.cancelled = true;
        let listener = std::mem::take(&mut state.listener);
        let link = state.link.take();
        let (flow, room) = (state.flow.take(), std::mem::take(&mut state.room));
        drop(state);
        drop(listener);
        if let Some(room) = room.upgrade() {
            room.leave_room_queue(self);
        }
        if let Some((link, id)) = link
            && link.give_up(id)
        {
            link.note_cancelled(self.target().deadline.started);
        }
        if let Some(flow) = flow {
            self.abandon_flow(*flow);
        }
    }
}

/// The endpoint that makes connections for a call to `attempt_target`.
fn endpoint(orb: &Orb, attempt_target: &AttemptTarget) -> Arc<Endpoint> {
    let endpoint = &attempt_target.target().access.endpoint;
    match attempt_target.is_collocated() {
        true => orb.client().in_process_endpoint(orb, endpoint.code_sets),
        false => endpoint.clone(),
    }
}

/// The longest single wait of a thread in [`AsyncCall::wait`].
const PATIENCE: Duration = Duration::from_secs(1);
/// The shortest such wait.
const TICK: Duration = Duration::from_millis(1);
