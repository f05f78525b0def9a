//! Each operation on the disk fails in turn, as in all stores of Armilla's services.

use crate::small;
use armilla_log::{Log, LogError};
use armilla_store::faults::{Trial, try_every_failure};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A program that keeps numbers in a log, and opens it again when the disk has failed.
struct Numbers {
    directory: PathBuf,
    log: Option<Log>,
    /// What it was told to be there.
    there: BTreeSet<u32>,
}

impl Numbers {
    fn log(&mut self) -> Result<Log, LogError> {
        if let Some(log) = &self.log
            && log.health().failed.is_none()
        {
            return Ok(log.clone());
        }
        self.log = None;
        let log = Log::open(&self.directory, small())?;
        self.log = Some(log.clone());
        Ok(log)
    }
}

impl Trial for Numbers {
    // More than a segment has room for, and so that some are removed.
    const CHANGES: u32 = 6;

    fn open(directory: &Path) -> Result<Self, String> {
        let mut numbers =
            Self { directory: directory.to_owned(), log: None, there: BTreeSet::new() };
        let log = numbers.log().map_err(|error| error.to_string())?;
        for record in log.read_from(log.first()) {
            let data = record.map_err(|error| error.to_string())?.data;
            let number = data.first_chunk().map(|number| u32::from_le_bytes(*number));
            numbers.there.insert(number.ok_or("a record without a number")?);
        }
        Ok(numbers)
    }

    fn change(&mut self, number: u32) -> Result<(), String> {
        let mut data = number.to_le_bytes().to_vec();
        // Some of these fill a segment.
        data.resize(8000, 0);
        let changed = self.log().and_then(|log| {
            for _ in 0..3 {
                log.append(&data)?;
            }
            log.append_committed(&data)
        });
        changed.map_err(|error| error.to_string())?;
        self.there.insert(number);
        Ok(())
    }

    fn changes(&self) -> BTreeSet<u32> {
        self.there.clone()
    }
}

#[test]
fn no_failure_of_the_disk_costs_what_was_acknowledged() {
    let failures = try_every_failure::<Numbers>("log");
    assert!(failures > 100, "only {failures} operations failed");
}
