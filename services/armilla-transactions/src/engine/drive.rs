//! Carries out what the protocol wants.

use super::Elsewhere;
use super::counts::Counts;
use super::entry::Entry;
use super::helpers::Helpers;
use super::local::parse_local;
use super::table::Table;
use super::telling::{Call, Telling, guarded};
use super::timer::Timer;
use crate::journal::Journal;
use crate::model::{
    Action, Event, Forced, GlobalRef, Key, Kind, Options, Record, Refusal, Reply, Status,
    SuperiorAnswer, Time, Transaction, recover,
};
use crate::resource::{Resource, ResourceError, ResourceManager, Synchronization};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The threads that try again and end what is late. One that waits for a silent host holds the others
/// up no longer than a call takes.
const THREADS: usize = 4;

/// The subordinates in which nobody takes part that are kept for their next call, at most; and for how
/// long one is kept, at least.
const IDLE: usize = 1024;
const REST: Duration = Duration::from_secs(1);

/// The transactions of a process.
pub(crate) struct Engine {
    table: Table,
    timer: Arc<Timer>,
    helpers: Arc<Helpers>,
    /// None once the transactions were stopped: the next ones may open it.
    journal: RwLock<Option<Arc<dyn Journal>>>,
    pub(crate) options: Options,
    most: usize,
    managers: RwLock<HashMap<String, Arc<dyn ResourceManager>>>,
    /// It holds the engine, which must not hold it, too.
    elsewhere: OnceLock<Weak<dyn Elsewhere>>,
    failed: AtomicBool,
    pub(crate) counts: Counts,
}

impl Engine {
    pub(crate) fn new(
        journal: Arc<dyn Journal>,
        options: Options,
        most: usize,
        managers: HashMap<String, Arc<dyn ResourceManager>>,
    ) -> Self {
        Self {
            table: Table::default(),
            timer: Arc::default(),
            helpers: Arc::default(),
            journal: RwLock::new(Some(journal)),
            options,
            most,
            managers: RwLock::new(managers),
            elsewhere: OnceLock::new(),
            failed: AtomicBool::new(false),
            counts: Counts::default(),
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.timer.now()
    }

    /// Adds who finds resources by the name of the manager.
    pub(crate) fn add_manager(&self, name: String, manager: Arc<dyn ResourceManager>) {
        self.managers.write().unwrap_or_else(PoisonError::into_inner).insert(name, manager);
    }

    /// Whether the log cannot be written any more: nothing commits until the process is restarted.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn find(&self, key: Key) -> Option<Arc<Entry>> {
        self.table.find(key)
    }

    /// For how long the oldest one has been in doubt in this process.
    #[cfg(feature = "server")]
    pub(crate) fn oldest_in_doubt(&self) -> Option<Duration> {
        let all = self.table.all();
        let since = all.iter().filter_map(|entry| entry.machine().in_doubt_since()).min()?;
        Some(self.now().saturating_sub(since))
    }

    /// Those that are not over, for somebody here.
    pub(crate) fn all(&self) -> Vec<Arc<Entry>> {
        let mut all = self.table.all();
        all.retain(|entry| !entry.is_idle());
        all
    }

    /// The transaction with this identifier, in which a call begins to work: it stays until that ends.
    pub(crate) fn find_for_call(&self, global: GlobalRef<'_>) -> Option<Arc<Entry>> {
        self.table.find_global(global, |entry| entry.machine().call_began())
    }

    /// Adds a transaction, or returns the one that there is. `None` if there are too many. Whether a
    /// call begins to work in it: else it stays.
    pub(crate) fn add(&self, entry: Entry, call_begins: bool) -> Option<Arc<Entry>> {
        if self.table.len() >= self.most {
            return None;
        }
        let entry = self.table.add(Arc::new(entry), |entry| match call_begins {
            true => entry.machine().call_began(),
            false => entry.stays.store(true, Ordering::Relaxed),
        });
        self.wake_later(&entry);
        Some(entry)
    }

    /// A call has ended that worked in a transaction. A subordinate in which nobody takes part need not
    /// hear of the end; it is kept for a while because more calls may come.
    pub(crate) fn rest(&self, entry: &Entry) {
        if entry.subordinate && self.table.len() > IDLE.min(self.most / 2) {
            self.drop_idle(entry);
        }
    }

    /// Removes a subordinate in which nobody takes part. Returns whether it is one.
    fn drop_idle(&self, entry: &Entry) -> bool {
        let mut goes = false;
        self.table.remove_if(entry, |entry| {
            goes = entry.is_idle();
            if goes {
                self.timer.set(entry, None);
            }
            goes
        });
        if goes && let Some(parent) = entry.leave_parent() {
            self.wake_later(parent);
        }
        goes
    }

