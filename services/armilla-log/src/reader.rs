//! Reading a log, also while it is written.

use crate::core::Core;
use crate::files::{Directory, Files};
use crate::record::Kind;
use crate::segment::Segment;
use crate::walk::{Met, Records, Window};
use crate::{Damage, LogError, Position};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Where it begins.
    pub position: Position,
    /// Its number, counted from 0 since the log was made.
    pub number: u64,
    /// What was appended.
    pub data: Vec<u8>,
}

/// A segment that is being read.
#[derive(Debug)]
struct Open<L> {
    segment: Segment,
    file: L,
}

/// Reads a log from a position on. As an iterator it ends behind the last record that is on the disk,
/// and goes on when it is asked after there are more. It ends for good with an error.
#[derive(Debug)]
pub struct Reader<F: Files = Directory> {
    core: Arc<Core<F>>,
    position: u64,
    open: Option<Open<F::File>>,
    window: Window,
    last_good: Option<Position>,
    has_failed: bool,
}

impl<F: Files> Reader<F> {
    pub(crate) fn new(core: Arc<Core<F>>, position: Position) -> Self {
        let (open, window, last_good) = (None, Window::default(), None);
        Self { core, position: position.octets(), open, window, last_good, has_failed: false }
    }

    /// Where the next record begins, or will.
    pub const fn position(&self) -> Position {
        Position::new(self.position)
    }

    /// Waits until there is a next record, for so long at most. Returns whether there is.
    pub fn wait(&self, time: Duration) -> bool {
        self.core.group.wait(self.position.saturating_add(1), time)
    }

    /// The next record; `None` if there is none yet.
    fn read(&mut self) -> Result<Option<Record>, LogError> {
        loop {
            let durable = self.core.group.durable();
            if self.position >= durable {
                return Ok(None);
            }
            let (segment, end) = self.segment()?;
            self.enter(segment)?;
            let Some(open) = &self.open else { return Ok(None) };
            let end = end.unwrap_or(durable).min(durable);
            let limit = segment.offset(end);
            let records = Records { file: &open.file, segment, limit };
            let failed = |error| self.core.files.error(&segment.name(), "cannot be read", &error);
            let met = records.at(&mut self.window, self.position).map_err(failed)?;
            let Met::Record(header) = met else { return Err(self.judge(segment, end, met)) };
            let position = Position::new(self.position);
            self.position += header.size();
            self.last_good = Some(position);
            if header.kind == Kind::Data {
                let data = records.data(&mut self.window, position.octets(), &header);
                let data = data.map_err(failed)?[..header.length as usize].to_vec();
                let number = segment.first_number + u64::from(header.number);
                return Ok(Some(Record { position, number, data }));
            }
        }
    }

    /// The segment with the position, and where its records end.
    fn segment(&self) -> Result<(Segment, Option<u64>), LogError> {
        let segments = self.core.segments.read().unwrap_or_else(PoisonError::into_inner);
        let first = Position::new(segments.first());
        segments.find(self.position).ok_or(LogError::Gone { asked: self.position(), first })
    }

    fn enter(&mut self, segment: Segment) -> Result<(), LogError> {
        if self.open.as_ref().is_some_and(|open| open.segment == segment) {
            return Ok(());
        }
        self.window.clear();
        let files = &self.core.files;
        match files.open(&segment.name()) {
            Ok(file) => self.open = Some(Open { segment, file }),
            Err(error) => {
                // It may just have been removed.
                self.segment()?;
                return Err(files.error(&segment.name(), "cannot be read", &error));
            }
        }
        Ok(())
    }

    /// Why there is no record at the position.
    fn judge(&self, segment: Segment, end: u64, met: Met) -> LogError {
        // Its file may have been given to another segment meanwhile.
        if let Err(gone) = self.segment() {
            return gone;
        }
        match self.find_damage(segment, end) {
            Ok(Some(damage)) => damage.into(),
            Ok(None) => LogError::NoRecord(self.position()),
            Err(error) => {
                let what = format!("cannot be read: {error} ({})", met.wrong());
                LogError::Io { path: self.core.files.path().join(segment.name()), what }
            }
        }
    }

    /// The damage at or before the position, if all records are read from the begin of the segment;
    /// `None` if the position is within a good record.
    fn find_damage(&self, segment: Segment, end: u64) -> std::io::Result<Option<Damage>> {
        let Some(open) = &self.open else { return Ok(None) };
        let records = Records { file: &open.file, segment, limit: segment.offset(end) };
        let (mut window, mut at, mut number) = (Window::default(), segment.base, 0);
        let mut last_good = self.last_good;
        while at <= self.position {
            match records.at(&mut window, at)? {
                Met::Record(header) => {
                    last_good = Some(Position::new(at));
                    number = header.number + u32::from(header.kind == Kind::Data);
                    at += header.size();
                }
                met => {
                    return Ok(Some(Damage {
                        file: self.core.files.path().join(segment.name()),
                        offset: segment.offset(at),
                        position: Some(Position::new(at)),
                        number: Some(segment.first_number + u64::from(number)),
                        what: met.wrong().to_owned(),
                        last_good,
                    }));
                }
            }
        }
        Ok(None)
    }
}

impl<F: Files> Iterator for Reader<F> {
    type Item = Result<Record, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let read = self.read().transpose();
        self.has_failed = matches!(read, Some(Err(_)));
        read
    }
}
