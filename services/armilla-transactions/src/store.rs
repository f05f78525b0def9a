//! The log on the disk: one of `armilla-log`, whose records go once their transactions are over.

use crate::journal::Journal;
use crate::model::{Key, Kind, Record};
use armilla_log::{Log, LogError, Options, Position, Saved};
use armilla_store::Recovered;
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Who needs the records, to the log.
const CONSUMER: &str = "transactions";

/// When a transaction that does not end has so many octets of others behind it, its records are
/// written again: else they would keep the whole log.
const BEHIND: u64 = 64 << 20;

/// What a loss can mean.
const COST: &str =
    "what the lost records have decided is not known: who has not heard of a commit rolls back";

/// A log of decisions in a directory. Threads that decide at the same time share one wait for the
/// disk.
#[derive(Debug)]
pub struct DiskJournal {
    log: Log,
    live: Mutex<Live>,
}

/// Where the records of transactions are that are not over.
#[derive(Debug, Default)]
struct Live {
    records: HashMap<Key, Vec<Position>>,
    firsts: BTreeSet<(Position, Key)>,
    /// Where the last record is.
    last: Option<Position>,
}

impl Live {
    fn note(&mut self, key: Key, position: Position) {
        let positions = self.records.entry(key).or_default();
        if positions.is_empty() {
            self.firsts.insert((position, key));
        }
        positions.push(position);
    }

    fn remove(&mut self, key: Key) {
        let first = self.records.remove(&key).and_then(|positions| positions.first().copied());
        if let Some(first) = first {
            self.firsts.remove(&(first, key));
        }
    }
}

impl DiskJournal {
    /// Opens the log in a directory, or makes it. One process at a time has it open.
    ///
    /// # Errors
    /// The directory cannot be read or written, another process has the log, or it is damaged.
    pub fn open(directory: impl AsRef<Path>) -> io::Result<Self> {
        Self::over(Log::open(directory, Options::default()).map_err(error)?)
    }

    /// Saves what can be saved of a damaged log, which nobody may have open meanwhile; see
    /// [`armilla_log::recover`]. As a `trial` it only says what that would be. Without the records that
    /// are lost, who has not heard of a decision to commit rolls back, and a heuristic outcome may be
    /// forgotten: a copy of the log is better.
    ///
    /// # Errors
    /// Those of [`armilla_log::recover`].
    pub fn recover(
        directory: impl AsRef<Path>,
        is_trial: bool,
    ) -> Result<Recovered<Saved>, LogError> {
        let mut recovered = armilla_log::recover(directory, is_trial)?;
        if !recovered.losses.is_empty() {
            recovered.losses.push(COST.to_owned());
        }
        Ok(recovered)
    }

    /// One over a log that is open. It needs the log for itself.
    ///
    /// # Errors
    /// The log takes no more consumers.
    pub fn over(log: Log) -> io::Result<Self> {
        for damage in &log.opened().damages {
            tracing::warn!(
                %damage,
                "the log of transactions is damaged where it can be read all the same; if a file was cut off, \
                 records are lost"
            );
        }
        if log.acknowledged(CONSUMER).is_none() {
            log.acknowledge(CONSUMER, log.first()).map_err(error)?;
        }
        Ok(Self { log, live: Mutex::default() })
    }

    /// The log, for its health.
    pub const fn log(&self) -> &Log {
        &self.log
    }

    fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends under the lock: what is acknowledged meanwhile must not pass the new record.
    fn enter(&self, record: &Record) -> io::Result<Position> {
        let octets = record.to_octets();
        let mut live = self.live();
        let position = match record.kind {
            // It lets others go.
            Kind::End => self.log.append_urgent(&octets),
            _ => self.log.append(&octets),
        };
        let position = position.map_err(error)?;
        live.last = Some(position);
        match record.kind {
            Kind::End => live.remove(record.key),
            _ => live.note(record.key, position),
        }
        Ok(position)
    }

    /// Acknowledges what is before the first record of a transaction that is not over.
    fn let_go(&self, live: &Live) -> Result<(), LogError> {
        let oldest = live.firsts.first().map_or_else(|| self.log.end(), |(first, _)| *first);
        self.log.acknowledge(CONSUMER, oldest)
    }

    /// Writes the records of the oldest transaction again, if they keep too much.
    fn move_up(&self, live: &mut Live) -> Result<(), LogError> {
        let Some((first, key)) = live.firsts.first().copied() else { return Ok(()) };
        if self.log.end().octets().saturating_sub(first.octets()) < BEHIND {
            return Ok(());
        }
        let positions = live.records.get(&key).cloned().unwrap_or_default();
        let mut moved = Vec::with_capacity(positions.len());
        for position in positions {
            moved.push(self.log.append_urgent(&self.log.read(position)?.data)?);
        }
        if let Some(last) = moved.last() {
            self.log.commit(*last)?;
        }
        live.remove(key);
        moved.into_iter().for_each(|position| live.note(key, position));
        Ok(())
    }
}

impl Journal for DiskJournal {
    fn force(&self, record: &Record) -> io::Result<()> {
        let position = self.enter(record)?;
        self.log.commit(position).map_err(error)
    }

    fn append(&self, record: &Record) -> io::Result<()> {
        self.enter(record).map(drop)
    }

    fn sync(&self) -> io::Result<()> {
        let last = self.live().last;
        last.map_or(Ok(()), |last| self.log.commit(last).map_err(error))
    }