    /// Lets the timer look at a transaction when it wants it, or when nobody has taken part by then.
    fn wake_later(&self, entry: &Entry) {
        let wanted = entry.machine().wake_at();
        let look = entry.may_rest().then(|| self.now() + REST);
        let wake = [wanted, look].into_iter().flatten().min();
        self.timer.set(entry, wake);
    }

    /// Reads the log, and begins to finish what it tells of.
    pub(crate) fn start(&self, elsewhere: Weak<dyn Elsewhere>) -> io::Result<()> {
        self.elsewhere.set(elsewhere).ok();
        let recovered = recover(&self.journal()?.read()?, self.now(), self.options);
        let named: HashSet<String> = recovered.iter().flat_map(names).collect();
        for transaction in recovered {
            let entry = self.table.add(Arc::new(Entry::new(transaction)), |_| {});
            self.timer.set(&entry, Some(self.now()));
        }
        let managers = self.managers.read().unwrap_or_else(PoisonError::into_inner).clone();
        for (name, manager) in &managers {
            for token in manager.prepared()? {
                if named.contains(&super::local_name(name, &token)) {
                    continue;
                }
                // Its coordinator knows nothing of it: it has rolled back.
                if let Some(resource) = manager.resource(&token)? {
                    resource.rollback().map_err(io::Error::other)?;
                }
            }
        }
        Ok(())
    }

    /// Starts the threads that look at the time.
    pub(crate) fn threads(self: &Arc<Self>) -> io::Result<Vec<JoinHandle<()>>> {
        let start = |_| {
            let engine = Arc::downgrade(self);
            let timer = self.timer.clone();
            thread::Builder::new().name("transactions".to_owned()).spawn(move || {
                while let Some(key) = timer.next() {
                    let Some(engine) = engine.upgrade() else { return };
                    if let Some(entry) = engine.find(key) {
                        Timer::woken(&entry);
                        if !engine.drop_idle(&entry) {
                            engine.drive(&entry, Event::Tick);
                        }
                    }
                }
            })
        };
        (0..THREADS).map(start).collect()
    }

    /// Ends the threads. Returns those that help, so that somebody waits for them.
    pub(crate) fn end(&self) -> Vec<JoinHandle<()>> {
        self.timer.end();
        self.helpers.end()
    }

