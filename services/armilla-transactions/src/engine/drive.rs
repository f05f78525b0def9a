//! Carries out what the protocol wants.

use super::calls::{Calls, Round};
use super::counts::Counts;
use super::entry::{Elsewhere, Entry, Host};
use super::silence::{PROBES, SilentHosts, Turn};
use super::table::Table;
use super::telling::{Telling, guarded, within};
use super::timer::{Due, Timer};
use crate::journal::Journal;
use crate::model::{
    Action, Event, Forced, GlobalRef, Key, Kind, Options, Record, Reply, Status, Time, Transaction,
    recover,
};
use crate::resource::{Resource, ResourceManager, Synchronization};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The threads that try again and end what is late: one more than silent hosts can hold up.
const THREADS: usize = PROBES + 1;

/// The subordinates in which nobody takes part that are kept for their next call, at most; and for how
/// long one is kept, at least.
const IDLE: usize = 1024;
const REST: Duration = Duration::from_secs(1);

/// The transactions of a process.
pub(crate) struct Engine {
    table: Table,
    timer: Arc<Timer>,
    calls: Calls,
    /// None once the transactions were stopped: the next ones may open it.
    journal: RwLock<Option<Arc<dyn Journal>>>,
    pub(crate) options: Options,
    most: usize,
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
        let timer = Arc::<Timer>::default();
        let calls = Calls {
            call: options.call,
            timer: timer.clone(),
            helpers: Arc::default(),
            silent: SilentHosts::new(options.backoff),
            managers: RwLock::new(managers),
            elsewhere: OnceLock::new(),
        };
        Self {
            table: Table::default(),
            timer,
            calls,
            journal: RwLock::new(Some(journal)),
            options,
            most,
            failed: AtomicBool::new(false),
            counts: Counts::default(),
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.timer.now()
    }

    /// Adds who finds resources by the name of the manager.
    pub(crate) fn add_manager(&self, name: String, manager: Arc<dyn ResourceManager>) {
        self.calls.managers.write().unwrap_or_else(PoisonError::into_inner).insert(name, manager);
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
        self.calls.elsewhere.set(elsewhere).ok();
        let recovered = recover(&self.journal()?.read()?, self.now(), self.options);
        let named: HashSet<String> = recovered.iter().flat_map(names).collect();
        for transaction in recovered {
            let entry = self.table.add(Arc::new(Entry::new(transaction)), |_| {});
            self.timer.set(&entry, Some(self.now()));
        }
        let managers = self.calls.managers.read().unwrap_or_else(PoisonError::into_inner).clone();
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
                while let Some(due) = timer.next() {
                    let Some(engine) = engine.upgrade() else { return };
                    match due {
                        Due::Transaction(key) => engine.wake(key),
                        Due::Host(host) => engine.ask_silent(&host),
                    }
                }
            })
        };
        (0..THREADS).map(start).collect()
    }

    fn wake(&self, key: Key) {
        let Some(entry) = self.find(key) else { return };
        Timer::woken(&entry);
        if !self.drop_idle(&entry) {
            self.drive(&entry, Event::Tick);
        }
    }

    /// Lets the next one that waits for a silent host find out whether it answers.
    fn ask_silent(&self, host: &Host) {
        loop {
            match self.calls.silent.turn(host, self.now()) {
                Turn::Of(key) => {
                    if let Some(entry) = self.find(key) {
                        entry.handle(Event::Answers, self.now());
                        self.drive(&entry, Event::Tick);
                    }
                }
                Turn::Later(at) => return self.timer.look_at(host, at),
                Turn::Nobody => return,
            }
        }
    }

    /// Lets transactions go on that have waited for a host.
    fn go_on(&self, keys: &[Key]) {
        for entry in keys.iter().filter_map(|key| self.find(*key)) {
            entry.handle(Event::Answers, self.now());
            self.wake_later(&entry);
        }
    }

    /// Ends the threads. Returns those that help, so that somebody waits for them.
    pub(crate) fn end(&self) -> Vec<JoinHandle<()>> {
        self.timer.end();
        self.calls.helpers.end()
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
        let mut round = Round::of(&event);
        let mut queue = VecDeque::from(entry.handle(event, self.now()));
        let (mut reply, mut ended) = (None, false);
        while let Some(action) = queue.pop_front() {
            let event = match action {
                action if Telling::of(&action).is_some() => {
                    for event in self.calls.tell(entry, action, &mut queue, &mut round) {
                        queue.extend(entry.handle(event, self.now()));
                    }
                    continue;
                }
                Action::AskSuperior => {
                    for event in self.calls.ask(entry, &mut round) {
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
        self.counts.retried(round.retries);
        self.go_on(&round.answered);
        self.calls.conclude(entry, round);
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

    fn perform(&self, entry: &Entry, action: Action) -> Option<Event> {
        Some(match action {
            Action::Before(synchronization) => {
                let called = entry.synchronization(synchronization);
                let before = |it: Arc<dyn Synchronization>| guarded(|| it.before_completion());
                let limit = self.calls.time_left(entry);
                let failed = called.is_some_and(|it| within(limit, || before(it)).is_err());
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
                called.map(|it| within(Some(self.options.call), || tell(it)));
                return None;
            }
            Action::Forget(place) => {
                let forget = |member: Arc<dyn Resource>| {
                    guarded(|| {
                        member.forget();
                        Ok(())
                    })
                };
                let member = self.calls.member(entry, place);
                member.and_then(|it| within(Some(self.options.call), || forget(it))).ok();
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
            _ => return None,
        })
    }

    /// Lets the transaction above have the participants of a subtransaction. Returns whether it has them.
    fn bequeath(&self, entry: &Entry) -> bool {
        let Some(parent) = &entry.parent else { return false };
        // Its own superior may not know of it yet.
        let joined =
            !entry.has_participants() || self.calls.elsewhere().is_some_and(|it| it.join(parent));
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
}

fn names(transaction: &Transaction) -> Vec<String> {
    transaction.participants().iter().map(|it| it.name().to_string()).collect()
}
