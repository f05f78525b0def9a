//! All of a log is read: what is good, and what is damaged where. Nothing is changed.

use crate::files::{Files, LogFile};
use crate::opening::describe;
use crate::record::{Header, Kind};
use crate::segment::{BLOCK, Segment, name, sequence};
use crate::segments::Entry;
use crate::state::State;
use crate::walk::{Met, Records, Window};
use crate::{Damage, LogError, Position};
use std::io;

/// What a log has, whatever is damaged.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// What the log knows besides its records, if that can be read.
    pub(crate) state: Option<State>,
    /// The segments that follow one another, the oldest first.
    pub(crate) segments: Vec<Surveyed>,
    pub(crate) damages: Vec<Damage>,
    /// How many records are good.
    pub(crate) records: u64,
    /// The last of them, with its number.
    pub(crate) last: Option<(Position, u64)>,
}

/// A segment with what is damaged in it.
#[derive(Debug)]
pub(crate) struct Surveyed {
    pub(crate) entry: Entry,
    /// Where its records end.
    pub(crate) end: u64,
    /// What is lost, from position to position, with the number of the next good record.
    pub(crate) gaps: Vec<(u64, u64, u32)>,
    /// The number of the segment before it, if it is not the one that it says.
    pub(crate) previous: Option<u64>,
    /// Whether one of the blocks that describe it is damaged.
    pub(crate) has_bad_block: bool,
}

/// Reads all of a log.
///
/// # Errors
/// A file cannot be read at all, or there is no segment that can.
pub(crate) fn survey<F: Files>(files: &F) -> Result<Survey, LogError> {
    let mut survey = Survey::default();
    match State::read(files) {
        Ok((state, damage)) => {
            survey.state = Some(state);
            survey.damages.extend(damage);
        }
        Err(LogError::Damaged(damage)) => survey.damages.push(*damage),
        Err(LogError::Io { path, what }) => survey.damages.push(Damage::of_file(path, 0, what)),
        Err(error) => return Err(error),
    }
    let found = find(files, &mut survey)?;
    let chain = chain(files, found, &mut survey);
    for (number, (entry, previous)) in chain.iter().enumerate() {
        let end = chain.get(number + 1).map(|(next, _)| next.segment.base);
        let surveyed = look(files, *entry, *previous, end, &mut survey)?;
        survey.segments.push(surveyed);
    }
    Ok(survey)
}

