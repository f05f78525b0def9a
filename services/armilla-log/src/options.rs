//! What a log is opened with.

use crate::LogError;
use crate::segment::{BLOCK, OVERHEAD};
use std::time::Duration;

/// What a log is opened with. The defaults suit a log of small records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The size of a segment's file in octets: the log grows and shrinks by it. From 64 KiB to
    /// 2 GiB. Default: 16 MiB.
    pub segment: u64,
    /// The longest record in octets. Default: 4 MiB.
    pub record: usize,
    /// How many octets of records may wait in memory to be written; whoever appends more writes
    /// them. Default: 4 MiB.
    pub buffer: usize,
    /// How many octets [`Log::append`](crate::Log::append) leaves to
    /// [`Log::append_urgent`](crate::Log::append_urgent) when there is no room for another segment.
    /// Default: 1 MiB.
    pub reserve: u64,
    /// The most octets that the segments may take, the one that is prepared among them. Default: no
    /// limit but the disk.
    pub quota: Option<u64>,
    /// What [`Log::retain`](crate::Log::retain) removes. Default: what every consumer has
    /// acknowledged.
    pub retention: Retention,
}

/// Which records are removed. They go by whole segments, and the segment that is written stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    /// Remove what every consumer has acknowledged. Nothing is acknowledged while there are no
    /// consumers. Default: it is removed.
    pub acknowledged: bool,
    /// Remove what is older.
    pub age: Option<Duration>,
    /// Remove the oldest while the segments take more octets.
    pub size: Option<u64>,
    /// Let age and size also remove what a consumer has not acknowledged. Default: they do not.
    pub unacknowledged: bool,
}

impl Default for Retention {
    fn default() -> Self {
        Self { acknowledged: true, age: None, size: None, unacknowledged: false }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            segment: 16 << 20,
            record: 4 << 20,
            buffer: 4 << 20,
            reserve: 1 << 20,
            quota: None,
            retention: Retention::default(),
        }
    }
}

impl Options {
    pub(crate) fn check(&self) -> Result<(), LogError> {
        let refuse = |what: String| Err(LogError::Options(what));
        if !(64 << 10..=2 << 30).contains(&self.segment) || !self.segment.is_multiple_of(BLOCK) {
            return refuse(format!(
                "a segment of {} octets is not a multiple of {BLOCK} from 64 KiB to 2 GiB",
                self.segment
            ));
        }
        let most = self.segment - 2 * BLOCK - OVERHEAD;
        if self.record as u64 + OVERHEAD > most {
            return refuse(format!(
                "a record of {} octets does not fit a segment of {}",
                self.record, self.segment
            ));
        }
        if self.reserve > most {
            return refuse(format!("the reserve of {} octets exceeds a segment", self.reserve));
        }
        match self.quota {
            Some(quota) if quota < 2 * self.segment => {
                refuse(format!("the quota of {quota} octets is less than two segments"))
            }
            _ => Ok(()),
        }
    }
}
