//! The service: the rules, whose locks are, the time, and who waits for a reply.

use super::corba::{LockInfo, LockSetFactoryRef};
use super::holders::{Client, Holders};
use super::model::{Asked, Holder, Locks, Mode, Refusal, SetId, Ticket, Time};
use super::modes::wire;
use super::refusal::exception;
use super::servant::{self, Poas};
use armilla::{Orb, SystemException};
use armilla_ipc::Address;
use armilla_transactions::corba::CoordinatorRef;
use armilla_transactions::model::Status;
use armilla_transactions::{Synchronization, Transaction, Transactions};
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often it is looked whether who waits is still there.
const LOOK: Duration = Duration::from_millis(250);

/// How often, while nobody waits, it is looked whether the service is still there.
const REST: Duration = Duration::from_secs(60);

/// What a lock service grants.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LockOptions {
    /// How many locks and waits there are at most. Further ones are refused with `TRANSIENT`.
    /// Default: 100,000.
    pub most: usize,
    /// How long a client waits for a lock at most; then it gets `TIMEOUT`. Default: one minute.
    pub longest_wait: Duration,
    /// Whether operators may be on other hosts. Default: no.
    pub remote_operators: bool,
}

impl Default for LockOptions {
    fn default() -> Self {
        Self { most: 100_000, longest_wait: Duration::from_secs(60), remote_operators: false }
    }
}

/// Who waits for the end of a request.
pub(super) trait Reply: Send {
    fn reply(self: Box<Self>, result: Result<(), (Refusal, bool)>);
    fn is_cancelled(&self) -> bool;
}

/// Somebody waits: where, and for a lock without a transaction, which.
struct Waiting {
    reply: Box<dyn Reply>,
    set: SetId,
    /// A lock that is its own holder, and ends with the wait if it gets nothing.
    begun: Option<Holder>,
    is_transaction: bool,
}

struct State {
    locks: Locks,
    holders: Holders,
    waiting: HashMap<Ticket, Waiting>,
    has_ended: bool,
}

pub(super) struct Shared {
    pub(super) orb: Orb,
    pub(super) transactions: Transactions,
    pub(super) options: LockOptions,
    pub(super) poas: OnceLock<Poas>,
    begun: Instant,
    state: Mutex<State>,
    changed: Condvar,
}

