//! What is planned at modalities, what was done there, and what is to be said of it: the entries of
//! the worklist, performed procedure steps, and requests for storage commitment that wait for their
//! report. All of it is on the disk, beside the images, before it is acknowledged.

mod commitments;
mod entry;
pub mod matching;
mod rows;
mod sets;
mod steps;
#[cfg(test)]
mod tests;

pub use commitments::{Commitment, Retry};
pub use entry::{Entry, Progress};
pub use sets::{MOST_SET, object_from_json, object_to_octets, say_set};
pub use steps::{Step, StepState};

use crate::audit::time;
use crate::store::StoreError;
use armilla_ipc::Address;
use dicom_core::Tag;
use dicom_object::InMemDicomObject;
use rows::{Change, Rows, Table};
use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

pub(crate) type Object = InMemDicomObject;

/// The most entries of the worklist, also those that are done: the oldest of these make room, and
/// then those that nobody has begun so many days after they were planned for, as where modalities do
/// not say what they do.
pub const MOST_ENTRIES: usize = 10_000;
/// See [`MOST_ENTRIES`] and [`MOST_STEPS`].
pub const ABANDONED_DAYS: u64 = 7;

/// The most octets of an entry, as JSON.
pub const MOST_ENTRY: usize = 64 << 10;

/// The most performed procedure steps; the oldest that are finished make room, or in progress and
/// unchanged for [`ABANDONED_DAYS`]. And how many others of one host may be in progress.
pub const MOST_STEPS: usize = 10_000;
/// See [`MOST_STEPS`].
pub const MOST_STEPS_OF_HOST: usize = 256;

/// The most commitments that wait, and of one host; and the most objects that one names.
pub const MOST_COMMITMENTS: usize = 1_000;
/// See [`MOST_COMMITMENTS`].
pub const MOST_COMMITMENTS_OF_HOST: usize = 64;
/// See [`MOST_COMMITMENTS`].
pub const MOST_REFERENCES: usize = 20_000;

/// The most octets of all steps, and of all commitments: they are in memory as well.
const MOST_OCTETS: usize = 64 << 20;

/// Whether two addresses of clients are of one host, as limits count hosts.
fn of_one_host(one: &str, other: &str) -> bool {
    let site = |host: &str| Address::tcp(host, 0).site();
    one == other || site(one) == site(other)
}

/// Entries, steps and commitments. Clones share them; any thread may use them.
#[derive(Debug, Clone)]
pub struct Procedures(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    rows: Rows,
    state: Mutex<State>,
    /// A commitment may be due earlier than before.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    entries: BTreeMap<String, Arc<Entry>>,
    steps: BTreeMap<String, Arc<Step>>,
    commitments: BTreeMap<String, Arc<Commitment>>,
    /// The commitments whose association is open, which reports them.
    held: HashSet<String>,
}

/// Why something is not planned, entered or changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProcedureError {
    /// An attribute is not there.
    Missing(Tag),
    /// An attribute has no value, or one that it may not have; the text says which one it may have.
    Invalid(Tag, String),
    /// Something with this UID is there.
    There(String),
    /// Nothing with this UID is there.
    Unknown(String),
    /// A step is finished, and may no longer be changed.
    Finished(String),
    /// There are as many as there may be.
    TooMany(String),
    /// It is no data set.
    NoSet(String),
    /// It cannot be written.
    Store(StoreError),
}

impl fmt::Display for ProcedureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(tag) => write!(f, "{} is missing", sets::name(*tag)),
            Self::Invalid(tag, why) => write!(f, "{}: {why}", sets::name(*tag)),
            Self::There(uid) => write!(f, "{uid} is there already"),
            Self::Unknown(uid) => write!(f, "there is no {uid}"),
            Self::Finished(uid) => write!(f, "{uid} is finished and may no longer be updated"),
            Self::TooMany(what) => f.write_str(what),
            Self::NoSet(why) => write!(f, "no data set: {why}"),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ProcedureError {}

impl State {
    /// The entry that makes room for another one at a time: the one that was done first, or was
    /// planned for the earliest day, if that is long ago.
    fn oldest_entry(&self, at: SystemTime) -> Option<String> {
        let done = self.entries.values().filter(|entry| !entry.progress.is_open());
        let days = Duration::from_secs(ABANDONED_DAYS * 86_400);
        let first_day = time(at.checked_sub(days).unwrap_or(at));
        let first_day: String = first_day.chars().filter(char::is_ascii_digit).take(8).collect();
        let abandoned = || {
            let first = self.entries.values().min_by_key(|entry| entry.begin());
            first.filter(|entry| entry.begin().0 < first_day)
        };
        let oldest = done.min_by_key(|entry| entry.changed).or_else(abandoned);
        oldest.map(|entry| entry.uid.clone())
    }
}

