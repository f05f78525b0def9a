//! Asynchronous calls that have failed and were certainly not executed: each is made once more
//! where its selector then leads. A selector may block when it is asked that, so one thread asks
//! for all calls of an ORB.

use super::call::AsyncCall;
use super::call_target::CallTarget;
use crate::client::invocation::{Invocation, Selected, Selection, StaleConnections};
use crate::client::request::no_reply;
use crate::exception::{Completion, SystemException};
use crate::log::report;
use crate::panics::catch;
use crate::runtime::{Orb, Part, PartSlot};
use crate::sync::lock;
use std::mem;
use std::sync::{Arc, Mutex};
use std::thread;

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
            for (call, failure) in &calls {
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
        let asks = self.selection.is_some()
            && failure.completed() == Completion::No
            && !mem::replace(&mut lock(&self.state).asked_again, true);
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

    fn start_again(self: &Arc<Self>) {
        let begun = catch(|| self.begin_again());
        match begun.unwrap_or_else(|| Err(no_reply())) {
            Ok(()) => self.launch(),
            Err(error) => self.finish(Err(error)),
        }
    }

    fn begin_again(&self) -> Result<(), SystemException> {
        let Some(selection) = &self.selection else { return Ok(()) };
        let Selected { object, context, .. } = selection.origin.selected_for(self.caller)?;
        let invocation = Invocation::begin(&object, object.reference()?)?;
        let deadline = invocation.deadline;
        let mut state = lock(&self.state);
        (state.invocation, state.attempt_target) = (Some(invocation), None);
        state.stale = StaleConnections::default();
        drop(state);
        self.go_to(CallTarget::new(object, context, deadline));
        Ok(())
    }
}