/// A lock service in an ORB, as long as it lives. Clones are the same. Any thread may call it.
///
/// ```
/// use armilla::Orb;
/// use armilla_cos::locks::corba::{LockMode, LockSet, LockSetFactory};
/// use armilla_cos::locks::{LockOptions, LockService};
/// use armilla_transactions::Transactions;
///
/// let transactions = Transactions::builder().build();
/// let orb = Orb::builder().initializer(transactions.clone()).build()?;
/// transactions.start(&orb)?;
/// let service = LockService::serve(&orb, &transactions, LockOptions::default())?;
///
/// let set = service.factory().create()?;
/// set.lock(LockMode::Write)?;
/// assert!(!set.try_lock(LockMode::Read)?);
/// set.unlock(LockMode::Write).expect("it is held");
/// # service.close();
/// # transactions.stop();
/// # orb.shutdown();
/// # Ok::<(), armilla::SystemException>(())
/// ```
#[derive(Clone)]
pub struct LockService {
    shared: Arc<Shared>,
    factory: LockSetFactoryRef,
    url: String,
    thread: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl LockService {
    /// Makes the objects of the service. The transactions are those of this ORB, and have started.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen; `NO_RESOURCES` when there is no thread.
    pub fn serve(
        orb: &Orb,
        transactions: &Transactions,
        options: LockOptions,
    ) -> Result<Self, SystemException> {
        let state = State {
            locks: Locks::new(options.most),
            holders: Holders::default(),
            waiting: HashMap::new(),
            has_ended: false,
        };
        let shared = Arc::new(Shared {
            orb: orb.clone(),
            transactions: transactions.clone(),
            options,
            poas: OnceLock::new(),
            begun: Instant::now(),
            state: Mutex::new(state),
            changed: Condvar::new(),
        });
        let (factory, url) = servant::serve(&shared)?;
        let weak = Arc::downgrade(&shared);
        let thread = thread::Builder::new().name("armilla-locks".into()).spawn(move || tick(&weak));
        let thread = thread.map_err(|error| {
            armilla::ExceptionKind::NoResources.because(format!("no thread for locks: {error}"))
        })?;
        Ok(Self { shared, factory, url, thread: Arc::new(Mutex::new(Some(thread))) })
    }

    /// The factory of lock sets.
    pub const fn factory(&self) -> &LockSetFactoryRef {
        &self.factory
    }

    /// The URL of the factory, `corbaloc::HOST:PORT/LockSetFactory`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// All locks, and who waits for any.
    pub fn list(&self) -> Vec<LockInfo> {
        self.shared.list()
    }

    /// How many locks are held, how many requests wait, and how many sets have either.
    pub fn totals(&self) -> (usize, usize, usize) {
        self.shared.state().locks.totals()
    }

    /// Releases all that a holder has. What it waits for it does not get. Returns whether there is
    /// such a holder.
    pub fn release(&self, holder: u64) -> bool {
        self.shared.release(holder)
    }

    /// Ends the service: who waits gets an exception.
    pub fn close(&self) {
        let mut state = self.shared.state();
        state.has_ended = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        drop(waiting);
        self.shared.changed.notify_all();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread.filter(|it| it.thread().id() != thread::current().id()) {
            // It has logged its panic.
            thread.join().ok();
        }
    }
}

impl fmt::Debug for LockService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockService").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Ends waits whose time is up, or whose clients are gone, until the service is.
fn tick(shared: &Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        let state = shared.state();
        if state.has_ended {
            return;
        }
        let now = shared.begun.elapsed();
        let until = state.locks.next_deadline().map(|deadline| deadline.saturating_sub(now));
        // Without anybody who waits, only somebody who begins to is a reason to look.
        let pause = if state.waiting.is_empty() { REST } else { LOOK };
        let pause = until.map_or(pause, |until| until.min(pause));
        let waited = shared.changed.wait_timeout(state, pause);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let now = shared.begun.elapsed();
        state.locks.expire(now);
        let gone = state.waiting.iter().filter(|(_, waiting)| waiting.reply.is_cancelled());
        let gone: Vec<_> = gone.map(|(ticket, _)| *ticket).collect();
        for ticket in gone {
            state.abandon(ticket);
        }
        shared.conclude(state);
    }
}

impl State {
    /// Nobody waits any more.
    fn abandon(&mut self, ticket: Ticket) {
        self.locks.cancel(ticket);
        if let Some(waiting) = self.waiting.remove(&ticket) {
            waiting.begun.into_iter().for_each(|holder| self.end_plain(waiting.set, holder));
        }
    }

    fn end_plain(&mut self, set: SetId, holder: Holder) {
        self.locks.end(holder);
        self.holders.forget_plain(set, holder);
    }

