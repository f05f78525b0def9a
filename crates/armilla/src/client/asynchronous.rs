//! A call for which no thread waits: where it is, and what is to be done next about it.
//!
//! Its arguments are encoded when it is made, and its request is made of them again when it goes
//! elsewhere. Whoever reads its reply [delivers](AsyncCall::deliver) it and lets it
//! [proceed](AsyncCall::proceed) once it does not read any more: to its end, or along its
//! [`Invocation`](super::invocation); see [`continuing`](super::continuing).

use super::arguments::Arguments;
use super::binding::AttemptTarget;
use super::continuing::AttemptOutcome;
use super::deadline::{Bound, Deadline, Wait};
use super::endpoint::Endpoint;
use super::interception::Suspended;
use super::invocation::Invocation;
use super::loss::{Lost, late};
use super::multiplexed::{MultiplexedConnection, Sending};
use super::operation::OwnedOperation;
use super::reference::Object;
use super::request::{Intercepted, Outgoing};
use crate::exception::{Completion, SystemException};
use crate::interception::{Contexts, Slots};
use crate::log::report;
use crate::runtime::Orb;
use crate::sync::lock;
use crate::threads::BlockingScope;
use armilla_cdr::{CdrError, CdrErrorKind, CdrResult, CodeSets, Decoder, Encoder};
use armilla_giop::{
    CompletionStatus, Message, OwnedMessage, ReplyHeader, ReplyStatus, ResponseFlags, decode_reply,
};
use armilla_ipc::Address;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Waker;
use std::thread::Thread;
use std::time::Duration;

/// A call under way.
pub(crate) struct AsyncCall {
    pub(super) object: Object,
    pub(super) operation: OwnedOperation,
    pub(super) arguments: Arguments,
    pub(super) deadline: Deadline,
    /// How many addresses it has left, the present one included.
    addresses: AtomicUsize,
    /// Those of the thread when the call began.
    pub(super) slots: Slots,
    pub(super) state: Mutex<State>,
}

#[derive(Default)]
pub(super) struct State {
    /// `None` while a thread decides how the call goes on.
    pub(super) invocation: Option<Invocation>,
    /// How often it was sent over a connection that turned out to be closed.
    pub(super) stale: u32,
    /// Where the call went last.
    pub(super) destination: Option<AttemptTarget>,
    /// What interceptors have of the attempt under way.
    pub(super) flow: Option<Box<Suspended>>,
    /// The connection on which it waits, and its number there. The calls on a connection keep it: who
    /// awaits them may be all that is left.
    link: Option<(Arc<MultiplexedConnection>, u32)>,
    event: Option<Event>,
    reply: OwnedMessage,
    code_sets: Option<CodeSets>,
    outcome: Option<Result<(), SystemException>>,
    listener: Listener,
    cancelled: bool,
}

/// What has come, and is not dealt with yet.
enum Event {
    Reply,
    Failure(SystemException),
}

/// Who hears of the outcome.
#[derive(Default)]
enum Listener {
    #[default]
    Nobody,
    Task(Waker),
    Thread(Thread),
    Callback(Callback),
}

type Callback = Box<dyn FnOnce(&AsyncCall) + Send>;

/// Lets calls go on whose replies have been read.
pub(super) fn proceed_all(calls: Vec<Arc<AsyncCall>>) {
    for call in calls {
        call.proceed();
    }
}

impl AsyncCall {
    /// Encodes the arguments of a call and sends it, where that can be done without waiting; otherwise
    /// another thread does.
    pub(super) fn begin<'p>(
        object: &Object,
        operation: OwnedOperation,
        arguments: &dyn Fn(&mut Encoder<'p>) -> CdrResult,
    ) -> Result<Arc<Self>, SystemException> {
        let reference = object.reference()?;
        let invocation = Invocation::begin(object, reference)?;
        let deadline = invocation.deadline;
        let interceptors = reference.orb.interceptors();
        let slots = interceptors.map(|known| known.slots_of_thread(&reference.orb));
        let bound = reference.route()?;
        let arguments = Arguments::encode(bound.preferred(), arguments)?;
        let call = Arc::new(Self {
            object: object.clone(),
            operation,
            arguments,
            deadline,
            addresses: AtomicUsize::new(1),
            slots: slots.unwrap_or_default(),
            state: Mutex::default(),
        });
        lock(&call.state).invocation = Some(invocation);
        call.launch();
        Ok(call)
    }

