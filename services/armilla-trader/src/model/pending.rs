//! What transactions will change: nobody else sees it before they commit, or may change it.

use super::{Change, Model, ModelError};
use armilla::{Completion, ExceptionKind, Minor, SystemException};
use armilla_store::Pending;
use std::sync::Arc;

/// Whether two changes exclude each other: both are of one offer, service type or link, or one removes
/// the type on which the other depends.
fn meet(one: &Change, other: &Change) -> bool {
    let subject = subject(one);
    subject.is_some() && subject == self::subject(other)
        || removes(one, other)
        || removes(other, one)
}

/// What a change is about.
#[derive(PartialEq)]
enum Subject<'c> {
    Offer(u64),
    Type(&'c str),
    Link(&'c str),
}

fn subject(change: &Change) -> Option<Subject<'_>> {
    match change {
        Change::PutOffer(offer) => Some(Subject::Offer(offer.number)),
        Change::RemoveOffer(number) => Some(Subject::Offer(*number)),
        Change::PutType(name, _) | Change::RemoveType(name) => Some(Subject::Type(name)),
        Change::PutLink(name, _) | Change::RemoveLink(name) => Some(Subject::Link(name)),
        _ => None,
    }
}

/// Whether a change removes the type of an offer, or the supertype of a type, that another one puts.
fn removes(one: &Change, other: &Change) -> bool {
    match (one, other) {
        (Change::RemoveType(name), Change::PutOffer(offer)) => offer.service_type == *name,
        (Change::RemoveType(name), Change::PutType(_, put)) => put.super_types.contains(name),
        _ => false,
    }
}

impl Model {
    /// What transactions will change.
    pub const fn pending_mut(&mut self) -> &mut Pending<Change> {
        &mut self.pending
    }

    /// The transactions that have prepared, with their changes.
    pub fn prepared(&self) -> impl Iterator<Item = (&Arc<str>, &[Change])> {
        self.pending.prepared()
    }

    /// Plans an operation of a transaction, which sees what it has changed before, and keeps the changes
    /// until it ends. `most` is how many changes of all transactions may wait.
    ///
    /// # Errors
    /// Those of `plan`; `TRANSIENT`, when another transaction changes the same; `TRANSACTION_ROLLEDBACK`,
    /// when it has ended; `IMP_LIMIT`.
    pub fn plan_within<T>(
        &mut self,
        token: &str,
        most: usize,
        plan: impl FnOnce(&Self) -> Result<(Vec<Change>, T), ModelError>,
    ) -> Result<T, ModelError> {
        if !self.pending.takes(token) {
            return Err(ended().into());
        }
        let (changes, result) = self.read_within(token, plan)??;
        self.check_free(Some(token), &changes)?;
        let all = self.pending.count() + changes.len();
        if all > most {
            let what = format!("{all} changes of transactions exceed the limit pending, {most}");
            return Err(ExceptionKind::ImpLimit.because(what).into());
        }
        // Numbers are taken, also if it rolls back.
        self.take_numbers(&changes);
        self.pending.add(token, changes);
        Ok(result)
    }

    /// Reads the contents as a transaction sees them: with what it has changed.
    ///
    /// # Errors
    /// What it has changed does not fit any more.
    pub fn read_within<R>(
        &mut self,
        token: &str,
        read: impl FnOnce(&Self) -> R,
    ) -> Result<R, ModelError> {
        let changes = self.pending.of(token).map(|(changes, _)| changes.to_vec());
        let mut undo = self.make(changes.unwrap_or_default())?;
        let result = read(self);
        undo.reverse();
        // What undoes a change fits what the change was made in.
        self.apply(undo).ok();
        Ok(result)
    }

    /// Checks that no transaction but this one will change the same.
    ///
    /// # Errors
    /// `TRANSIENT`.
    pub fn check_free(&self, token: Option<&str>, changes: &[Change]) -> Result<(), ModelError> {
        let mut locked = self.pending.of_others(token);
        match locked.any(|other| changes.iter().any(|change| meet(change, other))) {
            true => {
                let why = "a transaction that has not ended changes the same";
                Err(ExceptionKind::Transient.because(why).with_hint("try it again later").into())
            }
            false => Ok(()),
        }
    }
}

fn ended() -> SystemException {
    let kind = ExceptionKind::TransactionRolledback;
    SystemException::new(kind, Minor::default(), Completion::No)
        .with_reason("the transaction takes no more changes of the trader")
}
