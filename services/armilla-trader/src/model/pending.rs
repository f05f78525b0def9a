//! What transactions will change: nobody else sees it before they commit, or may change it.

use super::{Change, Model, ModelError};
use armilla::{Completion, ExceptionKind, Minor, SystemException};
use armilla_store::Pending;
use std::sync::Arc;

/// Whether two changes exclude each other: of one offer, or of the type of an offer.
fn meet(one: &Change, other: &Change) -> bool {
    let of_type = |change: &Change, name: &str| match change {
        Change::PutOffer(offer) => offer.service_type == name,
        _ => false,
    };
    match (number(one), number(other), one, other) {
        (Some(number), Some(other), ..) => number == other,
        (_, _, Change::RemoveType(name), other) => of_type(other, name),
        _ => false,
    }
}

/// The number of the offer that a change is about.
fn number(change: &Change) -> Option<u64> {
    match change {
        Change::PutOffer(offer) => Some(offer.number),
        Change::RemoveOffer(number) => Some(*number),
        _ => None,
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
        // The numbers of its offers are taken, also if it rolls back.
        let numbers = changes.iter().filter_map(number);
        self.next_offer = numbers.fold(self.next_offer, |next, number| next.max(number + 1));
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
        let mut undo = Vec::new();
        let made = changes.unwrap_or_default().into_iter().try_for_each(|change| {
            undo.extend(self.make([change])?);
            Ok(())
        });
        let result = made.map(|()| read(self));
        undo.reverse();
        // What undoes a change fits what the change was made in.
        self.apply(undo).ok();
        result
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
        .with_reason("the transaction takes no more changes of offers")
}