    /// When it expires, in nanoseconds of the coarse clock.
    pub(super) fn expires(&self) -> Option<u64> {
        Some(self.deadline.started.plus(self.deadline.limit?).as_nanos())
    }

    /// How long a connection may take for it, as [`Deadline::connecting`] has it.
    pub(super) fn connecting(&self, usual: Duration) -> Option<(Duration, Bound)> {
        self.deadline.among(self.addresses.load(Ordering::Relaxed)).connecting(usual)
    }

    pub(super) fn is_done(&self) -> bool {
        lock(&self.state).outcome.is_some()
    }

    /// Sends the call to where the object is now.
    pub(super) fn launch(self: &Arc<Self>) {
        while let Some(outcome_of) = self.start_attempt() {
            if !self.follows(outcome_of, Contexts::default()) {
                return;
            }
        }
    }

    /// Makes an attempt. `None` when it is under way; otherwise what it came to.
    fn start_attempt(self: &Arc<Self>) -> Option<Result<AttemptOutcome, SystemException>> {
        let found = self.object.reference().and_then(|reference| {
            reference.orb.check_running()?;
            Ok((reference, AttemptTarget::of(reference)?))
        });
        let (reference, destination) = match found {
            Ok(found) => found,
            Err(exception) => return Some(Err(exception)),
        };
        let mut state = lock(&self.state);
        if state.cancelled {
            return None;
        }
        let left = state.invocation.as_ref().map_or(1, |it| it.addresses_left(destination.route()));
        self.addresses.store(left, Ordering::Relaxed);
        state.destination = Some(destination.clone());
        // It is not awaited where it was sent before.
        let left = state.link.take();
        drop(state);
        drop(left);
        if let Err(outcome_of) = self.begin_flow(reference, &destination) {
            return Some(outcome_of);
        }
        let (orb, version) = (&reference.orb, destination.target().access.version);
        let link = endpoint(orb, &destination).shared_connection_for(orb, version, self);
        let sent = match link {
            Ok(None) => return None,
            Ok(Some(link)) => self.send(&link),
            Err(exception) => Err(exception),
        };
        sent.err().map(|exception| self.after_failure(exception))
    }

    /// Goes on over a connection that was made for it.
    pub(super) fn continue_over(
        self: &Arc<Self>,
        link: Result<Arc<MultiplexedConnection>, SystemException>,
    ) {
        if let Err(exception) = link.and_then(|link| self.send(&link))
            && self.follows(self.after_failure(exception), Contexts::default())
        {
            self.launch();
        }
    }

    fn send(self: &Arc<Self>, link: &MultiplexedConnection) -> Result<(), SystemException> {
        let mut state = lock(&self.state);
        let Some(destination) = state.destination.clone().filter(|_| !state.cancelled) else {
            // Interceptors that began while it was given up have not heard of that.
            let flow = state.flow.take();
            drop(state);
            flow.into_iter().for_each(|flow| self.abandon_flow(*flow));
            return Ok(());
        };
        let contexts = state.flow.as_ref().map(|flow| flow.contexts().clone());
        drop(state);
        if self.deadline.leaving().is_none() {
            let what = format!("the call could not be sent to {}", link.peer());
            return Err(self.deadline.unsent(&what));
        }
        let target = destination.target();
        let added = contexts.as_ref().map(Contexts::to_send);
        // What comes with the reply is looked at when it is read.
        let intercepted =
            added.as_deref().map(|contexts| Intercepted { contexts, take_reply: &|_| () });
        let request = Outgoing {
            target,
            operation: self.operation.get(),
            response: ResponseFlags::Target,
            arguments: &|out| self.arguments.put(out, target.access.version, link.code_sets()),
            intercepted: intercepted.as_ref(),
        };
        let sending = match MAY_BLOCK.get() {
            true => Sending::Now(&self.deadline),
            false => Sending::Never,
        };
        link.send_for(self, request, sending)
    }

