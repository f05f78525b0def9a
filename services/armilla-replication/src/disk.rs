//! The disk of a member: a log of `armilla-log`.

use crate::error::ReplicaError;
use crate::model::{Failure, History, Journal, Kept};
use armilla_log::{Log, LogError, Options, Position};
use armilla_store::Recovered;
use std::fmt;
use std::path::Path;

/// Who needs the records, to the log.
const CONSUMER: &str = "member";

/// The longest part of what is written. A whole state may be longer than a record of the log.
const PART: usize = 1 << 20;

/// The first octet of a part, by bit: it is the first, it is the last.
const FIRST: u8 = 1;
const LAST: u8 = 2;

pub(crate) struct Disk(Log);

/// What to do with a disk that is damaged.
const REMEDY: &str = "move its directory away, and it joins as a newcomer if another member has the state; if \
                      none has, save what is left with `armilla groups recover`";

fn failed(error: &LogError) -> Failure {
    match error {
        LogError::Damaged(damage) => damaged(damage),
        error => Failure(format!("the disk of the member: {error}")),
    }
}

fn damaged(what: &impl fmt::Display) -> Failure {
    Failure(format!("the disk of the member: {what}; {REMEDY}"))
}

/// What was saved of the damaged disk of a member, or can be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Saved {
    /// As a trial: how many records of the log are good. Which of them follow a state in good order is
    /// known once they are saved.
    Records(u64),
    /// A state and the requests behind it, up to that of this number.
    Requests(u64),
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Records(count) => write!(f, "{count} records"),
            Self::Requests(number) => write!(f, "the state after {number} requests"),
        }
    }
}

/// Saves what can be saved of the damaged disk of a member, which is not running: its latest state and
/// what follows that without a gap. As a `trial` it only says what is damaged.
///
/// What was executed behind that is lost, although it was replied. Where another member of the group
/// has its state, move the directory away instead: the member is given the state.
///
/// # Errors
/// Another process has the disk, it cannot be read or written, or no state is left on it.
pub fn recover(
    directory: impl AsRef<Path>,
    is_trial: bool,
) -> Result<Recovered<Saved>, ReplicaError> {
    let directory = directory.as_ref();
    let found = armilla_log::recover(directory, is_trial);
    let found = found.map_err(|error| ReplicaError::Disk(failed(&error)))?;
    let Recovered { saved, mut losses, last_commit, kept } = found;
    if is_trial {
        let saved = Saved::Records(saved.records);
        return Ok(Recovered { saved, losses, last_commit, kept });
    }
    let (number, lost) = mend(directory).map_err(ReplicaError::Disk)?;
    if lost > 0 {
        losses.push(format!("{lost} records behind request {number} do not follow it"));
    }
    Ok(Recovered { saved: Saved::Requests(number), losses, last_commit: None, kept })
}

/// Writes the latest history that is whole behind all others, if that is not what a member would read.
/// Returns the number of its last request, and how many records are lost.
fn mend(directory: &Path) -> Result<(u64, u64), Failure> {
    let log = Log::open(directory, Options::default()).map_err(|error| failed(&error))?;
    let from = log.acknowledged(CONSUMER).unwrap_or_else(|| log.first());
    if let Ok(Some(history)) = read(&log, from) {
        return Ok((history.last().number, 0));
    }
    let (history, lost) = salvage(&log)?;
    let number = history.last().number;
    let disk = Disk(log);
    let mut begin = None;
    for kept in history.into_kept() {
        let octets = kept.to_octets().map_err(|error| Failure(error.to_string()))?;
        let position = disk.write(&octets).map_err(|error| failed(&error))?;
        begin.get_or_insert(position);
    }
    let begin = begin.unwrap_or_default();
    disk.0.acknowledge(CONSUMER, begin).map_err(|error| failed(&error))?;
    Ok((number, lost))
}

/// The history that has come farthest, and how many records are behind it that do not follow it.
fn salvage(log: &Log) -> Result<(History, u64), Failure> {
    let (mut pieces, mut best) = (Pieces::default(), None::<(History, u64)>);
    let (mut current, mut lost, mut is_whole) = (None::<History>, 0, false);
    for record in log.read_from(log.first()) {
        let (kept, is_behind_gap) = pieces.join(record.map_err(|error| failed(&error))?);
        is_whole &= !is_behind_gap;
        let Some(kept) = kept else { continue };
        let is_checkpoint = matches!(kept, Ok(Kept::Checkpoint(..)));
        if is_checkpoint {
            best = farther(best, current.take(), lost);
            lost = 0;
        }
        // Behind a gap the history may go on, if that was nothing of it. Whose it is nobody knows.
        let may_follow = match &kept {
            Ok(Kept::Checkpoint(..)) => true,
            Ok(Kept::Record(record)) => {
                current.as_ref().is_some_and(|history| history.last() == record.after)
            }
            Ok(Kept::Identity(_)) => is_whole,
            Err(_) => false,
        };
        match kept {
            Ok(kept) if may_follow => current = History::follow(current, kept)?,
            _ => lost += 1,
        }
        is_whole = may_follow;
    }
    let none = || Failure("the disk of the member: no state is left on it".to_owned());
    farther(best, current, lost).ok_or_else(none)
}

