//! Opening a log: its segments are found, and the end of the last one.
//!
//! Only the last segment is read through; of the others, the blocks that describe them. If the log
//! was not closed, what is not certainly on the disk is written once more, to a new segment: the
//! process before may have seen the disk fail, and then the system takes for written what is not.

use crate::files::{Files, LogFile};
use crate::record::{Kind, Place, encode, encode_lost};
use crate::segment::{BLOCK, Segment, sequence};
use crate::segments::{Entry, Segments};
use crate::state::{self, State};
use crate::storage::{Active, SPARE, activate, now, prepare};
use crate::walk::{Met, Records, Tail, Window, tail};
use crate::{Damage, LogError, Options, Position};
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

/// What was found when a log was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opened {
    /// Whether there was none, and it was made.
    pub is_new: bool,
    /// Whether the process before has closed it.
    pub was_closed: bool,
    /// The octets behind the last record that looked like one and were cut: what was being written
    /// when the process or the power ended, and was never acknowledged.
    pub torn: Option<Torn>,
    /// How many octets of records were written once more, because they were not certainly on the
    /// disk.
    pub rewritten: u64,
    /// What is damaged, and could be read because it is there twice.
    pub damages: Vec<Damage>,
}

/// The end of a log that was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// The file.
    pub file: std::path::PathBuf,
    /// Where the log ends now.
    pub end: Position,
    /// How many octets were cut.
    pub octets: u64,
}

/// A log that is opened.
#[derive(Debug)]
pub(crate) struct Parts<F: Files> {
    pub(crate) state: State,
    pub(crate) segments: Segments,
    pub(crate) active: Active<F::File>,
    pub(crate) length: u64,
    /// Where the next record goes, and its number in the segment.
    pub(crate) end: u64,
    pub(crate) number: u32,
    pub(crate) opened: Opened,
}

/// Opens the log of these files, or makes it.
pub(crate) fn open<F: Files>(files: &F, options: &Options) -> Result<Parts<F>, LogError> {
    // What is removed here must not be needed by names that are only in memory.
    files.sync_names().map_err(|error| files.error("", "cannot be brought to the disk", &error))?;
    let names = files.list().map_err(|error| files.error("", "cannot be read", &error))?;
    let sequences: Vec<u64> = names.iter().filter_map(|name| sequence(name)).collect();
    if !names.iter().any(|name| name == state::NAME) {
        return match sequences.is_empty() {
            true => create(files, options, &sequences),
            false => {
                let path = files.path().join(state::NAME);
                Err(Damage::of_file(path, 0, "it is missing, and there are segments").into())
            }
        };
    }
    let (state, damage) = State::read(files)?;
    if !state.is_made {
        return create(files, options, &sequences);
    }
    let mut opened = Opened { damages: damage.into_iter().collect(), ..Opened::default() };
    let (chain, removed) = chain(files, &state, &sequences, &mut opened.damages)?;
    let parts = resume(files, options, state, chain, opened)?;
    if !removed.is_empty() && parts.opened.was_closed {
        // The process before may have failed to say so for good, and the old state needs them.
        parts.state.write(files)?;
    }
    for sequence in removed {
        // If it cannot be removed now, the next opening tries it again.
        files.remove(&crate::segment::name(sequence)).ok();
    }
    Ok(parts)
}

/// Makes a log. What one that was not made to the end has left goes.
fn create<F: Files>(files: &F, options: &Options, sequences: &[u64]) -> Result<Parts<F>, LogError> {
    let mut state = State { log: files.unique(), first: 1, ..State::default() };
    state.write(files)?;
    for sequence in sequences {
        let name = crate::segment::name(*sequence);
        files.remove(&name).map_err(|error| files.error(&name, "cannot be removed", &error))?;
    }
    let segment = Segment {
        log: state.log,
        sequence: 1,
        previous: 0,
        base: 0,
        first_number: 0,
        created: now(files),
        salt: files.unique(),
    };
    let length = options.segment;
    let file = new_file(files, length)?;
    let active = activate(files, file, length, segment, |_| Ok(()))?;
    state.is_made = true;
    state.write(files)?;
    let mut segments = Segments::default();
    segments.push(Entry { segment, length });
    let opened = Opened { is_new: true, was_closed: true, ..Opened::default() };
    Ok(Parts { state, segments, active, length, end: 0, number: 0, opened })
}

