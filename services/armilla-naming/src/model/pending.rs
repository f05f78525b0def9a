//! What transactions will change: nobody else sees it before they commit, or may change it.

use super::{Change, ContextId, Decision, NameTree, NamingError, Owner, Step, Target};
use armilla_store::Pending;
use std::sync::Arc;

/// The context that a change is about, and the step in it; `None` for the whole context.
fn place(change: &Change) -> Option<(ContextId, Option<&Step>)> {
    match change {
        Change::Create { context, .. } | Change::Destroy { context } => Some((*context, None)),
        Change::Bind { context, step, .. } | Change::Unbind { context, step } => {
            Some((*context, Some(step)))
        }
        Change::Reserve { .. } | Change::Prepare { .. } | Change::Settle { .. } => None,
    }
}

/// Whether two changes exclude each other: both are of one binding or context, or one destroys the context
/// that the other binds.
fn meet(one: &Change, other: &Change) -> bool {
    if ends(one, other) || ends(other, one) {
        return true;
    }
    let (Some((context, step)), Some((other, other_step))) = (place(one), place(other)) else {
        return false;
    };
    let same_step = step.zip(other_step).is_none_or(|(step, other)| step == other);
    context == other && same_step
}

fn ends(one: &Change, other: &Change) -> bool {
    match (one, other) {
        (Change::Destroy { context }, Change::Bind { bound, .. }) => {
            bound.target == Target::Context(*context)
        }
        _ => false,
    }
}

impl NameTree {
    /// What transactions will change.
    pub const fn pending_mut(&mut self) -> &mut Pending<Change> {
        &mut self.pending
    }

    /// The transactions that have prepared, with their changes.
    pub fn prepared(&self) -> impl Iterator<Item = (&Arc<str>, &[Change])> {
        self.pending.prepared()
    }

    /// Decides an operation of a transaction, which sees what it has changed before, and keeps the
    /// changes until it ends.
    ///
    /// # Errors
    /// Those of `decide`; `Locked`, when another transaction changes the same; `Ended`; the limit
    /// `pending`.
    pub fn decide_within(
        &mut self,
        token: &str,
        decide: impl FnOnce(&Self) -> Result<Decision, NamingError>,
    ) -> Result<Decision, NamingError> {
        if !self.pending.takes(token) {
            return Err(NamingError::Ended);
        }
        let decision = self.read_within(token, decide)?;
        let Decision::Here { changes, .. } = &decision else { return Ok(decision) };
        self.check_free(Some(token), changes)?;
        let (all, most) = (self.pending.count() + changes.len(), self.limits.pending);
        if all > most {
            let what = format!("{all} exceeds the limit pending of the service, {most}");
            return Err(NamingError::Limit(what));
        }
        self.take_numbers(changes);
        self.pending.add(token, changes.iter().cloned());
        Ok(decision)
    }

    /// Reads the tree as a transaction sees it: with what it has changed.
    pub fn read_within<R>(&mut self, token: &str, read: impl FnOnce(&Self) -> R) -> R {
        let changes = self.pending.of(token).map(|(changes, _)| changes.to_vec());
        let made = changes.unwrap_or_default().into_iter().map(|change| self.apply(change));
        let undo: Vec<_> = made.flatten().collect();
        self.reading = Some(token.into());
        let result = read(self);
        self.reading = None;
        undo.into_iter().rev().for_each(|change| drop(self.apply(change)));
        result
    }

    /// How many bindings transactions will make for an owner, other than those made here already.
    pub(super) fn awaited(&self, is_owner: impl Fn(&Owner) -> bool) -> u64 {
        let is_own = |change: &&Change| match change {
            Change::Bind { bound, .. } => bound.owner.as_deref().is_some_and(&is_owner),
            _ => false,
        };
        self.pending.of_others(self.reading.as_deref()).filter(is_own).count() as u64
    }

    /// Checks that no transaction but this one will change the same.
    ///
    /// # Errors
    /// `Locked`.
    pub fn check_free(&self, token: Option<&str>, changes: &[Change]) -> Result<(), NamingError> {
        let mut locked = self.pending.of_others(token);
        match locked.any(|other| changes.iter().any(|change| meet(change, other))) {
            true => Err(NamingError::Locked),
            false => Ok(()),
        }
    }
}