impl Procedures {
    /// Opens what is kept in a directory, which is made if need be.
    ///
    /// # Errors
    /// It cannot be read or written, is damaged, or another process holds it.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let (rows, state) = Rows::open(directory)?;
        let state = Mutex::new(state);
        Ok(Self(Arc::new(Shared { rows, state, changed: Condvar::new() })))
    }

    /// The entries of the worklist, by their UIDs; with `finished`, also those that were done.
    pub fn entries(&self, finished: bool) -> Vec<Arc<Entry>> {
        let state = self.state();
        let entries = state.entries.values();
        entries.filter(|entry| finished || entry.progress.is_open()).cloned().collect()
    }

    /// An entry by its UID.
    pub fn entry(&self, uid: &str) -> Option<Arc<Entry>> {
        self.state().entries.get(uid).cloned()
    }

    /// Plans what a data set describes: an item of a worklist (PS3.4, K.6.1.2.2), or a workitem
    /// (PS3.4, CC.2.5). What it does not say and must, is made. It takes the place of the entry with
    /// its UID, or with its study and step, unless that was begun.
    ///
    /// # Errors
    /// It lacks the patient, the modality or the date; there are as many as may be; the disk fails.
    pub fn plan(&self, set: Object) -> Result<Arc<Entry>, ProcedureError> {
        let entry = Entry::new(set)?;
        let row = small_row(&entry)?;
        let mut state = self.state();
        let same = |other: &&Arc<Entry>| other.uid == entry.uid || other.is_same_step(&entry);
        let there = state.entries.values().find(same).cloned();
        if let Some(there) = there.as_ref().filter(|there| there.progress != Progress::Scheduled) {
            return Err(ProcedureError::There(there.uid.clone()));
        }
        let mut gone: Vec<String> = there.map(|there| there.uid.clone()).into_iter().collect();
        if gone.is_empty() && state.entries.len() >= MOST_ENTRIES {
            gone.push(state.oldest_entry(SystemTime::now()).ok_or_else(|| {
                let why = format!("the worklist has {MOST_ENTRIES} entries; remove some");
                ProcedureError::TooMany(why)
            })?);
        }
        let removed = gone.iter().map(|uid| Change::remove(Table::Entries, uid));
        let added = Change::put(Table::Entries, &entry.uid, row);
        self.write(removed.chain([added]).collect())?;
        for uid in gone {
            state.entries.remove(&uid);
        }
        let entry = Arc::new(entry);
        state.entries.insert(entry.uid.clone(), Arc::clone(&entry));
        Ok(entry)
    }

    /// Changes attributes of an entry; how far it is stays.
    ///
    /// # Errors
    /// It is not there, would lack what an entry needs, is too large, or the disk fails.
    pub fn amend(&self, uid: &str, changes: Object) -> Result<Arc<Entry>, ProcedureError> {
        let mut state = self.state();
        let unknown = || ProcedureError::Unknown(uid.to_owned());
        let entry = state.entries.get(uid).ok_or_else(unknown)?.amended(changes)?;
        self.write(vec![Change::put(Table::Entries, uid, small_row(&entry)?)])?;
        let entry = Arc::new(entry);
        state.entries.insert(uid.to_owned(), Arc::clone(&entry));
        Ok(entry)
    }

    /// Removes an entry; whether it was there.
    ///
    /// # Errors
    /// The disk fails; then it is there as before.
    pub fn remove_entry(&self, uid: &str) -> Result<bool, ProcedureError> {
        let mut state = self.state();
        if !state.entries.contains_key(uid) {
            return Ok(false);
        }
        self.write(vec![Change::remove(Table::Entries, uid)])?;
        Ok(state.entries.remove(uid).is_some())
    }

    /// Changes how far an entry is, with the transaction of who does it (PS3.4, CC.1.1), or without.
    ///
    /// # Errors
    /// It is not there, or the disk fails.
    pub fn mark(
        &self,
        uid: &str,
        progress: Progress,
        transaction: &str,
    ) -> Result<Arc<Entry>, ProcedureError> {
        let mut state = self.state();
        let unknown = || ProcedureError::Unknown(uid.to_owned());
        let mut entry = Entry::clone(state.entries.get(uid).ok_or_else(unknown)?);
        entry.mark(progress);
        transaction.clone_into(&mut entry.transaction);
        self.write(vec![Change::put(Table::Entries, uid, entry.to_row())])?;
        let entry = Arc::new(entry);
        state.entries.insert(uid.to_owned(), Arc::clone(&entry));
        Ok(entry)
    }

    /// How many entries are open, steps in progress, and commitments wait for their report.
    pub fn counts(&self) -> (u64, u64, u64) {
        let state = self.state();
        let open = state.entries.values().filter(|entry| entry.progress.is_open()).count();
        let running = state.steps.values().filter(|step| step.state == StepState::InProgress);
        (open as u64, running.count() as u64, state.commitments.len() as u64)
    }

    /// Whether changes can be kept. Only after a failure it is tried.
    ///
    /// # Errors
    /// They cannot; the text says why.
    pub fn check(&self) -> Result<(), StoreError> {
        self.0.rows.check()
    }

    fn write(&self, changes: Vec<Change>) -> Result<(), ProcedureError> {
        self.0.rows.write(changes).map_err(ProcedureError::Store)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The row of an entry, if it is not too large.
fn small_row(entry: &Entry) -> Result<Vec<u8>, ProcedureError> {
    let row = entry.to_row();
    match row.len() <= MOST_ENTRY {
        true => Ok(row),
        false => {
            let why = format!("an entry of the worklist has {MOST_ENTRY} octets at most");
            Err(ProcedureError::TooMany(why))
        }
    }
}
