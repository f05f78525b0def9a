//! Where timers are kept: in memory, or with the feature `disk` in a file, too.

use super::corba::{EventStatus, KeptTimer};
use super::model::{Saved, Status, TimerId};
use armilla_store::StoreError;
use std::fmt;
#[cfg(feature = "disk")]
use {armilla::Orb, std::path::Path};

/// The timers of a service, and where they are kept.
pub struct Store {
    pub(super) timers: Vec<(TimerId, KeptTimer)>,
    pub(super) keeper: Keeper,
}

impl Store {
    /// Timers in memory. They end with the process.
    pub const fn memory() -> Self {
        Self { timers: Vec::new(), keeper: Keeper::Memory }
    }

    /// Opens the store in a directory, which is made if it is missing. Every change is on the disk
    /// when it is acknowledged. One process at a time can open a directory.
    ///
    /// # Errors
    /// The file cannot be made, read or written, another process holds it, or it is damaged:
    /// nothing of a damaged file is served.
    #[cfg(feature = "disk")]
    pub fn open(directory: impl AsRef<Path>, orb: &Orb) -> Result<Self, StoreError> {
        let (file, timers) = disk::open(directory.as_ref(), orb)?;
        Ok(Self { timers, keeper: Keeper::Disk(file) })
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("timers", &self.timers.len()).finish_non_exhaustive()
    }
}

pub(super) enum Keeper {
    Memory,
    #[cfg(feature = "disk")]
    Disk(armilla_store::File),
}

impl Keeper {
    pub(super) fn is_persistent(&self) -> bool {
        !matches!(self, Self::Memory)
    }

    /// Keeps a timer as it is, or that it is there no more.
    pub(super) fn keep(&self, id: TimerId, timer: Option<&KeptTimer>) -> Result<(), StoreError> {
        match self {
            Self::Memory => {
                let _ = (id, timer);
                Ok(())
            }
            #[cfg(feature = "disk")]
            Self::Disk(file) => disk::keep(file, id, timer),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Self::Disk(file) => file.check().map_err(|error| error.to_string()),
        }
    }
}

/// A status in IDL.
pub(super) const fn wire(status: Status) -> EventStatus {
    match status {
        Status::Set => EventStatus::EsTimeSet,
        Status::Cleared => EventStatus::EsTimeCleared,
        Status::Triggered => EventStatus::EsTriggered,
        Status::Failed => EventStatus::EsFailedTrigger,
    }
}

/// What a timer that was kept does.
pub(super) fn saved(kept: &KeptTimer) -> Saved {
    let some = |units: u64| (units > 0).then_some(units);
    let status = match kept.status {
        EventStatus::EsTimeSet => Status::Set,
        EventStatus::EsTimeCleared => Status::Cleared,
        EventStatus::EsTriggered => Status::Triggered,
        EventStatus::EsFailedTrigger => Status::Failed,
    };
    let (due, period, last) = (some(kept.due), some(kept.period), some(kept.last));
    Saved { due, is_absolute: kept.is_absolute, period, last, status }
}

#[cfg(feature = "disk")]
mod disk {
    //! The file: a table of timers by their numbers.

    use super::*;
    use crate::record::{encode, read};
    use armilla_store::{File, Format, TableDefinition};

    const TIMERS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("timers");

    static FORMAT: Format = Format {
        file: "timers.redb",
        version: 1,
        service: "timer service",
        otherwise: "put a copy of the file in its place",
        cache: 16 << 20,
        make: |transaction| {
            transaction.open_table(TIMERS)?;
            Ok(())
        },
    };

    type Timers = Vec<(TimerId, KeptTimer)>;

    pub(super) fn open(directory: &Path, orb: &Orb) -> Result<(File, Timers), StoreError> {
        File::open(directory, &FORMAT, |file| {
            let mut timers = Vec::new();
            file.rows(TIMERS, |number, record| {
                timers.push((TimerId(number), read(&number.to_be_bytes(), record, orb)?));
                Ok(())
            })?;
            Ok(timers)
        })
    }

    pub(super) fn keep(
        file: &File,
        TimerId(number): TimerId,
        timer: Option<&KeptTimer>,
    ) -> Result<(), StoreError> {
        let record = timer.map(|timer| encode(&number.to_be_bytes(), timer)).transpose();
        let record = record.map_err(|why| StoreError::new(file.path(), why))?;
        file.write(|transaction| {
            let mut timers = transaction.open_table(TIMERS)?;
            match &record {
                Some(record) => drop(timers.insert(number, record.as_slice())?),
                None => drop(timers.remove(number)?),
            }
            Ok(())
        })
    }
}
