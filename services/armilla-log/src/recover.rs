//! Saving what is left of a damaged log.
//!
//! Records keep their positions and numbers. Where some are lost, a mark says how much, and readers
//! pass over it.

use crate::files::{Directory, Files, LogFile};
use crate::record::{Place, encode_lost};
use crate::segment::{BLOCK, Segment};
use crate::state::State;
use crate::survey::{Survey, Surveyed, survey};
use crate::walk::Window;
use crate::{Damage, LogError};
use armilla_store::Recovered;
use std::io;
use std::path::{Path, PathBuf};

/// A segment that is written anew.
const NEW: &str = "recovered";

/// What was saved of a damaged log, or can be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Saved {
    /// How many records.
    pub records: u64,
    /// In how many segments.
    pub segments: usize,
    /// Whether the positions of the consumers are known.
    pub has_consumers: bool,
}

impl std::fmt::Display for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { records, segments, has_consumers } = self;
        let consumers = if *has_consumers { "with" } else { "without" };
        write!(f, "{records} records in {segments} segments, {consumers} its consumers")
    }
}

/// Reads all of the log in a directory, which nobody may have open meanwhile, and returns what is
/// damaged. It changes nothing.
///
/// # Errors
/// There is no log, another process has it, or a file cannot be read.
pub fn check(directory: impl AsRef<Path>) -> Result<Vec<Damage>, LogError> {
    check_files(&existing(directory.as_ref())?)
}

/// The same over other files than those of a directory.
///
/// # Errors
/// Those of [`check`].
pub fn check_files<F: Files>(files: &F) -> Result<Vec<Damage>, LogError> {
    survey(files).map(|survey| survey.damages)
}

/// Saves what can be saved of a damaged log, which nobody may have open meanwhile. The damaged files
/// are kept beside it. As a `trial` it only says what that would be. Afterwards the log can be opened.
///
/// # Errors
/// There is no log, nothing of it is left, another process has it, or a file cannot be read or
/// written.
pub fn recover(directory: impl AsRef<Path>, is_trial: bool) -> Result<Recovered<Saved>, LogError> {
    recover_files(&existing(directory.as_ref())?, is_trial)
}

/// The same over other files than those of a directory.
///
/// # Errors
/// Those of [`recover`].
pub fn recover_files<F: Files>(files: &F, is_trial: bool) -> Result<Recovered<Saved>, LogError> {
    let survey = survey(files)?;
    let Some(first) = survey.segments.first().map(|first| first.entry.segment) else {
        let what = "has no segment that can be read: nothing is left".to_owned();
        return Err(LogError::Io { path: files.path().to_owned(), what });
    };
    let saved = Saved {
        records: survey.records,
        segments: survey.segments.len(),
        has_consumers: survey.state.is_some(),
    };
    let mut losses: Vec<String> = survey.damages.iter().map(Damage::to_string).collect();
    if survey.state.is_none() {
        losses.push("how far the consumers are is lost".to_owned());
    }
    let last_commit = survey.last.map(|(position, number)| {
        format!("its last good record is number {number}, at position {position}")
    });
    let kept = if is_trial { None } else { mend(files, &survey, first)? };
    Ok(Recovered { saved, losses, last_commit, kept })
}

fn existing(directory: &Path) -> Result<Directory, LogError> {
    match directory.is_dir() {
        true => Directory::open(directory),
        false => {
            Err(LogError::Io { path: directory.to_owned(), what: "is no directory".to_owned() })
        }
    }
}

/// Puts good files in the place of damaged ones. Returns where the first of those is now.
fn mend<F: Files>(files: &F, survey: &Survey, first: Segment) -> Result<Option<PathBuf>, LogError> {
    let mut kept = None;
    for surveyed in &survey.segments {
        let is_good =
            surveyed.gaps.is_empty() && surveyed.previous.is_none() && !surveyed.has_bad_block;
        if !is_good {
            let at = rewrite(files, surveyed)?;
            kept.get_or_insert(at);
        }
    }
    let state = match &survey.state {
        Some(state) => State { first: first.sequence, ..state.clone() },
        None => State { log: first.log, is_made: true, first: first.sequence, ..State::default() },
    };
    state.write(files)?;
    Ok(kept)
}

/// Writes a segment anew, without what is damaged.
fn rewrite<F: Files>(files: &F, surveyed: &Surveyed) -> Result<PathBuf, LogError> {
    let mut segment = surveyed.entry.segment;
    let name = segment.name();
    let failed = |error: io::Error| files.error(&name, "cannot be written anew", &error);
    let old = files.open(&name).map_err(failed)?;
    let new = files.create(NEW).map_err(failed)?;
    segment.previous = surveyed.previous.unwrap_or(segment.previous);
    let length = surveyed.entry.length.max(3 * BLOCK).next_multiple_of(BLOCK);
    fill(&old, &new, segment, surveyed, length).map_err(failed)?;
    new.sync().map_err(failed)?;
    let kept = files.keep(&name).map_err(failed)?;
    files.rename(NEW, &name).map_err(failed)?;
    Ok(kept)
}

fn fill<L: LogFile>(
    old: &L,
    new: &L,
    segment: Segment,
    surveyed: &Surveyed,
    length: u64,
) -> io::Result<()> {
    // A gap at the end has its mark in the file.
    let last = surveyed.gaps.last().map_or(0, |(begin, ..)| segment.offset(*begin) + 2 * BLOCK);
    let length = length.max(last.next_multiple_of(BLOCK));
    new.allocate(length)?;
    let block = segment.encode();
    new.write_all_at(&block, 0)?;
    new.write_all_at(&block, length - BLOCK)?;
    let mut at = segment.base;
    for (begin, end, number) in &surveyed.gaps {
        copy(old, new, segment.offset(at), segment.offset(*begin))?;
        let place = Place { salt: segment.salt, position: *begin, number: *number, unsynced: 0 };
        let octets = u32::try_from(end - begin)
            .map_err(|_| io::Error::other("more than 4 GiB are missing"))?;
        let mut mark = Vec::new();
        encode_lost(&mut mark, place, octets);
        new.write_all_at(&mark, segment.offset(*begin))?;
        at = *end;
    }
    // Behind a gap up to another segment nothing follows.
    let end = segment.offset(surveyed.end).min(length - BLOCK);
    copy(old, new, segment.offset(at), end)
}

fn copy<L: LogFile>(old: &L, new: &L, mut at: u64, end: u64) -> io::Result<()> {
    let mut window = Window::default();
    while at < end {
        let octets = window.get(old, at, 64 << 10, end)?;
        if octets.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        new.write_all_at(octets, at)?;
        at += octets.len() as u64;
    }
    Ok(())
}
