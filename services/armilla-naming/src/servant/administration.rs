//! What the service offers to its operators: contexts that no name leads to, and watches of changes.
//!
//! A watch holds a subscription of the store. Its number cannot be guessed, the number of watches is
//! limited, and one that nobody asks for a minute is gone.

use super::Names;
use super::exceptions::{bad_param, destroyed, ended, internal, plain};
use super::references::{context_of, context_reference, from_octets};
use crate::access::Operation;
use crate::model::{Change, ContextId, NameTree, NamingError, Target, stringify_name};
use crate::store::Subscription;
use armilla::{Error, Object, Poa, SystemException};
use armilla_cos_naming::NamingContextRef;
use armilla_cos_naming::administration::watch::NextRaises;
use armilla_cos_naming::administration::{
    Administration, Change as Told, ChangeKind, Changes, Missed, Orphan, Orphans, Watch, WatchRef,
};
use armilla_ipc::random;
use std::collections::HashMap;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How many watches there may be; a further one replaces the one that was asked longest ago.
const MOST: usize = 64;

/// A watch that is not asked for so long is gone.
const IDLE: Duration = Duration::from_secs(60);

/// The longest that a question waits for changes.
const LONGEST: Duration = Duration::from_secs(20);

/// How many changes one answer has at most.
const BATCH: usize = 500;

/// The most orphans in one answer.
const ORPHANS: u32 = 1000;

/// A watch. Whoever asks holds it meanwhile.
struct Watched {
    context: ContextId,
    changes: Subscription,
}

struct Entry {
    watched: Arc<Mutex<Watched>>,
    asked: Instant,
}

/// The watches of a service.
#[derive(Default)]
pub(super) struct Watches {
    table: Mutex<HashMap<u64, Entry>>,
    /// Their POA, and that of the contexts; set when the service is assembled.
    poas: OnceLock<(Poa, Poa)>,
}

impl Watches {
    pub(super) fn set_poas(&self, watches: Poa, contexts: Poa) {
        self.poas.set((watches, contexts)).ok();
    }

