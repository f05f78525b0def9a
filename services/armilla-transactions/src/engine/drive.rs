//! Carries out what the protocol wants.

use super::Elsewhere;
use super::entry::Entry;
use super::helpers::Helpers;
use super::local::parse_local;
use super::table::Table;
use super::telling::{Call, Telling, guarded};
use super::timer::Timer;
use crate::journal::Journal;
use crate::model::{
    Action, Event, Forced, Key, Options, Record, Refusal, Reply, SuperiorAnswer, Time, Transaction,
    recover,
};
use crate::resource::{Resource, ResourceError, ResourceManager, Synchronization};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

/// The threads that try again and end what is late. One that waits for a silent host holds the others
/// up no longer than a call takes.
const THREADS: usize = 4;

/// The transactions of a process.
pub(crate) struct Engine {
    table: Table,
    timer: Arc<Timer>,
    helpers: Arc<Helpers>,
    journal: Arc<dyn Journal>,
    pub(crate) options: Options,
    most: usize,
    managers: HashMap<String, Arc<dyn ResourceManager>>,
    elsewhere: OnceLock<Arc<dyn Elsewhere>>,
    failed: AtomicBool,
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
            journal,
            options,
            most,
            managers,
            elsewhere: OnceLock::new(),
            failed: AtomicBool::new(false),
        }
    }

    pub(crate) fn now(&self) -> Time {
        self.timer.now()
    }

    /// Whether the log cannot be written any more: nothing commits until the process is restarted.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    pub(crate) fn find(&self, key: Key) -> Option<Arc<Entry>> {
        self.table.find(key)
    }

    pub(crate) fn all(&self) -> Vec<Arc<Entry>> {
        self.table.all()
    }

    /// Adds a transaction, or returns the one that there is. `None` if there are too many. If a call
    /// begins to work in it, it stays until that ends.
    pub(crate) fn add(&self, entry: Entry, call_begins: bool) -> Option<Arc<Entry>> {
        if self.table.len() >= self.most {
            return None;
        }
        let entry = self.table.add(Arc::new(entry), |entry| {
            if call_begins {
                entry.machine().handle(Event::CallBegan, self.now());
            }
        });
        let wake = entry.machine().wake_at();
        self.timer.set(&entry, wake);
        Some(entry)
    }

    /// Removes a transaction that nobody takes part in.
    pub(crate) fn drop_empty(&self, entry: &Entry) {
        self.table.remove_if(entry, |entry| {
            let goes = entry.is_empty() && !entry.machine().has_calls();
            if goes {
                self.timer.set(entry, None);
            }
            goes
        });
    }

    /// Reads the log, and begins to finish what it tells of.
    pub(crate) fn start(self: &Arc<Self>, elsewhere: Arc<dyn Elsewhere>) -> io::Result<()> {
        self.elsewhere.set(elsewhere).ok();
        let recovered = recover(&self.journal.read()?, self.now(), self.options);
        let named: HashSet<String> = recovered.iter().flat_map(names).collect();
        for transaction in recovered {
            let entry = self.table.add(Arc::new(Entry::new(transaction)), |_| {});
            self.timer.set(&entry, Some(self.now()));
        }
        for (name, manager) in &self.managers {
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
                        engine.drive(&entry, Event::Tick);
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

    /// Writes to the log what was only appended: it is not to be done again after the next start.
    pub(crate) fn sync(&self) {
        if let Err(error) = self.journal.sync() {
            tracing::warn!(%error, "the log of transactions was not written to its end");
        }
    }

    /// Brings an event, and carries out everything that follows. Returns what whoever has brought it
    /// is told.
    pub(crate) fn drive(&self, entry: &Entry, event: Event) -> Option<Reply> {
        let mut queue = VecDeque::from(entry.handle(event, self.now()));
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
        let wake = if ended { None } else { entry.machine().wake_at() };
        self.timer.set(entry, wake);
        if ended {
            self.table.remove_if(entry, |_| true);
            self.journal.forget(entry.key);
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
            Action::Force(record) => Event::Forced(self.force(&record)),
            Action::Write(record) => {
                // It is written again after the next restart.
                self.journal.append(&record).ok();
                return None;
            }
            Action::AskSuperior => Event::Superior(self.ask(entry)),
            _ => return None,
        })
    }

    fn force(&self, record: &Record) -> Forced {
        if self.has_failed() {
            return Forced::Absent;
        }
        match self.journal.force(record) {
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

    fn ask(&self, entry: &Entry) -> SuperiorAnswer {
        let superior = entry.machine().superior().cloned();
        match (superior, self.elsewhere.get()) {
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
                let manager = self.managers.get(manager).ok_or(unreachable)?;
                let found = manager.resource(token);
                let found = found.map_err(|error| ResourceError::Failed(error.to_string()))?;
                found.ok_or(ResourceError::Refused(Refusal::Gone))?
            }
            // What was not to outlive its process has not.
            None if name.is_empty() => return Err(ResourceError::Refused(Refusal::Gone)),
            None => self.elsewhere.get().ok_or(unreachable)?.resource(&name)?,
        };
        entry.set_member(place, found.clone());
        Ok(found)
    }
}

fn names(transaction: &Transaction) -> Vec<String> {
    transaction.participants().iter().map(|it| it.name().to_string()).collect()
}
