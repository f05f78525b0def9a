//! Names that lead into contexts of other servers: those do the operation with the rest of the
//! name. No lock is held meanwhile.
//!
//! A reference may lead back here: by an address or a published name of this service the operation
//! goes on in the tree, without a call. What comes back by ways that this service does not know (an
//! alias of its host, a circle of several services) holds a thread for each time that it is passed
//! on, so their number is limited. Beyond the limit the client gets `CannotProceed`, and may go on
//! at the other context itself.

use super::Names;
use super::exceptions::Failure;
use super::references::from_octets;
use crate::model::{ContextId, ReferenceOctets};
use armilla::{Completion, Error, SystemException};
use armilla_cos_naming::naming_context::CannotProceed;
use armilla_cos_naming::{NameComponent, NamingContextRef};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The limits of operations that contexts of other servers do.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ForeignLimits {
    /// The time limit of one. Default: 10 s.
    pub timeout: Duration,
    /// How many of one client, by its host, are under way. Default: 16.
    pub per_client: usize,
    /// How many are under way in all. Default: 64.
    pub in_progress: usize,
}

impl Default for ForeignLimits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(10), per_client: 16, in_progress: 64 }
    }
}

/// The operations that contexts of other servers are doing.
#[derive(Default)]
pub(super) struct Foreign {
    limits: ForeignLimits,
    /// How many are under way, by the host of the client.
    under_way: Mutex<HashMap<String, usize>>,
}

impl Foreign {
    pub(super) fn new(limits: ForeignLimits) -> Self {
        Self { limits, under_way: Mutex::default() }
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among the operations under way. It is free when this is dropped.
struct Permit {
    names: Arc<Names>,
    client: String,
}

impl Permit {
    /// A place for an operation of a client; `None` if a limit is reached.
    fn take(names: &Arc<Names>, client: String) -> Option<Self> {
        let limits = &names.foreign.limits;
        let mut under_way = names.foreign.under_way();
        let own = under_way.get(&client).copied().unwrap_or_default();
        if own >= limits.per_client || under_way.values().sum::<usize>() >= limits.in_progress {
            return None;
        }
        under_way.insert(client.clone(), own + 1);
        drop(under_way);
        Some(Self { names: names.clone(), client })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut under_way = self.names.foreign.under_way();
        match under_way.get_mut(&self.client) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(under_way.remove(&self.client)),
        }
    }
}

/// A context behind a foreign binding, and the rest of the name that is left for it.
pub(super) struct Next<'n> {
    pub(super) context: NamingContextRef,
    /// The context, if it is one of this service after all.
    pub(super) own: Option<ContextId>,
    pub(super) rest: &'n [NameComponent],
}

impl Names {
    /// The next context for the last `rest` components of a name.
    pub(super) fn next<'n>(
        &self,
        context: &ReferenceOctets,
        name: &'n [NameComponent],
        rest: usize,
    ) -> Result<Next<'n>, SystemException> {
        let context: NamingContextRef = from_octets(&self.orb, context)?.assume();
        let own = self.own_context(context.object())?;
        Ok(Next { context, own, rest: &name[name.len().saturating_sub(rest)..] })
    }
}

impl Next<'_> {
    /// Lets the next context do the operation. If that has certainly not begun, the client gets
    /// `CannotProceed`, and may go on at that context.
    pub(super) fn go_on<T, E: From<CannotProceed>>(
        self,
        names: &Arc<Names>,
        operation: impl FnOnce(&NamingContextRef, &[NameComponent]) -> Result<T, Error<E>>,
    ) -> Result<T, Error<E>> {
        let cannot_proceed = |cxt, rest: &[NameComponent]| {
            Error::User(CannotProceed { cxt, rest_of_name: rest.to_vec() }.into())
        };
        let Some(_permit) = Permit::take(names, super::iterators::client(&names.orb)) else {
            return Err(cannot_proceed(self.context, self.rest));
        };
        let context = self.context.with_timeout(names.foreign.limits.timeout);
        operation(&context, self.rest).map_err(|error| match error {
            Error::System(exception) if exception.completed() == Completion::No => {
                cannot_proceed(self.context, self.rest)
            }
            error => error,
        })
    }
}

/// What an operation did: something here, or it is the turn of another context.
pub(super) enum Step<'n, T> {
    Done(T),
    Next(Next<'n>),
}

impl<'n, T> Step<'n, T> {
    /// The same with another result of what was done here.
    pub(super) fn map<U>(self, other: impl FnOnce(T) -> U) -> Step<'n, U> {
        match self {
            Self::Done(done) => Step::Done(other(done)),
            Self::Next(next) => Step::Next(next),
        }
    }
}

/// The result of the local part of an operation.
pub(super) type Local<'n, T> = Result<Step<'n, T>, Failure>;