    /// Writes to the log what was only appended, so that it is not done again after the next start, and
    /// lets go of the log.
    pub(crate) fn close(&self) {
        let journal = self.journal.write().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Err(error)) = journal.map(|journal| journal.sync()) {
            tracing::warn!(%error, "the log of transactions was not written to its end");
        }
    }

    /// The log.
    ///
    /// # Errors
    /// The transactions were stopped.
    fn journal(&self) -> io::Result<Arc<dyn Journal>> {
        let journal = self.journal.read().unwrap_or_else(PoisonError::into_inner).clone();
        journal.ok_or_else(|| io::Error::other("the transactions of this process have stopped"))
    }

    /// Brings an event, and carries out everything that follows. Returns what whoever has brought it
    /// is told.
    pub(crate) fn drive(&self, entry: &Entry, event: Event) -> Option<Reply> {
        let is_tick = matches!(event, Event::Tick);
        let mut queue = VecDeque::from(entry.handle(event, self.now()));
        if is_tick {
            let again = |it: &&Action| matches!(it, Action::AskSuperior | Action::Commit(_));
            self.counts.retried(queue.iter().filter(again).count());
        }
        let (mut reply, mut ended) = (None, false);
        while let Some(action) = queue.pop_front() {
            let event = match action {
                action if Telling::of(&action).is_some() => {
                    for event in self.tell(entry, action, &mut queue) {
                        queue.extend(entry.handle(event, self.now()));
                    }
                    continue;
                }
                Action::Reply(told) => {
                    reply = Some(told);
                    continue;
                }
                Action::End => {
                    ended = true;
                    continue;
                }
                action => self.perform(entry, action),
            };
            if let Some(event) = event {
                queue.extend(entry.handle(event, self.now()));
            }
        }
        // What is a part of it ends with it.
        if !entry.machine().is_active() {
            for part in entry.parts() {
                self.drive(&part, Event::Rollback);
            }
        }
        if ended {
            // Those are counted that are transactions for themselves.
            if entry.parent.is_none() {
                self.counts.ended(&entry.machine());
            }
            self.timer.set(entry, None);
            self.table.remove_if(entry, |_| true);
            if let Ok(journal) = self.journal() {
                journal.forget(entry.key);
            }
            if let Some(parent) = entry.leave_parent() {
                let half = entry.machine().has_begun_to_commit();
                if half && entry.status() == Status::RolledBack {
                    parent.handle(Event::RollbackOnly, self.now());
                }
                self.wake_later(parent);
            }
        } else {
            self.wake_later(entry);
        }
        reply
    }

    /// Tells a participant what it is to do, and those beside it that are told next.
    fn tell(&self, entry: &Entry, first: Action, queue: &mut VecDeque<Action>) -> Vec<Event> {
        let mut calls = Vec::new();
        let mut next = Some(first);
        while let Some((place, telling)) = next.as_ref().and_then(Telling::of) {
            let member = self.member(entry, place);
            calls.push(Call { key: entry.key, place, telling, member });
            let is_told = queue.front().and_then(Telling::of).is_some();
            next = if is_told { queue.pop_front() } else { None };
        }
        // What ends with the process waits for no disk and no network.
        match entry.has_names() {
            true => Call::make_all(calls, &self.helpers),
            false => calls.into_iter().map(Call::make).collect(),
        }
    }

    fn perform(&self, entry: &Entry, action: Action) -> Option<Event> {
        Some(match action {
            Action::Before(synchronization) => {
                let called = entry.synchronization(synchronization);
                let failed = called.is_some_and(|it| guarded(|| it.before_completion()).is_err());
                Event::Before { synchronization, failed }
            }
            Action::After(synchronization, status) => {
                let called = entry.synchronization(synchronization);
                let tell = |it: Arc<dyn Synchronization>| {
                    guarded(|| {
                        it.after_completion(status);
                        Ok(())
                    })
                };
                called.map(tell);
                return None;
            }
            Action::Forget(place) => {
                let forget = |member: Arc<dyn Resource>| {
                    guarded(|| {
                        member.forget();
                        Ok(())
                    })
                };
                self.member(entry, place).and_then(forget).ok();
                return None;
            }
            Action::Bequeath => Event::Inherited(self.bequeath(entry)),
            Action::Force(record) => {
                if matches!(record.kind, Kind::Heuristic { .. }) {
                    self.counts.heuristic();
                }
                Event::Forced(self.force(&record))
            }
            Action::Write(record) => {
                // It is written again after the next restart.
                self.journal().and_then(|journal| journal.append(&record)).ok();
                return None;
            }
            Action::AskSuperior => Event::Superior(self.ask(entry)),
            _ => return None,
        })
    }

    /// Lets the transaction above have the participants of a subtransaction. Returns whether it has them.
    fn bequeath(&self, entry: &Entry) -> bool {
        let Some(parent) = &entry.parent else { return false };
        // Its own superior may not know of it yet.
        let joined =
            !entry.has_participants() || self.elsewhere().is_some_and(|it| it.join(parent));
        joined && entry.bequeath(parent).is_ok()
    }

    fn force(&self, record: &Record) -> Forced {
        if self.has_failed() {
            return Forced::Absent;
        }
        // What the next transactions find in the log is theirs.
        let Ok(journal) = self.journal() else { return Forced::Absent };
        match journal.force(record) {
            Ok(()) => Forced::Durable,
            Err(error) => {
                let key = record.key;
                tracing::error!(%key, %error, "a transaction cannot be written to the log");
                if error.kind() == io::ErrorKind::StorageFull {
                    return Forced::Absent;
                }
                self.failed.store(true, Ordering::Relaxed);
                Forced::Unknown
            }
        }
    }

    fn elsewhere(&self) -> Option<Arc<dyn Elsewhere>> {
        self.elsewhere.get()?.upgrade()
    }

    fn ask(&self, entry: &Entry) -> SuperiorAnswer {
        let superior = entry.machine().superior().cloned();
        match (superior, self.elsewhere()) {
            (Some(superior), Some(elsewhere)) => elsewhere.ask(&superior, entry),
            _ => SuperiorAnswer::AskAgain,
        }
    }

    /// A participant: it is at hand, or was enlisted by a process before this one.
    fn member(&self, entry: &Entry, place: usize) -> Result<Arc<dyn Resource>, ResourceError> {
        let name = match entry.member(place) {
            Ok(member) => return Ok(member),
            Err(name) => name,
        };
        let unreachable = ResourceError::Refused(Refusal::Unreachable { maybe_done: false });
        let found = match parse_local(&name) {
            Some((manager, token)) => {
                let managers = self.managers.read().unwrap_or_else(PoisonError::into_inner);
                let manager = managers.get(manager).cloned().ok_or(unreachable)?;
                drop(managers);
                let found = manager.resource(token);
                let found = found.map_err(|error| ResourceError::Failed(error.to_string()))?;
                found.ok_or(ResourceError::Refused(Refusal::Gone))?
            }
            // What was not to outlive its process has not.
            None if name.is_empty() => return Err(ResourceError::Refused(Refusal::Gone)),
            None => self.elsewhere().ok_or(unreachable)?.resource(&name)?,
        };
        entry.set_member(place, found.clone());
        Ok(found)
    }
}

fn names(transaction: &Transaction) -> Vec<String> {
    transaction.participants().iter().map(|it| it.name().to_string()).collect()
}
