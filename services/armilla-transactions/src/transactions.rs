//! The transactions of a program.

use crate::context::Incoming;
use crate::corba::{
    Control as _, ControlRef, Coordinator as _, CoordinatorRef, TransactionFactoryRef,
    TransactionInfo,
};
use crate::current::{Entered, internally};
#[cfg(feature = "server")]
use crate::engine::Engine;
use crate::error::{DecideError, RunError};
use crate::interceptor::{References, Requests, Served};
use crate::model::Decision;
use crate::policy::{NON_TX_TARGET, NonTxTargetPolicy, OTS, OtsPolicy};
use crate::resource::ResourceManager;
use crate::servant::{self, Site, adopt, new_root};
use crate::shared::Shared;
use crate::transaction::Transaction;
use armilla::interceptor::{OrbInitInfo, OrbInitializer};
use armilla::{Caller, Error, ExceptionKind, Orb, SystemException};
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// The transactions of a process: an initializer for its ORB. Clones are the same; one serves one
/// ORB. Any thread may call it.
///
/// ```
/// use armilla::Orb;
/// use armilla_transactions::{RunError, Transactions};
///
/// let transactions = Transactions::builder().build();
/// let orb = Orb::builder().initializer(transactions.clone()).build()?;
/// transactions.start(&orb)?;
///
/// // What this does, here and in other processes, is done as a whole or not at all.
/// let done: Result<_, RunError<std::fmt::Error>> = transactions.run(|_| Ok(7));
/// assert_eq!(done, Ok(7));
/// # transactions.stop();
/// # orb.shutdown();
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone)]
pub struct Transactions(Arc<Shared>);

impl Transactions {
    pub(crate) fn of(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    /// Adds who finds resources, as [`TransactionsBuilder::resource_manager`] does, where that needs the
    /// ORB: before the start.
    ///
    /// [`TransactionsBuilder::resource_manager`]: crate::TransactionsBuilder::resource_manager
    ///
    /// # Errors
    /// `BAD_INV_ORDER` after the start.
    pub fn add_resource_manager(
        &self,
        name: impl Into<String>,
        manager: Arc<dyn ResourceManager>,
    ) -> Result<(), SystemException> {
        if self.0.site.get().is_some() {
            let what = "the transactions have started, and do not ask another manager";
            return Err(ExceptionKind::BadInvOrder.because(what));
        }
        self.0.engine.add_manager(name.into(), manager);
        Ok(())
    }

    /// Reads the log, makes the objects of the service, and begins to finish what the log tells of.
    /// So that others find this process again after a restart, its ORB needs a port of its own.
    ///
    /// # Errors
    /// `INITIALIZE` when the log cannot be read, a resource manager cannot say what is prepared, or
    /// threads cannot be started; `BAD_INV_ORDER` when it has started, or this is not an initializer
    /// of the ORB.
    pub fn start(&self, orb: &Orb) -> Result<(), SystemException> {
        if self.0.current.get().is_none() {
            let what = "these transactions are no initializer of the ORB";
            return Err(ExceptionKind::BadInvOrder.because(what));
        }
        let site = Arc::new(Site::new(orb, &self.0.engine));
        if self.0.site.set(site.clone()).is_err() {
            return Err(ExceptionKind::BadInvOrder.because("the transactions have started already"));
        }
        let failed = |error: io::Error| {
            ExceptionKind::Initialize.because(format!("the transactions cannot start: {error}"))
        };
        // Before anybody can ask: who asks for what the log has not told yet would hear of a rollback.
        let elsewhere = Arc::downgrade(&site);
        self.0.engine.start(elsewhere).map_err(failed)?;
        let remote = self.0.remote_operators;
        let rights = Arc::new(move || may_decide(remote));
        let (factory, url) = servant::serve(&site, self.0.timeout, rights)?;
        self.0.factory.set((factory.assume(), url)).ok();
        let threads = self.0.engine.threads().map_err(failed)?;
        self.0.threads.lock().unwrap_or_else(PoisonError::into_inner).extend(threads);
        Ok(())
    }

    /// Ends the threads that finish transactions, and waits for them. What is left in the log is
    /// finished after the next start, also in this process, to which the log is free then. A transaction
    /// whose decision would have to be written later is rolled back.
    pub fn stop(&self) {
        let helpers = self.0.engine.end();
        let mut threads = self.0.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let own = std::thread::current().id();
        let threads = threads.drain(..).chain(helpers);
        for thread in threads.filter(|thread| thread.thread().id() != own) {
            // It has logged its panic.
            thread.join().ok();
        }
        self.0.engine.close();
    }

    /// Does `work` in a transaction, and commits it. Calls that the thread makes meanwhile carry it.
    /// An error or a panic of `work` rolls everything back. Within another transaction `work` is part
    /// of that one, and its failure rolls back the whole; [`Transaction::run`] does work that may fail.
    ///
    /// # Errors
    /// What `work` has failed with, or how the commit was none.
    pub fn run<R, E>(
        &self,
        work: impl FnOnce(&Transaction) -> Result<R, E>,
    ) -> Result<R, RunError<E>> {
        if let Some(outer) = self.current() {
            let done = catch_unwind(AssertUnwindSafe(|| work(&outer)));
            if !matches!(done, Ok(Ok(_))) {
                outer.rollback_only();
            }
            return done.unwrap_or_else(|panic| resume_unwind(panic)).map_err(RunError::Work);
        }
        self.begin().map_err(RunError::Begin)?.carry(work)
    }

    /// Begins a transaction, with the usual time. If it is dropped before it is committed, it is
    /// rolled back. The thread works in it once it [enters](Transaction::enter) it.
    ///
    /// # Errors
    /// `TRANSACTION_UNAVAILABLE` before the start; `TRANSIENT` if there are too many.
    pub fn begin(&self) -> Result<Transaction, SystemException> {
        self.begin_within(self.0.timeout)
    }

    /// Begins a transaction that is rolled back after this time; `None` for never.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_within(&self, timeout: Option<Duration>) -> Result<Transaction, SystemException> {
        self.0.site()?;
        let entry = new_root(&self.0.engine, timeout)?;
        Ok(Transaction::new(self.0.clone(), entry, true))
    }

