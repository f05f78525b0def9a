//! Where decisions are written before anybody hears of them.

use crate::model::{Key, Record, RecordError};
use std::io;
use std::sync::{Mutex, PoisonError};

/// The log of a coordinator. Threads may call it at the same time.
///
/// After an error of [`force`](Self::force) nobody knows whether the record is there: the coordinator
/// then leaves the transaction as it is until the log is read again.
pub trait Journal: Send + Sync {
    /// Appends a record, and returns once it survives a failure of the power.
    ///
    /// # Errors
    /// The record may be there or not. One that certainly is not there is an error of the kind
    /// [`StorageFull`](io::ErrorKind::StorageFull).
    fn force(&self, record: &Record) -> io::Result<()>;

    /// Appends a record that may get lost.
    ///
    /// # Errors
    /// The record is lost.
    fn append(&self, record: &Record) -> io::Result<()>;

    /// All records of transactions that were not forgotten, in their order.
    ///
    /// # Errors
    /// The log cannot be read, or has something in it that is no record.
    fn read(&self) -> io::Result<Vec<Record>>;

    /// Writes what was appended to the disk: the process is about to end.
    ///
    /// # Errors
    /// What was appended may be lost.
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    /// The records of a transaction may go. Whether and when they do is the log's business.
    fn forget(&self, key: Key);
}

/// A log in memory, for coordinators whose decisions need not outlive the process, and for tests.
#[derive(Debug, Default)]
pub struct MemoryJournal(Mutex<Vec<Vec<u8>>>);

impl MemoryJournal {
    /// An empty log.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many records there are.
    pub fn len(&self) -> usize {
        self.records().len()
    }

    /// Whether there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn records(&self) -> std::sync::MutexGuard<'_, Vec<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Journal for MemoryJournal {
    fn force(&self, record: &Record) -> io::Result<()> {
        self.append(record)
    }

    fn append(&self, record: &Record) -> io::Result<()> {
        self.records().push(record.to_octets());
        Ok(())
    }

    fn read(&self) -> io::Result<Vec<Record>> {
        let parsed = self.records().iter().map(|octets| Record::parse(octets)).collect::<Vec<_>>();
        let parsed: Result<Vec<_>, RecordError> = parsed.into_iter().collect();
        parsed.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    fn forget(&self, key: Key) {
        self.records().retain(|octets| Record::parse(octets).is_ok_and(|it| it.key != key));
    }
}
