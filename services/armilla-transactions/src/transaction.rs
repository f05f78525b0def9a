//! A transaction, as a program holds it.

use crate::corba::{ControlRef, CoordinatorRef};
use crate::current::Entered;
use crate::engine::{Entry, local_name};
use crate::error::CommitError;
use crate::model::{Event, Outcome, Reply, Status};
use crate::resource::{Resource, Synchronization};
use crate::servant::mark_rollback;
use crate::shared::Shared;
use armilla::{ExceptionKind, SystemException};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A transaction. One that was [begun](crate::Transactions::begin) is rolled back when it is dropped
/// before it was committed; [others](crate::Transactions::current) are left as they are.
pub struct Transaction {
    shared: Arc<Shared>,
    entry: Arc<Entry>,
    /// Whether it has begun here, and was not ended yet.
    owned: bool,
}

impl Transaction {
    pub(crate) const fn new(shared: Arc<Shared>, entry: Arc<Entry>, owned: bool) -> Self {
        Self { shared, entry, owned }
    }

    /// Lets a resource of this process take part. It does not outlive the process: what it has
    /// prepared is gone with it.
    ///
    /// # Errors
    /// `INVALID_TRANSACTION` when the transaction is ending, `TRANSACTION_ROLLEDBACK` when it has
    /// ended, and what a coordinator elsewhere answers.
    pub fn enlist(&self, resource: Arc<dyn Resource>) -> Result<(), SystemException> {
        self.enlist_as("", resource)
    }

    /// Lets a resource take part that its
    /// [manager](crate::TransactionsBuilder::resource_manager) finds by the token after a restart.
    ///
    /// # Errors
    /// As [`enlist`](Self::enlist).
    pub fn enlist_durable(
        &self,
        manager: &str,
        token: &str,
        resource: Arc<dyn Resource>,
    ) -> Result<(), SystemException> {
        self.enlist_as(&local_name(manager, token), resource)
    }

    fn enlist_as(&self, name: &str, resource: Arc<dyn Resource>) -> Result<(), SystemException> {
        self.check()?;
        self.shared.site()?.join(&self.entry, false)?;
        self.entry.enlist(name, resource).map(drop).map_err(|_| self.ended())
    }

    /// Lets somebody hear of the end of the transaction.
    ///
    /// # Errors
    /// As [`enlist`](Self::enlist).
    pub fn synchronize(
        &self,
        synchronization: Arc<dyn Synchronization>,
    ) -> Result<(), SystemException> {
        self.check()?;
        self.shared.site()?.join(&self.entry, true)?;
        self.entry.synchronize(synchronization).map_err(|_| self.ended())
    }

    fn check(&self) -> Result<(), SystemException> {
        if self.entry.machine().is_active() { Ok(()) } else { Err(self.ended()) }
    }

    fn ended(&self) -> SystemException {
        match self.status() {
            Status::RolledBack | Status::RollingBack => ExceptionKind::TransactionRolledback
                .because("the transaction was rolled back, perhaps because its time was up"),
            status => ExceptionKind::InvalidTransaction
                .because(format!("the transaction takes no more participants: it is {status}")),
        }
    }

    /// Where it is.
    pub fn status(&self) -> Status {
        self.entry.status()
    }

    /// Its number at this coordinator, as operators see it.
    pub fn id(&self) -> String {
        self.entry.key.to_string()
    }

    /// Lets it only be rolled back from now on. Returns whether it was not too late.
    pub fn rollback_only(&self) -> bool {
        mark_rollback(&self.shared.engine, &self.entry)
    }

    /// Lets the calling thread work in it, until the result is dropped. Its calls carry the
    /// transaction.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before there is the ORB.
    pub fn enter(&self) -> Result<Entered, SystemException> {
        let Some((current, slot)) = self.shared.current.get() else {
            return Err(ExceptionKind::BadInvOrder.because("the ORB was not made yet"));
        };
        let value = self.shared.associations.slot_of(&self.entry, &self.entry.association)?;
        Entered::new(current, *slot, Some((self.entry.clone(), value)))
    }

    /// A future that works in it, whichever threads poll it.
    pub fn scope<F: Future>(&self, future: F) -> Scoped<F> {
        let (shared, entry) = (self.shared.clone(), self.entry.clone());
        Scoped { transaction: Self { shared, entry, owned: false }, future: Box::pin(future) }
    }

    /// Commits it.
    ///
    /// # Errors
    /// It was rolled back, or not everything was committed. One that has not begun here is refused.
    pub fn commit(mut self) -> Result<(), CommitError> {
        if !std::mem::take(&mut self.owned) {
            return Err(CommitError::Refused);
        }
        let reply = self.shared.engine.drive(&self.entry, Event::Commit);
        committed(&self.entry, reply)
    }

    /// Rolls it back. One that has not begun here is marked.
    pub fn rollback(mut self) {
        match std::mem::take(&mut self.owned) {
            true => drop(self.shared.engine.drive(&self.entry, Event::Rollback)),
            false => drop(self.rollback_only()),
        }
    }

    /// Its coordinator in this process, for the explicit forms of the service.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
    pub fn coordinator(&self) -> Result<CoordinatorRef, SystemException> {
        self.shared.site()?.coordinator(self.entry.key)
    }

    /// Its control in this process.
    ///
    /// # Errors
    /// As [`coordinator`](Self::coordinator).
    pub fn control(&self) -> Result<ControlRef, SystemException> {
        self.shared.site()?.control(self.entry.key)
    }
}

/// What the reply to a commit means.
fn committed(entry: &Entry, reply: Option<Reply>) -> Result<(), CommitError> {
    match reply {
        Some(Reply::Outcome(Outcome::Committed)) => Ok(()),
        Some(Reply::Outcome(Outcome::RolledBack)) => {
            Err(CommitError::RolledBack { timed_out: entry.machine().has_timed_out() })
        }
        Some(Reply::Outcome(Outcome::Heuristic { committed, what })) => {
            Err(CommitError::Heuristic { committed, what })
        }
        Some(Reply::Outcome(Outcome::Unknown)) => Err(CommitError::Unknown),
        _ => Err(CommitError::Refused),
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if std::mem::take(&mut self.owned) {
            self.shared.engine.drive(&self.entry, Event::Rollback);
        }
    }
}

impl fmt::Debug for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction")
            .field("id", &self.id())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

/// A future that works in a transaction: see [`Transaction::scope`].
pub struct Scoped<F> {
    transaction: Transaction,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for Scoped<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // Without an ORB there is nothing that could carry it.
        let _entered = self.transaction.enter();
        self.future.as_mut().poll(context)
    }
}

impl<F> fmt::Debug for Scoped<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scoped").field("transaction", &self.transaction).finish_non_exhaustive()
    }
}
