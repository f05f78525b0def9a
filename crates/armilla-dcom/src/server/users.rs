//! What each user takes of a server, and how much that may be.

use super::exports::Exports;
use crate::clock::Clock;
use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use armilla_dcerpc::Status;
use armilla_dcerpc::security::Principal;
use armilla_dcerpc::security::ntlm::name_and_domain;
use core::time::Duration;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much one user may take at once: half of what the server has by default, so that there is something
/// left for the others. [`ExporterLimits`](crate::ExporterLimits) has the quotas of objects and ping sets.
#[derive(Debug, Clone, Copy)]
pub struct UserQuotas {
    /// How many calls of a user are executed at once.
    pub calls: usize,
    /// How many objects a user may activate in a minute.
    pub activations: u32,
}

impl Default for UserQuotas {
    fn default() -> Self {
        Self { calls: 128, activations: 20_000 }
    }
}

/// What a user takes of a server now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserUse {
    /// The user, in lower case, in whichever domain.
    pub user: String,
    /// Calls that are executed.
    pub calls: usize,
    /// Activations in this minute.
    pub activations: u32,
    /// Objects that were exported for the user's calls.
    pub objects: usize,
    /// Ping sets.
    pub ping_sets: usize,
    /// How many calls and activations were refused, because they were too many.
    pub refused: u64,
}

/// For how long activations are counted together.
const MINUTE: Duration = Duration::from_secs(60);

/// How many users are remembered who take nothing now.
const MOST_USERS: usize = 1_024;

/// How many refusals pass between two lines in the log.
const TOLD: u64 = 1_000;

#[derive(Debug, Clone, Default)]
struct Taken {
    calls: usize,
    begun: Duration,
    activations: u32,
    refused: u64,
}

/// The users of a server.
#[derive(Debug)]
pub(super) struct Users {
    quotas: UserQuotas,
    clock: Clock,
    taken: Mutex<BTreeMap<Arc<str>, Taken>>,
}

/// The user of a client. The domain is what the client says, and would make many of one.
pub(super) fn user_of(principal: &Principal) -> Arc<str> {
    name_and_domain(&principal.user, &principal.domain).0.to_lowercase().into()
}

/// A call of a user; it ends when this is dropped.
pub(super) struct Running<'a>(&'a Users, Arc<str>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(taken) = self.0.taken().get_mut(&self.1) {
            taken.calls -= 1;
        }
    }
}

impl Users {
    pub(super) fn new(quotas: UserQuotas, clock: Clock) -> Self {
        Self { quotas, clock, taken: Mutex::default() }
    }

    fn taken(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Taken>> {
        // Each change is one.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call of a user begins.
    pub(super) fn enter(&self, user: &Arc<str>) -> Result<Running<'_>, Status> {
        let mut all = self.taken();
        if all.len() >= MOST_USERS && !all.contains_key(user) {
            all.retain(|_, taken| taken.calls > 0);
        }
        let taken = all.entry(user.clone()).or_default();
        if taken.calls >= self.quotas.calls {
            return Err(taken.refuse(user, "calls at once"));
        }
        taken.calls += 1;
        Ok(Running(self, user.clone()))
    }

    /// A user activates something.
    pub(super) fn activate(&self, user: &Arc<str>) -> Result<(), Status> {
        let now = self.clock.now();
        let mut all = self.taken();
        let taken = all.entry(user.clone()).or_default();
        if now >= taken.begun + MINUTE {
            (taken.begun, taken.activations) = (now, 0);
        }
        if taken.activations >= self.quotas.activations {
            return Err(taken.refuse(user, "activations in a minute"));
        }
        taken.activations += 1;
        Ok(())
    }
}

/// What users take of a server. Cheap to clone; use it from any thread.
#[derive(Debug, Clone)]
pub struct Usage {
    exports: Exports,
    users: Arc<Users>,
}

impl Usage {
    pub(super) fn new(exports: Exports, users: Arc<Users>) -> Self {
        Self { exports, users }
    }

    /// What each user takes now.
    pub fn users(&self) -> Vec<UserUse> {
        let now = self.users.clock.now();
        let all = self.users.taken().clone();
        let table = self.exports.table();
        let objects: BTreeMap<_, _> = table.owners().collect();
        let each = all.into_iter().map(|(user, taken)| {
            let current = now < taken.begun + MINUTE;
            UserUse {
                calls: taken.calls,
                activations: if current { taken.activations } else { 0 },
                objects: objects.get(&user).copied().unwrap_or(0),
                ping_sets: table.sets_of(&user).0,
                refused: taken.refused,
                user: (*user).to_owned(),
            }
        });
        each.collect()
    }

    /// How often a user was refused something, because of what the user had already.
    pub fn refused(&self) -> u64 {
        let calls: u64 = self.users.taken().values().map(|taken| taken.refused).sum();
        calls + self.exports.table().refused()
    }
}

impl Taken {
    fn refuse(&mut self, user: &str, what: &str) -> Status {
        if self.refused.is_multiple_of(TOLD) {
            tracing::warn!(user, what, refused = self.refused, "a user has too much");
        }
        self.refused += 1;
        Status::SERVER_TOO_BUSY
    }
}