    /// Who is to hear what. A lock without a transaction whose client has gone is released again.
    fn settle(&mut self) -> Vec<(Waiting, Result<(), Refusal>)> {
        let mut settled = Vec::new();
        loop {
            let outcomes = self.locks.outcomes();
            if outcomes.is_empty() {
                return settled;
            }
            for (ticket, outcome) in outcomes {
                let Some(waiting) = self.waiting.remove(&ticket) else { continue };
                let fails = outcome.is_err() || waiting.reply.is_cancelled();
                if let Some(holder) = waiting.begun.filter(|_| fails) {
                    self.end_plain(waiting.set, holder);
                }
                settled.push((waiting, outcome));
            }
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells everybody what has become of what they wait for, without a lock.
    fn conclude(&self, mut state: MutexGuard<'_, State>) {
        let settled = state.settle();
        let victims = state.locks.victims();
        let victims = victims.into_iter().filter_map(|it| state.holders.transaction(it));
        let victims: Vec<_> = victims.collect();
        drop(state);
        for victim in victims {
            let id = victim.id();
            tracing::info!(id, "a transaction is the victim of a deadlock of locks");
            victim.rollback_only();
        }
        for (Waiting { reply, is_transaction, .. }, outcome) in settled {
            reply.reply(outcome.map_err(|why| (why, is_transaction)));
        }
    }

    /// The holder of a transaction that is given by its coordinator.
    ///
    /// # Errors
    /// `INVALID_TRANSACTION` for none, and what the coordinator answers.
    pub(super) fn explicit(&self, coordinator: &CoordinatorRef) -> Result<Holder, SystemException> {
        if coordinator.is_nil() {
            return Err(
                armilla::ExceptionKind::InvalidTransaction.because("no transaction is given")
            );
        }
        let reference = self.orb.object_to_string(coordinator)?;
        if let Some(holder) = self.state().holders.of_reference(&reference) {
            return Ok(holder);
        }
        let transaction = self.transactions.join_coordinator(coordinator)?;
        let holder = self.of_transaction(transaction)?;
        self.state().holders.recognize(holder, reference);
        Ok(holder)
    }

    /// The holder of the transaction in which the caller works, if it does in one.
    pub(super) fn implicit(&self) -> Result<Option<Holder>, SystemException> {
        self.transactions.current().map(|it| self.of_transaction(it)).transpose()
    }

    fn of_transaction(&self, transaction: Transaction) -> Result<Holder, SystemException> {
        // Its parts share the locks of a transaction, until the whole ends.
        let transaction = Arc::new(transaction.whole());
        let holder = {
            let mut state = self.state();
            if let Some(holder) = state.holders.of_id(&transaction.id()) {
                return Ok(holder);
            }
            let holder = state.locks.begin(true);
            state.holders.add(holder, transaction.clone());
            holder
        };
        let poas = self.poas.get().ok_or_else(servant::ended)?;
        let end = Arc::new(AtTheEnd { shared: poas.weak.clone(), holder });
        transaction.synchronize(end).inspect_err(|_| self.end_transaction(holder))?;
        Ok(holder)
    }

    fn end_transaction(&self, holder: Holder) {
        let mut state = self.state();
        state.locks.end(holder);
        state.holders.forget(holder);
        self.conclude(state);
    }

    /// Asks for a lock. Without a holder, the lock is its own.
    pub(super) fn lock(
        &self,
        set: SetId,
        holder: Option<Holder>,
        mode: Mode,
        reply: Box<dyn Reply>,
    ) {
        let (now, deadline) = self.times();
        let client = self.client();
        let mut state = self.state();
        let begun = holder.is_none().then(|| state.locks.begin(false));
        // One of both is there.
        let whose = holder.or(begun).unwrap_or(Holder(0));
        begun.into_iter().for_each(|it| state.holders.add_plain(set, it, client.clone()));
        let asked = state.locks.lock(set, whose, mode, now, Some(deadline));
        self.answer(state, set, begun, holder.is_some(), asked, reply);
    }

    /// Asks for another lock in place of one that is held.
    pub(super) fn change_mode(
        &self,
        set: SetId,
        holder: Option<Holder>,
        (held, mode): (Mode, Mode),
        reply: Box<dyn Reply>,
    ) {
        let (now, deadline) = self.times();
        let client = self.client();
        let mut state = self.state();
        let plain = || state.holders.find_plain(&state.locks, set, held, &client);
        let asked = match holder.or_else(plain) {
            Some(whose) => state.locks.change_mode(set, whose, (held, mode), now, Some(deadline)),
            None => Err(Refusal::NotHeld),
        };
        self.answer(state, set, None, holder.is_some(), asked, reply);
    }

    fn answer(
        &self,
        mut state: MutexGuard<'_, State>,
        set: SetId,
        begun: Option<Holder>,
        is_transaction: bool,
        asked: Result<Asked, Refusal>,
        reply: Box<dyn Reply>,
    ) {
        let at_once = match asked {
            Ok(Asked::Waits(ticket)) => {
                let waiting = Waiting { reply, set, begun, is_transaction };
                state.waiting.insert(ticket, waiting);
                self.changed.notify_all();
                None
            }
            Ok(Asked::Granted) => Some((reply, Ok(()))),
            Err(why) => {
                begun.into_iter().for_each(|holder| state.end_plain(set, holder));
                Some((reply, Err((why, is_transaction))))
            }
        };
        self.conclude(state);
        if let Some((reply, result)) = at_once {
            reply.reply(result);
        }
    }

    pub(super) fn try_lock(
        &self,
        set: SetId,
        holder: Option<Holder>,
        mode: Mode,
    ) -> Result<bool, SystemException> {
        let client = self.client();
        let mut state = self.state();
        let whose = holder.unwrap_or_else(|| state.locks.begin(false));
        let asked = state.locks.try_lock(set, whose, mode);
        match (holder, &asked) {
            (None, Ok(true)) => state.holders.add_plain(set, whose, client),
            (None, _) => state.locks.end(whose),
            (Some(_), _) => {}
        }
        self.conclude(state);
        asked.map_err(|why| exception(why, holder.is_some()))
    }

    /// Releases a lock. Returns whether it was held.
    pub(super) fn unlock(&self, set: SetId, holder: Option<Holder>, mode: Mode) -> bool {
        let client = self.client();
        let mut state = self.state();
        let plain = || state.holders.find_plain(&state.locks, set, mode, &client);
        let Some(whose) = holder.or_else(plain) else { return false };
        let released = state.locks.unlock(set, whose, mode).is_ok();
        if holder.is_none() && state.locks.is_idle(whose) {
            state.end_plain(set, whose);
        }
        self.conclude(state);
        released
    }

    /// Releases what a transaction has in related sets.
    pub(super) fn drop_locks(&self, holder: Holder, group: u64) {
        let mut state = self.state();
        state.locks.drop_locks(holder, Some(group));
        self.conclude(state);
    }

    pub(super) fn release(&self, holder: u64) -> bool {
        let holder = Holder(holder);
        let mut state = self.state();
        let sets = state.holders.plain_sets(holder);
        let is_known = state.holders.is_transaction(holder) || !sets.is_empty();
        state.locks.end(holder);
        sets.into_iter().for_each(|set| state.holders.forget_plain(set, holder));
        self.conclude(state);
        is_known
    }

    pub(super) fn list(&self) -> Vec<LockInfo> {
        let now = self.begun.elapsed();
        let state = self.state();
        let info = |it: super::model::Shown| LockInfo {
            lock_set: format!("{:016x}", it.set.set),
            group: format!("{:016x}", it.set.group),
            holder: it.holder.0,
            name: state.holders.name(it.set, it.holder),
            mode: wire(it.mode),
            count: it.count,
            waited: it.since.map_or(0, |since| millis(now.saturating_sub(since))),
        };
        state.locks.show().into_iter().map(info).collect()
    }

    fn times(&self) -> (Time, Time) {
        let now = self.begun.elapsed();
        // What is longer than can be told has no end.
        (now, now.saturating_add(self.options.longest_wait))
    }

    /// The client of the current request; nobody for this process.
    fn client(&self) -> Client {
        match self.orb.caller() {
            Ok(Some(address)) => {
                let connection = address.to_string();
                match address {
                    Address::Tcp { host, .. } => Client { host, connection },
                    _ => Client { host: String::new(), connection },
                }
            }
            Ok(None) | Err(_) => Client { host: String::new(), connection: "this process".into() },
        }
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Releases the locks of a transaction when that has ended.
struct AtTheEnd {
    shared: Weak<Shared>,
    holder: Holder,
}

impl Synchronization for AtTheEnd {
    fn after_completion(&self, _: Status) {
        if let Some(shared) = self.shared.upgrade() {
            shared.end_transaction(self.holder);
        }
    }
}