    fn read(&self) -> io::Result<Vec<Record>> {
        let mut live = self.live();
        *live = Live::default();
        let from = self.log.acknowledged(CONSUMER).unwrap_or_default().max(self.log.first());
        let mut records = Vec::new();
        for found in self.log.read_from(from) {
            let found = found.map_err(error)?;
            let record = Record::parse(&found.data).map_err(|wrong| {
                let what = format!("at position {} of the log: {wrong}", found.position);
                io::Error::new(io::ErrorKind::InvalidData, what)
            })?;
            match record.kind {
                Kind::End => live.remove(record.key),
                _ => live.note(record.key, found.position),
            }
            records.push(record);
            if records.len() > 2 * live.records.len() + 100_000 {
                // Most of them are of transactions that are over.
                let is_live = |it: &Record| live.records.contains_key(&it.key);
                records.retain(is_live);
            }
        }
        // Each start begins a segment, so those before would stay if it is killed soon.
        if let Err(error) = self.let_go(&live).and_then(|()| self.log.retain()) {
            tracing::warn!(%error, "the log of transactions cannot be shortened");
        }
        Ok(records)
    }

    fn forget(&self, key: Key) {
        let mut live = self.live();
        live.remove(key);
        let shortened = self.move_up(&mut live).and_then(|()| self.let_go(&live));
        if let Err(error) = shortened {
            tracing::warn!(%error, "the log of transactions cannot be shortened");
        }
    }
}

/// An error of the log. What certainly was not kept is [`StorageFull`](io::ErrorKind::StorageFull).
fn error(error: LogError) -> io::Error {
    let kind = match &error {
        LogError::Full { .. } => io::ErrorKind::StorageFull,
        LogError::Held(_) => io::ErrorKind::ResourceBusy,
        LogError::Damaged(_) => io::ErrorKind::InvalidData,
        _ => io::ErrorKind::Other,
    };
    match error {
        LogError::Damaged(damage) => io::Error::new(
            kind,
            format!(
                "{damage}; restore a copy, because no other place tells what it has decided, or save what \
                 is left with `armilla transactions recover`"
            ),
        ),
        error => io::Error::new(kind, error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GlobalId;

    fn committed(number: u8) -> Record {
        let kind = Kind::Committed {
            global: GlobalId::default(),
            superior: None,
            participants: vec!["IOR:00".into()],
            by_operator: false,
        };
        Record { key: Key([number; 16]), kind }
    }

    #[test]
    fn a_log_tells_what_is_not_over_after_a_restart() {
        let directory = std::env::temp_dir().join(format!("transactions-{}", std::process::id()));
        std::fs::remove_dir_all(&directory).ok();
        let journal = DiskJournal::open(&directory).unwrap();
        for number in 1..4 {
            journal.force(&committed(number)).unwrap();
        }
        journal.append(&Record { key: Key([2; 16]), kind: Kind::End }).unwrap();
        journal.forget(Key([2; 16]));
        journal.forget(Key([1; 16]));
        drop(journal);
        let journal = DiskJournal::open(&directory).unwrap();
        let read = journal.read().unwrap();
        let left = crate::model::recover(&read, Default::default(), Default::default());
        let keys: Vec<_> = left.iter().map(|it| it.key()).collect();
        assert!(keys.contains(&Key([3; 16])) && !keys.contains(&Key([2; 16])), "{keys:?}");
        drop(journal);
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn what_is_left_of_a_damaged_log_is_saved_and_the_error_says_how() {
        let name = format!("transactions-damaged-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::remove_dir_all(&directory).ok();
        let journal = DiskJournal::open(&directory).unwrap();
        let positions: Vec<_> =
            (1..4).map(|number| journal.enter(&committed(number)).unwrap()).collect();
        journal.sync().unwrap();
        drop(journal);
        let is_segment = |path: &std::path::PathBuf| path.extension() == Some("segment".as_ref());
        let files = std::fs::read_dir(&directory).unwrap();
        let segment = files.map(|file| file.unwrap().path()).find(is_segment).unwrap();
        let mut octets = std::fs::read(&segment).unwrap();
        // Behind the block that describes the segment, and the head of the second record.
        let at = 4096 + positions[1].octets() as usize + 30;
        octets[at] ^= 1;
        std::fs::write(&segment, &octets).unwrap();

        let error = DiskJournal::open(&directory).and_then(|journal| journal.read()).unwrap_err();
        let said = error.to_string();
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{said}");
        assert!(said.contains("`armilla transactions recover`"), "{said}");
        let trial = DiskJournal::recover(&directory, true).unwrap();
        assert_eq!((trial.saved.records, trial.losses.len(), trial.kept), (2, 2, None));
        assert_eq!(std::fs::read(&segment).unwrap(), octets, "a trial changes nothing");
        let saved = DiskJournal::recover(&directory, false).unwrap();
        assert_eq!(std::fs::read(saved.kept.unwrap()).unwrap(), octets);
        assert!(saved.losses[1].contains("rolls back"), "{:?}", saved.losses);
        let journal = DiskJournal::open(&directory).unwrap();
        let left = journal.read().unwrap();
        let keys: Vec<_> = left.iter().map(|record| record.key).collect();
        assert_eq!(keys, [Key([1; 16]), Key([3; 16])]);
        drop(journal);
        std::fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn what_is_over_does_not_stay_however_often_the_program_is_killed() {
        let name = format!("transactions-kills-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::remove_dir_all(&directory).ok();
        for number in 0..12 {
            let journal = DiskJournal::open(&directory).unwrap();
            assert!(journal.read().unwrap().len() <= 2);
            journal.force(&committed(number)).unwrap();
            journal.force(&Record { key: Key([number; 16]), kind: Kind::End }).unwrap();
        }
        let files = std::fs::read_dir(&directory).unwrap().count();
        assert!(files <= 6, "{files} files are left");
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