    /// It is sent over `link` with this number.
    pub(super) fn is_at(&self, link: Option<Arc<MultiplexedConnection>>, id: u32) {
        let mut state = lock(&self.state);
        let before = std::mem::replace(&mut state.link, link.map(|link| (link, id)));
        if let Listener::Thread(thread) = &state.listener {
            // It can read there.
            thread.unpark();
        }
        drop(state);
        drop(before);
    }

    /// Its reply was read.
    pub(super) fn deliver(&self, reply: &Message<'_>, code_sets: CodeSets) {
        let mut state = lock(&self.state);
        state.reply.copy_from(reply);
        state.code_sets = Some(code_sets);
        state.event = Some(Event::Reply);
    }

    /// The connection ended before its reply.
    pub(super) fn lost(&self, lost: &Lost, executed: CompletionStatus) {
        let exception = lost.exception(executed, &self.deadline);
        lock(&self.state).event = Some(Event::Failure(exception));
    }

    /// Its time has passed.
    pub(super) fn late(&self, peer: &Address) {
        lock(&self.state).event = Some(Event::Failure(late(peer, &self.deadline)));
    }

    /// Deals with what has come: ends the call, or sends it elsewhere. Foreign code runs, so the
    /// caller holds no lock and does not read.
    pub(super) fn proceed(self: &Arc<Self>) {
        let event = lock(&self.state).event.take();
        let (outcome_of, contexts) = match event {
            None => return,
            Some(Event::Failure(exception)) => (self.after_failure(exception), Contexts::default()),
            Some(Event::Reply) => self.read_reply(),
        };
        if self.follows(outcome_of, contexts) {
            self.launch();
        }
    }

    /// Ends the call, which waited for a connection that it has no time for.
    #[cold]
    pub(super) fn end_unsent(self: &Arc<Self>) {
        let state = lock(&self.state);
        if state.outcome.is_some() || state.cancelled {
            return;
        }
        let destination = state.destination.clone();
        drop(state);
        let place = destination.map_or_else(String::new, |destination| {
            format!(" to {}", destination.target().access.endpoint.address)
        });
        let late = self.deadline.unsent(&format!("no connection{place} was made"));
        // An interceptor may still send it elsewhere, for what that helps.
        if self.follows(self.after_failure(late), Contexts::default()) {
            self.launch();
        }
    }

    pub(super) fn finish(&self, outcome: Result<(), SystemException>) {
        let mut state = lock(&self.state);
        if state.outcome.is_some() {
            return;
        }
        state.outcome = Some(outcome);
        let listener = std::mem::take(&mut state.listener);
        let link = state.link.take();
        drop(state);
        drop(link);
        let notified = catch_unwind(AssertUnwindSafe(|| match listener {
            Listener::Nobody => {}
            Listener::Task(waker) => waker.wake(),
            Listener::Thread(thread) => thread.unpark(),
            Listener::Callback(callback) => callback(self),
        }));
        if notified.is_err() {
            report!(error, "who heard of a reply panicked", operation = self.operation.get().name);
        }
    }

