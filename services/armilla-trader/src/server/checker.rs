//! Looks in the background whether offered objects are alive, at a bounded rate. Nothing is withdrawn:
//! `armilla trader sweep` does that when an operator says so.

use crate::model::Target;
use crate::servant::Trader;
use armilla::{ExceptionKind, Object};
use armilla_service::{Pause, Rounds};
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The time from the beginning of one round over all offers to that of the next.
const INTERVAL: Duration = Duration::from_secs(300);

/// The pause between two checks.
const PAUSE: Duration = Duration::from_millis(50);

/// The time limit of a check.
const LIMIT: Duration = Duration::from_secs(2);

/// How many offers are taken at once.
const BATCH: usize = 500;

/// What a check has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Alive,
    Gone,
    Unreachable,
}

/// What the checks have found, by the number of the offer.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings(Arc<Mutex<HashMap<u64, Found>>>);

impl Findings {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Found>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the last check of an offer has found; `None` if there was none.
    pub(super) fn of(&self, number: u64) -> Option<Found> {
        self.lock().get(&number).copied()
    }

    /// How many are alive, and how many are gone or unreachable.
    pub(super) fn counts(&self) -> (usize, usize) {
        let found = self.lock();
        let alive = found.values().filter(|found| **found == Found::Alive).count();
        (alive, found.len() - alive)
    }
}

/// Begins to check.
pub(super) fn start(trader: &Trader, findings: &Findings) -> io::Result<Rounds> {
    let checker = Checker { trader: trader.clone(), findings: findings.clone() };
    Rounds::start("armilla-checker", INTERVAL, move |pause| checker.round(pause))
}

struct Checker {
    trader: Trader,
    findings: Findings,
}

impl Checker {
    /// Checks each offer once, forgets those that are not there any more, and returns whether the
    /// checker goes on.
    fn round(&self, pause: &Pause) -> bool {
        let mut seen = HashMap::new();
        let mut after = None;
        loop {
            let batch = self.batch(after);
            let Some((last, _)) = batch.last() else { break };
            after = Some(*last);
            for (number, object) in &batch {
                let found = check(object);
                seen.insert(*number, found);
                self.findings.lock().insert(*number, found);
                if !pause.wait(PAUSE) {
                    return false;
                }
            }
        }
        *self.findings.lock() = seen;
        true
    }

    fn batch(&self, after: Option<u64>) -> Vec<(u64, Object)> {
        self.trader.read(|model| {
            let behind = model.offers().filter(|offer| after.is_none_or(|it| offer.number > it));
            let objects = behind.map(|offer| match &offer.target {
                Target::Object(object) => (offer.number, object.clone()),
                Target::Proxy(proxy) => (offer.number, proxy.lookup.object().clone()),
            });
            objects.take(BATCH).collect()
        })
    }
}

/// Asks an object whether it exists. A server that answers something else is there.
fn check(object: &Object) -> Found {
    match object.with_timeout(LIMIT).non_existent() {
        Ok(true) => Found::Gone,
        Err(error) => match error.kind() {
            ExceptionKind::ObjectNotExist => Found::Gone,
            ExceptionKind::CommFailure
            | ExceptionKind::InvObjref
            | ExceptionKind::NoResponse
            | ExceptionKind::Timeout
            | ExceptionKind::Transient => Found::Unreachable,
            _ => Found::Alive,
        },
        Ok(false) => Found::Alive,
    }
}