fn new_file<F: Files>(files: &F, length: u64) -> Result<F::File, LogError> {
    prepare(files, length).map_err(|error| no_room(files, length, &error))
}

/// The error of a segment that cannot be prepared.
pub(crate) fn no_room<F: Files>(files: &F, length: u64, error: &io::Error) -> LogError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            let what = format!("a segment of {length} octets ({error})");
            LogError::Full { directory: files.path().to_owned(), what }
        }
        _ => files.error(SPARE, "cannot be made", error),
    }
}

/// Reads the blocks that describe a segment. If one of them is damaged the other one serves.
pub(crate) fn describe<F: Files>(
    files: &F,
    sequence: u64,
    log: u64,
    damages: &mut Vec<Damage>,
) -> Result<Entry, LogError> {
    let name = crate::segment::name(sequence);
    let path = || files.path().join(&name);
    let failed = |error| files.error(&name, "cannot be read", &error);
    let file = files.open(&name).map_err(failed)?;
    let length = file.length().map_err(failed)?;
    let at_end = length.saturating_sub(BLOCK);
    let read = |offset| {
        let mut block = vec![0; BLOCK as usize];
        let read = file.read_at(&mut block, offset).map_err(failed)?;
        Ok::<_, LogError>(Segment::decode(&block[..read]).filter(|found| found.log == log))
    };
    let (first, last) = (read(0)?, read(at_end)?);
    let segment = first.or(last).filter(|segment| segment.sequence == sequence);
    let Some(segment) = segment else {
        let what = "neither block that describes the segment is good";
        return Err(Damage::of_file(path(), 0, what).into());
    };
    if first != last {
        let offset = if first.is_none() { 0 } else { at_end };
        let what = "one of the two blocks that describe the segment is damaged";
        damages.push(Damage::of_file(path(), offset, what));
    }
    Ok(Entry { segment, length })
}

/// The segments that follow one another, from the first to the last; and those that go, because they
/// were removed, or a later one has their records.
fn chain<F: Files>(
    files: &F,
    state: &State,
    sequences: &[u64],
    damages: &mut Vec<Damage>,
) -> Result<(Segments, Vec<u64>), LogError> {
    let mut by_sequence = BTreeMap::new();
    let mut removed = Vec::new();
    for sequence in sequences {
        match *sequence < state.first {
            true => removed.push(*sequence),
            false => {
                let entry = describe(files, *sequence, state.log, damages)?;
                by_sequence.insert(*sequence, entry);
            }
        }
    }
    let missing = |sequence| {
        let path = files.path().join(crate::segment::name(sequence));
        LogError::from(Damage::of_file(path, 0, "the segment is missing"))
    };
    let (_, last) = by_sequence.pop_last().ok_or_else(|| missing(state.first))?;
    let mut chain = vec![last];
    let mut previous = last.segment.previous;
    while previous >= state.first {
        let entry = by_sequence.remove(&previous).ok_or_else(|| missing(previous))?;
        previous = entry.segment.previous;
        chain.push(entry);
    }
    removed.extend(by_sequence.keys());
    let mut segments = Segments::default();
    chain.into_iter().rev().for_each(|entry| segments.push(entry));
    Ok((segments, removed))
}

