//! A transaction, as a program holds it.

use crate::corba::{ControlRef, CoordinatorRef};
use crate::current::Entered;
use crate::engine::{Entry, local_name};
use crate::error::{CommitError, RunError};
use crate::model::{Event, Outcome, Reply, Status};
use crate::resource::{Resource, Synchronization};
use crate::servant::{mark_rollback, new_nested};
use crate::shared::Shared;
use armilla::{ExceptionKind, SystemException};
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
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

    /// Lets somebody hear of the end of the transaction: of the whole, in a subtransaction.
    ///
    /// # Errors
    /// As [`enlist`](Self::enlist).
    pub fn synchronize(
        &self,
        synchronization: Arc<dyn Synchronization>,
    ) -> Result<(), SystemException> {
        self.check()?;
        self.whole().synchronize_part(synchronization)
    }

    /// Begins a part of the transaction that can roll back alone: a subtransaction. What it has done
    /// when it commits, the transaction has done. It ends before the transaction does: one that is still
    /// under way then rolls back, and lets the transaction not commit.
    ///
    /// # Errors
    /// As [`enlist`](Self::enlist); `TRANSIENT` if there are too many, `IMP_LIMIT` if it is too deep.
    #[doc(alias = "create_subtransaction")]
    pub fn begin(&self) -> Result<Self, SystemException> {
        self.check()?;
        let entry = new_nested(&self.shared.engine, &self.entry)?;
        Ok(Self::new(self.shared.clone(), entry, true))
    }

    /// Does `work` in a subtransaction, and commits that. Calls that the thread makes meanwhile carry it.
    /// An error or a panic of `work` rolls back what it has done, and the transaction goes on.
    ///
    /// ```
    /// # use armilla::Orb;
    /// # use armilla_transactions::{RunError, Transactions};
    /// # let transactions = Transactions::builder().build();
    /// # let orb = Orb::builder().initializer(transactions.clone()).build()?;
    /// # transactions.start(&orb)?;
    /// let done: Result<_, RunError<std::fmt::Error>> = transactions.run(|whole| {
    ///     let by_train = whole.run(|_| Err::<&str, _>("no seat"));
    ///     Ok(by_train.unwrap_or("by bus"))
    /// });
    /// assert_eq!(done, Ok("by bus"));
    /// # transactions.stop();
    /// # orb.shutdown();
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// What `work` has failed with, or how the commit was none.
    pub fn run<R, E>(&self, work: impl FnOnce(&Self) -> Result<R, E>) -> Result<R, RunError<E>> {
        self.begin().map_err(RunError::Begin)?.carry(work)
    }

    /// Does `work` in this transaction, and ends it.
    pub(crate) fn carry<R, E>(
        self,
        work: impl FnOnce(&Self) -> Result<R, E>,
    ) -> Result<R, RunError<E>> {
        let entered = self.enter().map_err(RunError::Begin)?;
        let done = catch_unwind(AssertUnwindSafe(|| work(&self)));
        drop(entered);
        match done {
            Ok(Ok(result)) => {
                self.commit().map_err(RunError::Commit)?;
                Ok(result)
            }
            Ok(Err(error)) => {
                self.rollback();
                Err(RunError::Work(error))
            }
            Err(panic) => {
                self.rollback();
                resume_unwind(panic)
            }
        }
    }

    /// The whole transaction of which this is a part, or itself. It is not ended by this.
    pub fn whole(&self) -> Self {
        Self::new(self.shared.clone(), self.entry.whole().clone(), false)
    }

    /// The subtransactions on the way from the whole transaction to this one, which is the last of them;
    /// none for a whole one.
    pub fn parts(&self) -> Vec<Self> {
        let parts = self.entry.upwards().filter(|it| it.parent.is_some());
        let mut parts: Vec<_> = parts.cloned().collect();
        parts.reverse();
        parts.into_iter().map(|it| Self::new(self.shared.clone(), it, false)).collect()
    }

    /// Lets somebody hear of the end of this alone, and not of the whole: before a subtransaction commits,
    /// and after it has ended.
    ///
    /// # Errors
    /// As [`enlist`](Self::enlist).
    pub fn synchronize_part(
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