    /// The transaction in which the calling thread works: one that it has entered, or that of the
    /// request that it serves.
    pub fn current(&self) -> Option<Transaction> {
        let (current, slot) = self.0.current.get()?;
        let entry = current.with_slot(*slot, |value| self.0.associations.find(value)).ok()??;
        Some(Transaction::new(self.0.clone(), entry, false))
    }

    /// Lets the thread work in no transaction until the result is dropped.
    ///
    /// # Errors
    /// `BAD_INV_ORDER` before there is the ORB.
    pub fn suspend(&self) -> Result<Entered, SystemException> {
        match self.0.current.get() {
            Some((current, slot)) => Entered::new(current, *slot, None),
            None => Err(ExceptionKind::BadInvOrder.because("the ORB was not made yet")),
        }
    }

    /// Takes part in a transaction of another coordinator, of which the program has the control. Who
    /// began it commits it.
    ///
    /// # Errors
    /// Those of the calls to its coordinator; `INVALID_TRANSACTION` if it tells of no transaction.
    pub fn join(&self, control: &ControlRef) -> Result<Transaction, SystemException> {
        let coordinator = internally(|| control.get_coordinator());
        self.join_coordinator(&coordinator.map_err(|error| system(error, unavailable))?)
    }

    /// Takes part in the transaction of this coordinator. Who began it commits it.
    ///
    /// # Errors
    /// As [`join`](Self::join).
    pub fn join_coordinator(
        &self,
        coordinator: &CoordinatorRef,
    ) -> Result<Transaction, SystemException> {
        self.0.site()?;
        let context = internally(|| coordinator.get_txcontext());
        let mut context = context.map_err(|error| system(error, unavailable))?;
        context.current.coord = coordinator.clone();
        let incoming = Incoming::new(context).ok_or_else(unavailable)?;
        let entry = adopt(&self.0.engine, &incoming, false)?;
        Ok(Transaction::new(self.0.clone(), entry, false))
    }

    /// The factory of this process, for others. `None` before the start.
    pub fn factory(&self) -> Option<&TransactionFactoryRef> {
        self.0.factory.get().map(|(factory, _)| factory)
    }

    /// The URL of that factory, `corbaloc::HOST:PORT/TransactionFactory`.
    pub fn url(&self) -> Option<String> {
        self.0.factory.get().map(|(_, url)| url.clone())
    }

    /// The transactions in progress, in doubt, and with heuristic outcomes.
    pub fn list(&self) -> Vec<TransactionInfo> {
        self.0.engine.all().iter().map(|entry| servant::info(entry)).collect()
    }

    /// Decides, as an operator, what this process cannot decide itself: for a subordinate in doubt in
    /// place of its superior. `id` is what [`list`](Self::list) shows, or its beginning. Who may do so
    /// is up to the program.
    ///
    /// # Errors
    /// There is no such transaction, or it is in no state for that.
    pub fn decide(&self, id: &str, decision: Decision) -> Result<(), DecideError> {
        servant::decide(&self.0.engine, id, decision)
    }

    /// Whether the log cannot be written any more. Then everything rolls back, and what was being
    /// decided stays as it is, until the process is restarted.
    pub fn has_failed(&self) -> bool {
        self.0.engine.has_failed()
    }
}

#[cfg(feature = "server")]
impl Transactions {
    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Whether operators on other hosts decide, too.
    pub(crate) fn admits_remote(&self) -> bool {
        self.0.remote_operators
    }
}

impl OrbInitializer for Transactions {
    fn pre_init(&self, info: &mut OrbInitInfo<'_>) -> Result<(), SystemException> {
        let slot = info.allocate_slot();
        if self.0.current.set((info.orb().pi_current(), slot)).is_err() {
            let what = "the transactions of a process serve one ORB; make others";
            return Err(ExceptionKind::BadInvOrder.because(what));
        }
        info.register_policy_factory(OTS, OtsPolicy::from_value)?;
        info.register_policy_factory(NON_TX_TARGET, NonTxTargetPolicy::from_value)?;
        info.add_client_interceptor(Requests(self.0.clone()))?;
        info.add_server_interceptor(Served(self.0.clone()))?;
        info.add_ior_interceptor(References)
    }
}

impl fmt::Debug for Transactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transactions").finish_non_exhaustive()
    }
}

fn system<E>(error: Error<E>, other: impl FnOnce() -> SystemException) -> SystemException {
    match error {
        Error::System(exception) => exception,
        Error::User(_) => other(),
    }
}

fn unavailable() -> SystemException {
    ExceptionKind::InvalidTransaction.because("the transaction takes no more participants")
}

/// Whether the calling client may decide for others.
fn may_decide(remote: bool) -> Result<(), SystemException> {
    // A thread that serves no request belongs to the program.
    let allowed =
        remote || Caller::current().is_none_or(|it| it.address.is_none() || it.is_on_this_host());
    match allowed {
        true => Ok(()),
        false => Err(ExceptionKind::NoPermission
            .because("operators decide on the host of the service")
            .with_hint("see `TransactionsBuilder::remote_operators`")),
    }
}
