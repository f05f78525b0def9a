//! The disk of a member: a log of `armilla-log`.

use crate::model::{Failure, History, Journal, Kept};
use armilla_log::{Log, LogError, Options, Position};
use std::path::Path;

/// Who needs the records, to the log.
const CONSUMER: &str = "member";

/// The longest part of what is written. A whole state may be longer than a record of the log.
const PART: usize = 1 << 20;

/// The first octet of a part, by bit: it is the first, it is the last.
const FIRST: u8 = 1;
const LAST: u8 = 2;

pub(crate) struct Disk(Log);

fn failed(error: &LogError) -> Failure {
    Failure(format!("the disk of the member: {error}"))
}

impl Disk {
    /// Opens the log in a directory, or makes it, and reads what is on it.
    pub(crate) fn open(directory: &Path) -> Result<(Self, Option<History>), Failure> {
        let log = Log::open(directory, Options::default()).map_err(|error| failed(&error))?;
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
    let (mut history, mut whole) = (None, Vec::new());
    for record in log.read_from(from) {
        let data = record.map_err(|error| failed(&error))?.data;
        let Some((flags, part)) = data.split_first() else { continue };
        if flags & FIRST != 0 {
            whole.clear();
        }
        whole.extend_from_slice(part);
        if flags & LAST != 0 {
            let kept = Kept::from_octets(&whole);
            let kept = kept.map_err(|error| Failure(format!("the disk of the member: {error}")))?;
            history = History::follow(history, kept)?;
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