/// The segments whose descriptions can be read, by number.
fn find<F: Files>(files: &F, survey: &mut Survey) -> Result<Vec<Entry>, LogError> {
    let names = files.list().map_err(|error| files.error("", "cannot be read", &error))?;
    let mut sequences: Vec<u64> = names.iter().filter_map(|name| sequence(name)).collect();
    sequences.sort_unstable();
    let first = survey.state.as_ref().map_or(0, |state| state.first);
    let mut log = survey.state.as_ref().map(|state| state.log);
    let mut found = Vec::new();
    for sequence in sequences.into_iter().filter(|sequence| *sequence >= first) {
        // If nothing says which log it is, its segments do.
        let of = match log {
            Some(log) => log,
            None => match identity(files, sequence) {
                Some(of) => *log.insert(of),
                None => 0,
            },
        };
        match describe(files, sequence, of, &mut survey.damages) {
            Ok(entry) => found.push(entry),
            Err(LogError::Damaged(damage)) => survey.damages.push(*damage),
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn identity<F: Files>(files: &F, sequence: u64) -> Option<u64> {
    let file = files.open(&name(sequence)).ok()?;
    let at_end = file.length().ok()?.checked_sub(BLOCK)?;
    let read = |offset| {
        let mut block = vec![0; BLOCK as usize];
        let read = file.read_at(&mut block, offset).ok()?;
        Segment::decode(&block[..read]).map(|segment| segment.log)
    };
    read(0).or_else(|| read(at_end))
}

/// The segments that follow one another, and for each the one before it, if that is not the one that
/// it says.
fn chain<F: Files>(
    files: &F,
    mut found: Vec<Entry>,
    survey: &mut Survey,
) -> Vec<(Entry, Option<u64>)> {
    let first = survey.state.as_ref().map(|state| state.first);
    let mut chain = Vec::new();
    let mut next = found.pop();
    while let Some(entry) = next {
        let previous = entry.segment.previous;
        // What stands between them is an older writing of the same records.
        while found.last().is_some_and(|last| last.segment.sequence > previous) {
            found.pop();
        }
        next = found.pop();
        let is_there = next.is_some_and(|found| found.segment.sequence == previous);
        let is_first = first.map_or(next.is_none(), |first| previous < first);
        if !is_there && !is_first {
            let path = files.path().join(name(previous));
            if !survey.damages.iter().any(|damage| damage.file == path) {
                survey.damages.push(Damage::of_file(path, 0, "the segment is missing"));
            }
            chain.push((entry, Some(next.map_or(0, |found| found.segment.sequence))));
        } else {
            chain.push((entry, None));
        }
        // A position is in one segment only.
        next = next.filter(|found| found.segment.base <= entry.segment.base);
    }
    chain.reverse();
    chain
}

/// Reads the records of a segment, which end where the next one begins.
fn look<F: Files>(
    files: &F,
    entry: Entry,
    previous: Option<u64>,
    end: Option<u64>,
    survey: &mut Survey,
) -> Result<Surveyed, LogError> {
    let segment = entry.segment;
    let name = segment.name();
    let failed = |error: io::Error| files.error(&name, "cannot be read", &error);
    let path = files.path().join(&name);
    let has_bad_block = survey.damages.iter().any(|damage| damage.file == path);
    let file = files.open(&name).map_err(failed)?;
    let room = entry.length.saturating_sub(BLOCK).max(BLOCK);
    let limit = end.map_or(room, |end| segment.offset(end));
    let records = Records { file: &file, segment, limit };
    let (mut window, mut at, mut number) = (Window::default(), segment.base, 0);
    let mut gaps = Vec::new();
    let mut last_good = None;
    while end.is_none_or(|end| at < end) {
        let met = records.at(&mut window, at).map_err(failed)?;
        if let Met::Record(header) = met {
            if header.kind == Kind::Data {
                survey.records += 1;
                let number = segment.first_number + u64::from(header.number);
                survey.last = Some((Position::new(at), number));
            }
            last_good = Some(Position::new(at));
            number = header.number + u32::from(header.kind == Kind::Data);
            at += header.size();
            continue;
        }
        let next = records.next_good(&mut window, at).map_err(failed)?;
        let behind = match (next, end) {
            (None, None) => break,
            (None, Some(end)) => end,
            (Some((position, header)), None)
                if !is_claimed(&records, at, position, header).map_err(failed)? =>
            {
                break;
            }
            (Some((position, _)), _) => position,
        };
        survey.damages.push(Damage {
            file: path.clone(),
            offset: segment.offset(at),
            position: Some(Position::new(at)),
            number: Some(segment.first_number + u64::from(number)),
            what: format!("{}; {} octets are lost", met.wrong(), behind - at),
            last_good,
        });
        number = next.map_or(number, |(_, header)| header.number);
        gaps.push((at, behind, number));
        at = behind;
    }
    Ok(Surveyed { entry, end: at, gaps, previous, has_bad_block })
}

/// Whether a record behind a position says that all up to there was on the disk.
fn is_claimed<L: LogFile>(
    records: &Records<'_, L>,
    end: u64,
    position: u64,
    header: Header,
) -> io::Result<bool> {
    let mut window = Window::default();
    let mut next = Some((position, header));
    while let Some((position, header)) = next {
        if position.saturating_sub(u64::from(header.unsynced)) > end {
            return Ok(true);
        }
        next = records.next_good(&mut window, position)?;
    }
    Ok(false)
}
