//! Asynchronous calls that have failed and were certainly not executed: each is made once more
//! where its selector then leads, in the time that is left. A selector may block when it is asked
//! that, so one thread asks for all calls of an ORB. A call that expires meanwhile ends at once.

use super::call::AsyncCall;
use super::call_target::CallTarget;
use crate::client::connection::PendingReply;
use crate::client::invocation::{Invocation, Selected, Selection, StaleConnections};
use crate::client::request::no_reply;
use crate::exception::{Completion, SystemException};
use crate::log::report;
use crate::panics::catch;
use crate::runtime::{Orb, Part, PartSlot};
use crate::sync::lock;
use armilla_ipc::reactor::{Reactor, Timer};
use std::mem;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// The interval at which a call that is about to expire is checked again.
const TICK: Duration = Duration::from_millis(1);

/// The calls of an ORB whose selectors are to be asked again.
#[derive(Default)]
pub(in crate::client) struct Reselections(Mutex<Queue>);

impl Part for Reselections {
    const SLOT: PartSlot = PartSlot::Reselections;
}

#[derive(Default)]
struct Queue {
    calls: Vec<(Arc<AsyncCall>, SystemException)>,
    /// Whether a thread asks.
    asking: bool,
}

/// What selectors have answered that found nothing else.
type Refusals<'c> = Vec<&'c Selection>;

impl Reselections {
    /// Has another thread ask for a call that has failed.
    fn add(&self, orb: &Orb, call: &Arc<AsyncCall>, failure: SystemException) {
        call.expire_at_selector(orb);
        let mut queue = lock(&self.0);
        queue.calls.push((call.clone(), failure));
        if mem::replace(&mut queue.asking, true) {
            return;
        }
        drop(queue);
        let (asked, defers) = (orb.clone(), orb.client().reactor_threads().to_defer());
        let ask = move || {
            defers.begin();
            asked.part::<Reselections>().ask(AsyncCall::is_found_again);
        };
        if let Err(error) = thread::Builder::new().name("armilla-select".into()).spawn(ask) {
            report!(error, "no thread to find an object again", error = error);
            self.ask(|_, _, _| false);
        }
    }

    /// Asks until no call waits. Those for which nothing is found end as they have failed.
    fn ask(&self, is_found: impl Fn(&AsyncCall, &SystemException, &Refusals<'_>) -> bool) {
        loop {
            let mut queue = lock(&self.0);
            let calls = mem::take(&mut queue.calls);
            if calls.is_empty() {
                queue.asking = false;
                return;
            }
            drop(queue);
            let mut refusals = Refusals::new();
            for (call, failure) in calls.iter().filter(|(call, _)| !call.is_done()) {
                if is_found(call, failure, &refusals) {
                    call.start_again();
                } else {
                    refusals.extend(&call.selection);
                    call.finish(Err(failure.clone()));
                }
            }
        }
    }
}

impl AsyncCall {
    /// Where the call goes now.
    pub(super) fn target(&self) -> &CallTarget {
        let mut target = &self.first;
        while let Some(next) = target.next.get() {
            target = next;
        }
        target
    }

    /// Directs this call to another object.
    pub(super) fn go_to(&self, target: CallTarget) {
        self.target().next.get_or_init(|| Box::new(target));
    }

    /// Ends the call with a failure, or lets another thread ask its selector, once.
    pub(super) fn fail(self: &Arc<Self>, failure: SystemException) {
        let asks = self.selection.is_some() && failure.completed() == Completion::No && {
            let mut state = lock(&self.state);
            let in_time = state.invocation.as_ref().is_some_and(Invocation::has_time);
            state.awaits_selector = in_time && !mem::replace(&mut state.asked_again, true);
            state.awaits_selector
        };
        match self.first.object.reference() {
            Ok(reference) if asks => {
                let orb = &reference.orb;
                orb.part::<Reselections>().add(orb, self, failure);
            }
            _ => self.finish(Err(failure)),
        }
    }

    /// Whether the selector has found another object. What it has refused just now is not asked
    /// again: many calls fail together.
    fn is_found_again(&self, failure: &SystemException, refusals: &Refusals<'_>) -> bool {
        let Some(selection) = &self.selection else { return false };
        let is_refused = || {
            refusals.iter().any(|known| {
                Arc::ptr_eq(&known.selector, &selection.selector)
                    && known.chosen == selection.chosen
            })
        };
        // The selector is the program's.
        catch(|| selection.finds_again(failure, is_refused)).unwrap_or(false)
    }

    /// Ends the call if it expires before its selector has answered.
    fn expire_at_selector(self: &Arc<Self>, orb: &Orb) {
        let Some(Some(left)) = self.target().deadline.send_time_left() else { return };
        let Some(reactor) = orb.client().reactor_threads().reactor() else { return };
        let call = Arc::downgrade(self);
        let expire = move |_: &Reactor, _: Timer| {
            let call = call.upgrade()?;
            let deadline = call.target().deadline;
            if deadline.send_time_left().is_some() {
                // The coarse clock may lag some milliseconds behind that of the timer.
                return lock(&call.state).awaits_selector.then_some(TICK);
            }
            if call.leave_selector() {
                call.finish(Err(deadline.unsent("no other object was found for the call")));
            }
            None
        };
        reactor.arm(left, Arc::new(expire));
    }

    /// Notes that the call waits for its selector no more. `false` if it has expired.
    fn leave_selector(&self) -> bool {
        mem::take(&mut lock(&self.state).awaits_selector)
    }

    fn start_again(self: &Arc<Self>) {
        if !self.leave_selector() {
            return;
        }
        let begun = catch(|| self.begin_again());
        match begun.unwrap_or_else(|| Err(no_reply())) {
            Ok(()) => self.launch(),
            Err(error) => self.finish(Err(error)),
        }
    }

    fn begin_again(&self) -> Result<(), SystemException> {
        let Some(selection) = &self.selection else { return Ok(()) };
        let Selected { object, context, .. } = selection.origin.selected_for(self.caller)?;
        let reference = object.reference()?;
        let mut state = lock(&self.state);
        let invocation = state.invocation.as_mut().ok_or_else(no_reply)?;
        invocation.redirect(reference);
        let deadline = invocation.deadline;
        state.attempt_target = None;
        state.stale = StaleConnections::default();
        drop(state);
        self.go_to(CallTarget::new(object, context, deadline));
        Ok(())
    }
}
