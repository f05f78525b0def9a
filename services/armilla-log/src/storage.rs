//! The files that are written: the last segment, and the one that is prepared to follow it.

use crate::LogError;
use crate::files::{Files, LogFile};
use crate::segment::{BLOCK, Segment};
use std::io;
use std::time::UNIX_EPOCH;

/// The name of the file that is to be the next segment.
pub(crate) const SPARE: &str = "spare";

/// The last segment's file.
#[derive(Debug)]
pub(crate) struct Active<L> {
    pub(crate) file: L,
    pub(crate) segment: Segment,
    /// The memory of the last group, for the next.
    pub(crate) used: Vec<u8>,
}

/// Writes records of a segment, and waits until they are on the disk.
///
/// # Errors
/// They may be on the disk or not.
pub(crate) fn write<F: Files>(
    files: &F,
    active: &Active<F::File>,
    octets: &[u8],
    position: u64,
) -> Result<(), LogError> {
    let failed = |what: String| LogError::Failed { directory: files.path().to_owned(), what };
    let name = active.segment.name();
    if !files.is_in_place(&name, &active.file) {
        return Err(failed(format!("{name} was moved, removed or replaced")));
    }
    let written = active.file.write_all_at(octets, active.segment.offset(position));
    written
        .and_then(|()| active.file.sync())
        .map_err(|error| failed(format!("{name} cannot be written: {error}")))
}

/// Makes the file of the next segment, of so many octets, with room on the disk.
///
/// # Errors
/// There is no room; nothing is left of it.
pub(crate) fn prepare<F: Files>(files: &F, length: u64) -> io::Result<F::File> {
    let file = files.create(SPARE)?;
    match file.allocate(length) {
        Ok(()) => Ok(file),
        Err(error) => {
            drop(file);
            files.remove(SPARE).ok();
            Err(error)
        }
    }
}

/// Makes a prepared file a segment. The blocks that describe it and all that `fill` writes are on
/// the disk before it gets its name.
pub(crate) fn activate<F: Files>(
    files: &F,
    file: F::File,
    length: u64,
    segment: Segment,
    fill: impl FnOnce(&F::File) -> Result<(), LogError>,
) -> Result<Active<F::File>, LogError> {
    let failed = |error| files.error(SPARE, "cannot be made a segment", &error);
    let block = segment.encode();
    file.write_all_at(&block, 0).map_err(failed)?;
    file.write_all_at(&block, length - BLOCK).map_err(failed)?;
    fill(&file)?;
    file.sync().map_err(failed)?;
    files.rename(SPARE, &segment.name()).map_err(failed)?;
    Ok(Active { file, segment, used: Vec::new() })
}

/// The time, in milliseconds since 1970.
pub(crate) fn now<F: Files>(files: &F) -> u64 {
    let since = files.now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
