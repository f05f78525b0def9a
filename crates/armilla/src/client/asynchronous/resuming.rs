//! How an asynchronous call goes on once its reply or failure is stored, and on which thread. A
//! thread on which others depend leaves interceptors and callbacks to [another](crate::client::connection::Deferred).

use super::call::{AsyncCall, AttemptOutcome, Callback, Event, Listener};
use crate::client::connection::{Deferred, PANICKED, PendingReply, defer, defers};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::panics::catch;
use crate::sync::lock;
use std::sync::{Arc, Mutex};

impl AsyncCall {
    /// Stores a failure and resumes the call.
    pub(super) fn resume_with(self: &Arc<Self>, failure: SystemException) {
        self.store_failure(failure);
        self.clone().resume();
    }

    /// Has another thread resume the call. `false` if there is none.
    pub(super) fn defer(self: &Arc<Self>) -> bool {
        if let Listener::Thread(thread) = &lock(&self.state).listener {
            // It can resume the call itself.
            thread.unpark();
        }
        defer(self.clone()).is_none()
    }

    /// Whether code of the program may run when the call is resumed.
    pub(super) fn meets_foreign_code(&self) -> bool {
        let called_back = matches!(lock(&self.state).listener, Listener::Callback(_));
        let is_watched = || {
            self.target().object.reference().is_ok_and(|reference| {
                let orb = &reference.orb;
                orb.interceptors().is_some() || orb.client_extension().is_some()
            })
        };
        called_back || self.selection.is_some() || is_watched()
    }

    /// [Resumes](Self::resume) the call in this thread. A panic ends the call.
    pub(super) fn resume_here(self: &Arc<Self>) {
        let Some(event) = lock(&self.state).event.take() else { return };
        if catch(|| self.process(event)).is_none() {
            let operation = self.operation.get().name;
            report!(error, "code that sees a call panicked", operation = operation);
            let (kind, minor) = (ExceptionKind::Unknown, Minor::SERVANT_PANICKED);
            let panicked = SystemException::new(kind, minor, Completion::Maybe);
            self.finish(Err(panicked.with_reason(PANICKED)));
        }
    }

    fn process(self: &Arc<Self>, event: Event) {
        let outcome = match event {
            Event::Launch => return self.launch(),
            Event::Failure(exception) => self.after_failure(exception),
            Event::Reply => AttemptOutcome::Ended(self.read_reply()),
        };
        if self.apply_outcome(outcome) {
            self.launch();
        }
    }

    /// Starts the next attempt: the pause before it is over.
    pub(super) fn launch_again(self: &Arc<Self>) {
        lock(&self.state).event = Some(Event::Launch);
        self.clone().resume();
    }

    /// Ends the call, and tells the party that waits for it.
    pub(super) fn finish(self: &Arc<Self>, outcome: Result<(), SystemException>) {
        let mut state = lock(&self.state);
        if state.outcome.is_some() {
            return;
        }
        state.outcome = Some(outcome);
        let link = state.link.take();
        let called_back = matches!(state.listener, Listener::Callback(_));
        drop(state);
        drop(link);
        let deferred = called_back && defers() && self.defer();
        if !deferred {
            self.notify();
        }
    }

    /// Tells the party that waits for the call that it has ended. A panic there ends nothing else.
    fn notify(&self) {
        let mut state = lock(&self.state);
        if state.outcome.is_none() {
            return;
        }
        let listener = std::mem::take(&mut state.listener);
        drop(state);
        let notified = catch(|| match listener {
            Listener::Nobody => {}
            Listener::Task(waker) => waker.wake(),
            Listener::Thread(thread) => thread.unpark(),
            Listener::Callback(callback) => callback(self),
        });
        if notified.is_none() {
            let operation = self.operation.get().name;
            report!(error, "a callback for a reply panicked", operation = operation);
        }
    }
}

impl AsyncCall {
    /// Runs a callback that was registered after the call had ended. Not in the calling thread: it
    /// may hold a lock that the callback takes, and the callback may wait for what that thread does
    /// next. Whether a reply is early or late must make no difference.
    pub(super) fn call_back_late(self: &Arc<Self>, callback: Callback) {
        let late = Arc::new(LateCallback(self.clone(), Mutex::new(Some(callback))));
        let left = match self.target().object.reference() {
            Ok(reference) => reference.orb.client().reactor_threads().defer(late),
            Err(_) => Some(late as Arc<dyn Deferred>),
        };
        if let Some(late) = left {
            late.run();
        }
    }
}

impl Deferred for AsyncCall {
    fn run(self: Arc<Self>) {
        self.resume_here();
        self.notify();
    }
}

/// A callback that was registered after its call had ended.
struct LateCallback(Arc<AsyncCall>, Mutex<Option<Callback>>);

impl Deferred for LateCallback {
    fn run(self: Arc<Self>) {
        let callback = lock(&self.1).take();
        callback.into_iter().for_each(|callback| callback(&self.0));
    }
}
