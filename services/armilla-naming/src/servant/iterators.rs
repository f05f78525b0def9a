//! Binding iterators. One holds a context and the last step that it gave, so it needs no copy of
//! the bindings. Their number is limited, and a client that leaves them open loses the oldest. Who
//! was not given an iterator cannot guess its number, and the rules are asked at each use.

use super::Names;
use super::exceptions::{bad_param, destroyed, ended, internal, plain};
use crate::access::Operation;
use crate::model::{ContextId, Listed, Step};
use armilla::{Current, Orb, Poa, ServantBase, SystemException};
use armilla_cos_naming::*;
use armilla_ipc::random;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

/// The limits of binding iterators.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IteratorLimits {
    /// How many one client, by its host, may have open. A further one replaces the one of this
    /// client that was used least recently. Default: 100.
    pub per_client: usize,
    /// How many may be open in all. A further one replaces the least recently used one. Default:
    /// 10,000.
    pub open: usize,
    /// An iterator that is not used for so long is destroyed. Default: ten minutes.
    pub idle: Duration,
    /// The most bindings in one reply. Clients that ask for more get the rest from the iterator.
    /// Default: 10,000.
    pub batch: usize,
}

impl Default for IteratorLimits {
    fn default() -> Self {
        Self { per_client: 100, open: 10_000, idle: Duration::from_secs(600), batch: 10_000 }
    }
}

/// An open iterator.
struct Open {
    context: ContextId,
    /// The last step that it gave.
    after: Option<Step>,
    client: String,
    used: Instant,
}

#[derive(Default)]
struct Table {
    open: HashMap<u64, Open>,
}

/// The iterators of a service.
pub(super) struct Iterators {
    table: Mutex<Table>,
    limits: IteratorLimits,
    /// Their POA; set when the service is assembled.
    poa: OnceLock<Poa>,
}

impl Iterators {
    pub(super) fn new(limits: IteratorLimits) -> Self {
        Self { table: Mutex::default(), limits, poa: OnceLock::new() }
    }

    pub(super) fn set_poa(&self, poa: Poa) {
        self.poa.set(poa).ok();
    }

    /// How many iterators are open.
    pub(super) fn open_count(&self) -> usize {
        self.lock().open.len()
    }

    /// How many bindings a reply has, of those that the client asks for.
    pub(super) fn at_most(&self, how_many: u32) -> usize {
        usize::try_from(how_many).unwrap_or(usize::MAX).min(self.limits.batch)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Opens an iterator over the bindings of a context behind a step.
    pub(super) fn open(
        &self,
        names: &Names,
        context: ContextId,
        after: Option<Step>,
    ) -> Result<BindingIteratorRef, SystemException> {
        let client = client(&names.orb);
        let number = random::number().map_err(|error| internal(&error.to_string()))?.get();
        {
            let mut table = self.lock();
            table.make_room(&self.limits, &client);
            table.open.insert(number, Open { context, after, client, used: Instant::now() });
        }
        let poa = self.poa.get().ok_or_else(ended)?;
        Ok(poa.create_reference_with_id(number.to_string().as_str())?)
    }

    /// Destroys the iterators that are idle.
    pub(super) fn sweep(&self) {
        self.lock().sweep(self.limits.idle);
    }
}

impl Table {
    fn sweep(&mut self, idle: Duration) {
        let now = Instant::now();
        self.open.retain(|_, open| now.duration_since(open.used) < idle);
    }

    /// Makes room for one more iterator of a client.
    fn make_room(&mut self, limits: &IteratorLimits, client: &str) {
        self.sweep(limits.idle);
        let of_client = |open: &&Open| open.client == client;
        if self.open.values().filter(of_client).count() >= limits.per_client {
            self.drop_oldest(|open| open.client == client);
        }
        if self.open.len() >= limits.open {
            self.drop_oldest(|_| true);
        }
    }

    fn drop_oldest(&mut self, among: impl Fn(&Open) -> bool) {
        let candidates = self.open.iter().filter(|(_, open)| among(open));
        let oldest = candidates.min_by_key(|(_, open)| open.used).map(|(number, _)| *number);
        oldest.and_then(|number| self.open.remove(&number));
    }
}

/// The host of the client of the current request, as limits count it; empty for this process.
pub(super) fn client(orb: &Orb) -> String {
    match orb.caller() {
        Ok(Some(address)) => address.site().unwrap_or_else(|| address.to_string()),
        Ok(None) | Err(_) => String::new(),
    }
}

/// An entry of a listing.
pub(super) fn binding((step, is_context): (Step, bool)) -> Binding {
    let component = step.component();
    Binding {
        binding_name: vec![NameComponent { id: component.id, kind: component.kind }],
        binding_type: if is_context { BindingType::Ncontext } else { BindingType::Nobject },
    }
}

/// The servant of all iterators. It does not keep the service alive.
pub(super) struct IteratorServant(pub(super) Weak<Names>);

impl IteratorServant {
    fn names(&self) -> Result<Arc<Names>, SystemException> {
        self.0.upgrade().ok_or_else(ended)
    }

    fn number(names: &Names) -> Result<u64, SystemException> {
        number(&names.orb.poa_current()?)
    }

    /// The next bindings.
    fn next(&self, how_many: usize) -> Result<Listed, SystemException> {
        let names = self.names()?;
        let number = Self::number(&names)?;
        let mut table = names.iterators.lock();
        table.sweep(names.iterators.limits.idle);
        let open = table.open.get_mut(&number).ok_or_else(gone)?;
        let tree = names.store.read();
        let permitted = names.permit(&tree, Operation::Read, open.context, &[]);
        permitted.map_err(|error| plain(names.failure(error, &[])))?;
        open.used = Instant::now();
        // In a context that was destroyed there is nothing left.
        let listed = tree.list(open.context, open.after.as_ref(), how_many).unwrap_or_default();
        if let Some((step, _)) = listed.bindings.last() {
            open.after = Some(step.clone());
        }
        Ok(listed)
    }
}

fn number(current: &Current) -> Result<u64, SystemException> {
    let id = std::str::from_utf8(current.object_id().as_bytes()).ok();
    id.and_then(|id| id.parse().ok()).ok_or_else(gone)
}

#[cold]
fn gone() -> SystemException {
    destroyed(&"the iterator was destroyed, or was idle for too long")
}

impl BindingIterator for IteratorServant {
    fn next_one(&self) -> Result<(bool, Binding), SystemException> {
        let first = self.next(1)?.bindings.pop();
        Ok((first.is_some(), first.map(binding).unwrap_or_default()))
    }

    fn next_n(&self, how_many: u32) -> Result<(bool, BindingList), SystemException> {
        if how_many == 0 {
            return Err(bad_param("next_n gives at least one binding"));
        }
        let how_many = self.names()?.iterators.at_most(how_many);
        let bindings: Vec<_> = self.next(how_many)?.bindings.into_iter().map(binding).collect();
        Ok((!bindings.is_empty(), bindings))
    }

    fn destroy(&self) -> Result<(), SystemException> {
        let names = self.names()?;
        let number = Self::number(&names)?;
        names.iterators.lock().open.remove(&number).map(drop).ok_or_else(gone)
    }

    fn servant_base(&self) -> Option<&dyn ServantBase> {
        Some(self)
    }
}

impl ServantBase for IteratorServant {
    fn non_existent(&self, current: &Current) -> Result<bool, SystemException> {
        let names = self.names()?;
        let number = number(current).ok();
        Ok(!number.is_some_and(|number| names.iterators.lock().open.contains_key(&number)))
    }
}