    fn poas(&self) -> Result<&(Poa, Poa), SystemException> {
        self.poas.get().ok_or_else(ended)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Entry>> {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        table.retain(|_, entry| entry.asked.elapsed() < IDLE);
        table
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    fn add(&self, number: u64, watched: Watched) {
        let mut table = self.lock();
        if table.len() >= MOST
            && let Some(oldest) = table.iter().min_by_key(|(_, entry)| entry.asked)
        {
            let oldest = *oldest.0;
            table.remove(&oldest);
        }
        let watched = Arc::new(Mutex::new(watched));
        table.insert(number, Entry { watched, asked: Instant::now() });
    }

    fn ask(&self, number: u64) -> Option<Arc<Mutex<Watched>>> {
        let mut table = self.lock();
        let entry = table.get_mut(&number)?;
        // A question may wait.
        entry.asked = Instant::now() + LONGEST;
        Some(entry.watched.clone())
    }
}

impl Names {
    /// The names below a context by which a change is told: where the binding is that it changes.
    fn names_below(
        tree: &NameTree,
        context: ContextId,
        change: &Change,
    ) -> Vec<Vec<crate::model::NameComponent>> {
        let (at, step) = match change {
            Change::Bind { context, step, .. } | Change::Unbind { context, step } => {
                (*context, step)
            }
            _ => return Vec::new(),
        };
        let mut names = tree.names_from(context, at).unwrap_or_default();
        names.iter_mut().for_each(|name| name.push(step.component()));
        names
    }

    /// What is told of a change, for each name that it changes.
    fn told(&self, context: ContextId, change: &Change) -> Vec<Told> {
        let tree = self.store.read();
        let names = Self::names_below(&tree, context, change).into_iter();
        let readable =
            names.filter(|name| self.permit(&tree, Operation::Read, context, name).is_ok());
        let tell = |name: Vec<_>| {
            let (kind, is_context, target) = match change {
                Change::Bind { bound, .. } => {
                    (ChangeKind::NameBound, bound.target.is_context(), self.target(&bound.target))
                }
                _ => (ChangeKind::NameUnbound, false, Object::nil()),
            };
            Told { kind, name: stringify_name(&name), is_context, target }
        };
        readable.map(tell).collect()
    }

    /// The object that a target stands for; nil if there is none that can be told.
    fn target(&self, target: &Target) -> Object {
        let found = match target {
            Target::Object(octets) | Target::ForeignContext(octets) => {
                from_octets(&self.orb, octets)
            }
            Target::Group(group) => match group.members.last() {
                Some(member) => from_octets(&self.orb, &member.reference),
                None => return Object::nil(),
            },
            Target::Context(context) => self.reference_to(*context),
        };
        found.unwrap_or_else(|_| Object::nil())
    }

    /// The reference to a context.
    fn reference_to(&self, context: ContextId) -> Result<Object, SystemException> {
        context_reference(&self.watches.poas()?.1, context)
    }

    /// The context that a reference denotes, if it is one of this service.
    fn referred(&self, object: &Object) -> Result<Option<ContextId>, SystemException> {
        let id = self.watches.poas()?.1.reference_to_id(object).ok();
        Ok(id.and_then(|id| context_of(&id)))
    }

    /// Fails unless the client may administer the service: by its rules, or from this host.
    fn permit_administration(&self) -> Result<(), SystemException> {
        let client = self.client();
        let permitted = match self.rules.current().restrict() {
            true => self.rules.current().allow_whole(&client, &[]),
            false => client.is_on_this_host(),
        };
        match permitted {
            true => Ok(()),
            false => Err(plain(self.failure(NamingError::Denied, &[]))),
        }
    }
}

/// The servant of the administration, and that of all watches. They do not keep the service alive.
pub(super) struct Operators(pub(super) Weak<Names>);

impl Operators {
    fn names(&self) -> Result<Arc<Names>, SystemException> {
        self.0.upgrade().ok_or_else(ended)
    }
}

impl Administration for Operators {
    fn list_orphans(&self, from: u32, how_many: u32) -> Result<Orphans, SystemException> {
        let names = self.names()?;
        names.permit_administration()?;
        let orphans = names.orphans(0);
        let (from, how_many) = (from as usize, how_many.min(ORPHANS) as usize);
        let now = super::now();
        let tell = |id: ContextId| {
            let (bindings, created) = {
                let tree = names.store.read();
                (tree.bindings_of(id), tree.created(id).unwrap_or(now))
            };
            Ok(Orphan {
                cxt: names.reference_to(id)?.assume(),
                bindings: u32::try_from(bindings).unwrap_or(u32::MAX),
                age: now.saturating_sub(created),
            })
        };
        orphans.into_iter().skip(from).take(how_many).map(tell).collect()
    }

    fn collect(&self, least_age: u32) -> Result<(u32, u32), SystemException> {
        let names = self.names()?;
        names.permit_administration()?;
        let gone = names.collect(least_age);
        let (contexts, bindings) = gone.map_err(|error| plain(names.change_failure(error, &[])))?;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Ok((count(contexts), count(bindings)))
    }

    fn begin_watch(&self, cxt: &NamingContextRef) -> Result<WatchRef, SystemException> {
        let names = self.names()?;
        let foreign = || bad_param("a watch is for a context of this service");
        let context = names.referred(cxt.object())?.ok_or_else(foreign)?;
        {
            let tree = names.store.read();
            let permitted = names.permit(&tree, Operation::Read, context, &[]);
            permitted.map_err(|error| plain(names.failure(error, &[])))?;
        }
        let number = random::number().map_err(|error| internal(&error.to_string()))?.get();
        names.watches.add(number, Watched { context, changes: names.store.subscribe() });
        let (poa, _) = names.watches.poas()?;
        Ok(poa.create_reference_with_id(number.to_string().as_str())?)
    }
}

#[cold]
fn gone() -> SystemException {
    destroyed(&"the watch was destroyed, or was not asked for a minute")
}

impl Operators {
    fn number(names: &Names) -> Result<u64, SystemException> {
        let current = names.orb.poa_current()?;
        let id = std::str::from_utf8(current.object_id().as_bytes()).ok();
        id.and_then(|id| id.parse().ok()).ok_or_else(gone)
    }
}

impl Watch for Operators {
    fn next(&self, milliseconds: u32) -> Result<Changes, Error<NextRaises>> {
        let names = self.names()?;
        let number = Self::number(&names)?;
        let watched = names.watches.ask(number).ok_or_else(gone)?;
        let mut watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
        let until = Instant::now() + LONGEST.min(Duration::from_millis(milliseconds.into()));
        let mut told = Vec::new();
        while told.len() < BATCH {
            let wait = match told.is_empty() {
                true => until.saturating_duration_since(Instant::now()),
                false => Duration::ZERO,
            };
            match watched.changes.recv_timeout(wait) {
                Ok(change) => told.extend(names.told(watched.context, &change)),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) if told.is_empty() => {
                    watched.changes = names.store.subscribe();
                    return Err(Missed.into());
                }
                // The next question says that there were more.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Ok(told)
    }

    fn destroy(&self) -> Result<(), SystemException> {
        let names = self.names()?;
        let number = Self::number(&names)?;
        names.watches.lock().remove(&number).map(drop).ok_or_else(gone)
    }
}
