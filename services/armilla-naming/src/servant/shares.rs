//! How many names each client has bound, where that is limited (`bindings`, `user-bindings`).
//!
//! Whose a name is, is known as long as the process runs: what was bound before it is nobody's. A name
//! that goes by a client's call is given back at once; one that goes otherwise, by a rule or by another
//! instance, when somebody's share does not suffice.

use super::Names;
use crate::access::Client;
use crate::model::{Change, ContextId, Decision, NameTree, NamingError, Step};
use crate::store::ChangeError;
use armilla_security::{Held, Limits, Resource, ServerSecurity, UsedUp};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often names are looked for that are not bound any more.
const LOOK: Duration = Duration::from_secs(1);

/// The names that are somebody's.
#[derive(Default)]
pub(super) struct Shares(Mutex<Places>);

#[derive(Default)]
struct Places {
    held: HashMap<ContextId, HashMap<Step, Held>>,
    /// When names were looked for that are not bound any more.
    looked: Option<Instant>,
}

impl Places {
    fn find(&self, context: ContextId, step: &Step) -> Option<&Held> {
        self.held.get(&context)?.get(step)
    }

    fn remove(&mut self, context: ContextId, step: &Step) -> Option<Held> {
        let of_context = self.held.get_mut(&context)?;
        let held = of_context.remove(step);
        if of_context.is_empty() {
            self.held.remove(&context);
        }
        held
    }

    /// Gives back what is not bound any more, if that was not done just now.
    fn look(&mut self, tree: &NameTree) {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK) {
            return;
        }
        self.looked = Some(Instant::now());
        self.held.retain(|context, steps| {
            steps.retain(|step, _| tree.is_bound(*context, step));
            !steps.is_empty()
        });
    }
}

/// What a decision needs of a client's share.
struct Asked<'a> {
    limits: &'a Limits,
    client: &'a Client,
    shares: &'a Shares,
    taken: RefCell<Vec<Held>>,
}

impl Names {
    /// Makes the changes of a client, if its share suffices: `make` has the store decide and make them.
    pub(super) fn change_of(
        &self,
        client: impl FnOnce() -> Client,
        decide: impl Fn(&NameTree) -> Result<Decision, NamingError>,
        make: impl FnOnce(
            &dyn Fn(&NameTree) -> Result<Decision, NamingError>,
        ) -> Result<Decision, ChangeError>,
    ) -> Result<Decision, ChangeError> {
        let limits = self.security.as_ref().and_then(ServerSecurity::limits);
        let Some(limits) = limits.filter(|limits| limits.restrict(Resource::Bindings)) else {
            return make(&decide);
        };
        let client = &client();
        let asked = Asked { limits, client, shares: &self.shares, taken: RefCell::default() };
        // A later tree may need another share.
        let decision = make(&|tree| {
            let decision = decide(tree)?;
            asked.taken.replace(asked.take(&decision, tree)?);
            Ok(decision)
        })?;
        if let Decision::Here { changes, .. } = &decision {
            asked.note(changes);
        }
        Ok(decision)
    }
}

impl Asked<'_> {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.shares.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_own(&self, held: &Held) -> bool {
        held.is_of(self.client.caller())
    }

    /// What the decision takes of the share: one for each name that is not the client's already, and
    /// that takes the place of none which it unbinds.
    fn take(&self, decision: &Decision, tree: &NameTree) -> Result<Vec<Held>, NamingError> {
        let Decision::Here { changes, .. } = decision else { return Ok(Vec::new()) };
        let mut places = self.places();
        let is_own = |context, step| places.find(context, step).is_some_and(|it| self.is_own(it));
        let needed = changes.iter().filter(|change| match change {
            Change::Bind { context, step, .. } => !is_own(*context, step),
            _ => false,
        });
        let freed = changes.iter().filter(|change| match change {
            Change::Unbind { context, step } => is_own(*context, step),
            _ => false,
        });
        let count = needed.count().saturating_sub(freed.count());
        let (limits, caller) = (self.limits, self.client.caller());
        let tried = (0..count).map(|_| limits.try_hold(Resource::Bindings, caller, 1));
        let held = tried.collect::<Result<Vec<_>, _>>().or_else(|_| {
            places.look(tree);
            (0..count).map(|_| limits.hold(Resource::Bindings, caller, 1)).collect()
        });
        let held = held.map_err(|used_up: UsedUp| NamingError::Share(used_up.to_string()))?;
        Ok(held.into_iter().flatten().collect())
    }

    /// Notes whose the names are that were bound, and gives back those that were unbound.
    fn note(&self, changes: &[Change]) {
        let mut free = self.taken.take();
        let mut places = self.places();
        for change in changes {
            match change {
                Change::Unbind { context, step } => {
                    free.extend(places.remove(*context, step).filter(|it| self.is_own(it)));
                }
                Change::Destroy { context } => drop(places.held.remove(context)),
                _ => {}
            }
        }
        for change in changes {
            let Change::Bind { context, step, .. } = change else { continue };
            if places.find(*context, step).is_some_and(|held| self.is_own(held)) {
                continue;
            }
            match free.pop() {
                Some(held) => {
                    places.held.entry(*context).or_default().insert(step.clone(), held);
                }
                None => drop(places.remove(*context, step)),
            }
        }
    }
}
