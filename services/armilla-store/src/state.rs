//! What is known of a damaged file: its last commit, and where a record is.

use redb::{ReadableTable, Table};
use std::fmt;
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The number of commits, and when the last one was, in seconds since 1970.
const COMMITS: &str = "commits";
const COMMITTED: &str = "committed";

/// The last commit of a file.
pub(crate) struct LastCommit {
    number: u64,
    seconds: u64,
}

impl LastCommit {
    /// The last commit by the numbers of a file.
    pub(crate) fn of(numbers: &[(String, u64)]) -> Option<Self> {
        let find = |name| numbers.iter().find(|(found, _)| found == name).map(|(_, n)| *n);
        Some(Self { number: find(COMMITS)?, seconds: find(COMMITTED)? })
    }
}

impl fmt::Display for LastCommit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, seconds } = self;
        write!(f, "its last good state is that of commit {number}")?;
        let then = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(*seconds));
        match then.and_then(|then| then.elapsed().ok()) {
            Some(ago) => {
                write!(f, ", made {} minutes ago ({seconds} s since 1970)", ago.as_secs() / 60)
            }
            None => Ok(()),
        }
    }
}

/// Counts a commit.
pub(crate) fn count(numbers: &mut Table<'_, &str, u64>) -> Result<(), redb::Error> {
    let number = commits(numbers)?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    numbers.insert(COMMITS, number + 1)?;
    numbers.insert(COMMITTED, now.as_secs())?;
    Ok(())
}

/// How many commits a file has counted.
pub(crate) fn commits(numbers: &impl ReadableTable<&'static str, u64>) -> Result<u64, redb::Error> {
    Ok(numbers.get(COMMITS)?.map_or(0, |number| number.value()))
}

/// The last commit that a file has counted.
pub(crate) fn last(numbers: &impl ReadableTable<&'static str, u64>) -> Option<LastCommit> {
    let number = numbers.get(COMMITS).ok()??.value();
    let seconds = numbers.get(COMMITTED).ok()??.value();
    Some(LastCommit { number, seconds })
}

/// Where these octets are in a file for the first time; `None` if they are not, or are so few that
/// they may be anywhere.
pub(crate) fn offset(path: &Path, octets: &[u8]) -> Option<u64> {
    const LEAST: usize = 8;
    const PART: usize = 1 << 20;
    if octets.len() < LEAST {
        return None;
    }
    let mut file = fs::File::open(path).ok()?;
    let (mut window, mut begin) = (Vec::with_capacity(2 * PART), 0);
    loop {
        let read = match file.by_ref().take(PART as u64).read_to_end(&mut window) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.ok()?,
        };
        if let Some(at) = window.windows(octets.len()).position(|found| found == octets) {
            return Some(begin + at as u64);
        }
        if read == 0 {
            return None;
        }
        // The octets may begin in this part and end in the next.
        let done = window.len().saturating_sub(octets.len() - 1);
        window.drain(..done);
        begin += done as u64;
    }
}