    /// Hands the reply to `read`.
    pub(super) fn decode<T>(
        &self,
        read: &mut dyn FnMut(&ReplyHeader<'_>, &mut Decoder<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let mut state = lock(&self.state);
        let reply = std::mem::take(&mut state.reply);
        let code_sets = state.code_sets.unwrap_or(CodeSets::UNAGREED);
        drop(state);
        let orb = &self.object.reference()?.orb;
        let message = reply.message().ok_or_else(super::reply::no_reply)?;
        let decoded = decode_reply(&message).and_then(|(header, body)| {
            read(&header, &mut body.with_code_sets(code_sets).with_context(orb))
        });
        lock(&self.state).reply = reply;
        decoded.map_err(|error| SystemException::decoding(&error, Completion::Yes))
    }

    /// Hands the outcome, which is there, to `read`.
    pub(super) fn take<T>(
        &self,
        read: impl FnOnce(ReplyStatus, &mut Decoder<'_>) -> CdrResult<T>,
    ) -> Result<T, SystemException> {
        let outcome = lock(&self.state).outcome.clone();
        outcome.unwrap_or_else(|| Err(super::reply::no_reply()))?;
        let mut read = Some(read);
        self.decode(&mut |header, body| match read.take() {
            Some(read) => read(header.status, body),
            None => Err(CdrError::new(CdrErrorKind::Invalid("a reply is read once"))),
        })
    }

    /// Whether it has ended; otherwise `waker` hears of it.
    pub(super) fn poll(&self, waker: &Waker) -> bool {
        let mut state = lock(&self.state);
        if state.outcome.is_some() {
            return true;
        }
        match &state.listener {
            Listener::Task(known) if known.will_wake(waker) => {}
            _ => state.listener = Listener::Task(waker.clone()),
        }
        false
    }

    /// Has `callback` called with the outcome: by whoever reads the reply, or at once if it is there.
    pub(super) fn then(&self, callback: Callback) {
        let mut state = lock(&self.state);
        if state.outcome.is_none() {
            state.listener = Listener::Callback(callback);
            return;
        }
        drop(state);
        callback(self);
    }

    /// Waits until it has ended, for at most `limit`. The thread reads meanwhile if nobody else does.
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
            let Some(left) = waiting.left() else {
                state.listener = Listener::Nobody;
                return false;
            };
            state.listener = Listener::Thread(std::thread::current());
            let link = state.link.clone();
            drop(state);
            // The clock of the calls may be some milliseconds behind; then it is over in a moment.
            let rest = match link {
                Some(_) => self.deadline.remaining(),
                None => self.deadline.leaving(),
            };
            let soon = match rest {
                None => TICK,
                Some(rest) => rest.map_or(PATIENCE, |rest| rest.min(PATIENCE)),
            };
            let left = left.map_or(soon, |left| left.min(soon)).max(TICK);
            // Who keeps the time else may wait for what this thread has to do first.
            let is_late = rest.is_none();
            match link {
                Some((link, id)) => {
                    if is_late {
                        link.expire();
                    }
                    link.help(id, left);
                }
                None if is_late && self.is_withdrawn() => self.end_unsent(),
                None => std::thread::park_timeout(left),
            }
        }
    }

    /// Takes it from those that wait for a connection. Whether it was among them.
    #[cold]
    fn is_withdrawn(self: &Arc<Self>) -> bool {
        let destination = lock(&self.state).destination.clone();
        let (Some(destination), Ok(reference)) = (destination, self.object.reference()) else {
            return false;
        };
        endpoint(&reference.orb, &destination).withdraw(self)
    }

    /// Nobody wants the outcome any more.
    pub(super) fn cancel(&self) {
        let mut state = lock(&self.state);
        if state.outcome.is_some() {
            return;
        }
        state.cancelled = true;
        state.listener = Listener::Nobody;
        let link = state.link.take();
        let flow = state.flow.take();
        drop(state);
        if let Some((link, id)) = link {
            link.give_up(id);
        }
        if let Some(flow) = flow {
            self.abandon_flow(*flow);
        }
    }
}

/// Where connections for a call come from that goes there.
fn endpoint(orb: &Orb, destination: &AttemptTarget) -> Arc<Endpoint> {
    let endpoint = &destination.target().access.endpoint;
    match destination.is_here() {
        true => orb.client().endpoint_here(orb, endpoint.code_sets),
        false => endpoint.clone(),
    }
}

/// How long a thread that waits for a call does so at a time.
const PATIENCE: Duration = Duration::from_secs(1);
/// The shortest such time.
const TICK: Duration = Duration::from_millis(1);

thread_local! {
    /// Whether the thread may wait for a server to take requests: the reactor's may not, because it
    /// is what sends and reads when nobody else does.
    pub(in crate::client) static MAY_BLOCK: Cell<bool> = const { Cell::new(true) };
}