/// Goes on behind the last record.
fn resume<F: Files>(
    files: &F,
    options: &Options,
    state: State,
    mut segments: Segments,
    mut opened: Opened,
) -> Result<Parts<F>, LogError> {
    // A chain has one at least.
    let Some(&last) = segments.last() else {
        return Err(Damage::of_file(files.path().to_owned(), 0, "no segment is there").into());
    };
    let name = last.segment.name();
    let failed = |error| files.error(&name, "cannot be read", &error);
    let file = files.open(&name).map_err(failed)?;
    let limit = last.length.saturating_sub(BLOCK);
    let records = Records { file: &file, segment: last.segment, limit };
    let tail = tail(&records).map_err(failed)?;
    judge(files, &last.segment, &tail)?;
    if tail.is_closed && tail.torn_end.is_none() {
        opened.was_closed = true;
        let active = Active { file, segment: last.segment, used: Vec::new() };
        close_again(files, &active, &tail)?;
        let (end, number, length) = (tail.end, tail.number, last.length);
        return Ok(Parts { state, segments, active, length, end, number, opened });
    }
    // The name of the file need not be on the disk, if the process before has seen the disk fail.
    state.write(files)?;
    opened.torn = tail.torn_end.map(|end| Torn {
        file: files.path().join(&name),
        end: Position::new(tail.end),
        octets: end - tail.end,
    });
    // A segment with little in it is written once more as a whole: whoever crashes often gets no
    // more of them.
    let is_small = tail.end - last.segment.base <= options.segment / 4;
    let (from, number) = match is_small {
        true => (last.segment.base, 0),
        false => (tail.synced, tail.doubtful_number),
    };
    opened.rewritten = tail.end - from;
    let superseded = from == last.segment.base;
    let segment = Segment {
        sequence: last.segment.sequence + 1,
        previous: if superseded { last.segment.previous } else { last.segment.sequence },
        base: from,
        first_number: last.segment.first_number + u64::from(number),
        created: if superseded { last.segment.created } else { now(files) },
        salt: files.unique(),
        ..last.segment
    };
    // What is copied fits, even if the options are others now.
    let least = (opened.rewritten + 4 * BLOCK).next_multiple_of(BLOCK);
    let (new, length) = match new_file(files, options.segment.max(least)) {
        // A full disk need not keep anybody from reading. Appends tell that there is no room.
        Err(LogError::Full { .. }) => (new_file(files, least)?, least),
        new => (new?, options.segment.max(least)),
    };
    let mut number = 0;
    let active = activate(files, new, length, segment, |new| {
        number = copy(&records, from..tail.end, &segment, new).map_err(failed)?;
        Ok(())
    })?;
    if superseded {
        segments.pop_last();
        files.remove(&name).ok();
    }
    segments.push(Entry { segment, length });
    Ok(Parts { state, segments, active, length, end: tail.end, number, opened })
}

/// Tells what is torn, and was never acknowledged, from what is damaged.
fn judge<F: Files>(files: &F, segment: &Segment, tail: &Tail) -> Result<(), LogError> {
    match tail.claimed {
        Some(claimed) if claimed > tail.end => Err(Damage {
            file: files.path().join(segment.name()),
            offset: segment.offset(tail.end),
            position: Some(Position::new(tail.end)),
            number: Some(segment.first_number + u64::from(tail.number)),
            what: tail.met.wrong().to_owned(),
            last_good: tail.last.map(Position::new),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Writes the record that says that the log was closed once more, so that it comes to the disk with
/// the next ones: nobody knows whether it is there.
fn close_again<F: Files>(files: &F, active: &Active<F::File>, tail: &Tail) -> Result<(), LogError> {
    let Some(position) = tail.last else { return Ok(()) };
    let place = Place { salt: active.segment.salt, position, number: tail.number, unsynced: 0 };
    let mut octets = Vec::new();
    encode(&mut octets, Kind::Closed, place, &[]);
    let failed = |error| files.error(&active.segment.name(), "cannot be written", &error);
    active.file.write_all_at(&octets, active.segment.offset(position)).map_err(failed)
}

/// Copies the records that are not certainly on the disk. They keep their positions. Returns the
/// number of the next record.
fn copy<L: LogFile>(
    from: &Records<'_, L>,
    range: Range<u64>,
    segment: &Segment,
    to: &L,
) -> io::Result<u32> {
    let (mut window, mut octets) = (Window::default(), Vec::new());
    let (mut position, mut number) = (range.start, 0);
    while position < range.end {
        let Met::Record(header) = from.at(&mut window, position)? else {
            return Err(io::Error::other("a record was there, and is not any more"));
        };
        let data = from.data(&mut window, position, &header)?;
        // They are on the disk if the new segment has its name there. Nobody knows that until a record
        // behind them says it; until then the next opening takes them from here, too.
        let unsynced = (position - segment.base) as u32;
        let place = Place { salt: segment.salt, position, number, unsynced };
        octets.clear();
        match header.kind {
            Kind::Data => encode(&mut octets, Kind::Data, place, &data[..header.length as usize]),
            // That the log was closed is not true of the new segment.
            Kind::Closed | Kind::Lost => encode_lost(&mut octets, place, header.size() as u32),
        }
        to.write_all_at(&octets, segment.offset(position))?;
        number += u32::from(header.kind == Kind::Data);
        position += header.size();
    }
    Ok(number)
}