/// The history that has come farther; the later one if both are as far.
fn farther(
    best: Option<(History, u64)>,
    next: Option<History>,
    lost: u64,
) -> Option<(History, u64)> {
    let place = |history: &History| (history.last().view, history.last().number);
    match (best, next) {
        (Some((best, before)), Some(next)) if place(&best) > place(&next) => {
            Some((best, before + lost))
        }
        (_, Some(next)) => Some((next, lost)),
        (best, None) => best,
    }
}

/// What is written is joined of the records of the log.
#[derive(Debug, Default)]
struct Pieces {
    whole: Vec<u8>,
    /// Whether the parts so far are all from the first one on.
    is_begun: bool,
    next: Option<u64>,
}

impl Pieces {
    /// Takes the next record. Returns what it ends, and whether something is missing before it.
    fn join(&mut self, record: armilla_log::Record) -> (Option<Result<Kept, Failure>>, bool) {
        let is_behind_gap = self.next.is_some_and(|next| next != record.number);
        self.next = Some(record.number + 1);
        let Some((flags, part)) = record.data.split_first() else { return (None, is_behind_gap) };
        let is_first = flags & FIRST != 0;
        if is_first {
            self.whole.clear();
        }
        self.is_begun = is_first || (self.is_begun && !is_behind_gap);
        self.whole.extend_from_slice(part);
        let is_done = self.is_begun && flags & LAST != 0;
        self.is_begun &= !is_done;
        let kept = || Kept::from_octets(&self.whole).map_err(|error| damaged(&error));
        (is_done.then(kept), is_behind_gap)
    }
}

impl Disk {
    /// Opens the log in a directory, or makes it, and reads what is on it.
    pub(crate) fn open(directory: &Path) -> Result<(Self, Option<History>), Failure> {
        let log = Log::open(directory, Options::default()).map_err(|error| failed(&error))?;
        for damage in &log.opened().damages {
            tracing::warn!(%damage, "the disk of a member is damaged where it can be read all the same");
        }
        let from = log.acknowledged(CONSUMER).unwrap_or_else(|| log.first());
        let history = read(&log, from)?;
        Ok((Self(log), history))
    }

    fn write(&self, octets: &[u8]) -> Result<Position, LogError> {
        let mut first = None;
        let mut last = self.0.end();
        let count = octets.chunks(PART).len();
        for (at, part) in octets.chunks(PART).enumerate() {
            let is_first = if at == 0 { FIRST } else { 0 };
            let is_last = if at + 1 == count { LAST } else { 0 };
            let framed = [&[is_first | is_last], part].concat();
            last = self.0.append(&framed)?;
            first.get_or_insert(last);
        }
        self.0.commit(last)?;
        Ok(first.unwrap_or(last))
    }
}

/// Reads what members have written from a place on. What was cut off at the end was not written.
fn read(log: &Log, from: Position) -> Result<Option<History>, Failure> {
    let (mut history, mut pieces) = (None, Pieces::default());
    for record in log.read_from(from) {
        let (kept, is_behind_gap) = pieces.join(record.map_err(|error| failed(&error))?);
        if is_behind_gap {
            return Err(damaged(&"records are missing in it"));
        }
        if let Some(kept) = kept {
            history = History::follow(history, kept?).map_err(|failure| damaged(&failure))?;
        }
    }
    Ok(history)
}

impl Journal for Disk {
    fn keep(&self, kept: &Kept) -> Result<(), Failure> {
        let octets = kept.to_octets().map_err(|error| Failure(error.to_string()))?;
        let position = self.write(&octets).map_err(|error| failed(&error))?;
        if matches!(kept, Kept::Checkpoint(..)) {
            // What is before it goes when whole segments of it are there; if not now, later.
            let gone = self.0.acknowledge(CONSUMER, position).and_then(|()| self.0.retain());
            if let Err(error) = gone {
                tracing::warn!(%error, "old records stay on the disk of a member");
            }
        }
        Ok(())
    }
}
