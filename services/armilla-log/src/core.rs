//! What the clones of a log share: the records that are not written yet, the files, and who writes.

use crate::acknowledged::Consumers;
use crate::files::Files;
use crate::group::Group;
use crate::opening::{self, Opened, Parts};
use crate::record::{Kind, size};
use crate::segment::Segment;
use crate::segments::{Entry, Segments};
use crate::state::State;
use crate::storage::{Active, activate, now, prepare, write};
use crate::writer::Writer;
use crate::{LogError, Options, Position};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

/// What clones share. Locks are taken in the order of the fields.
#[derive(Debug)]
pub(crate) struct Core<F: Files> {
    pub(crate) options: Options,
    pub(crate) opened: Opened,
    /// The file that is to be the next segment, when it is prepared.
    pub(crate) spare: Mutex<Option<F::File>>,
    pub(crate) is_spare_ready: AtomicBool,
    /// The state on the disk.
    pub(crate) state: Mutex<State>,
    pub(crate) writer: Mutex<Writer>,
    active: Mutex<Active<F::File>>,
    pub(crate) segments: RwLock<Segments>,
    pub(crate) consumers: Mutex<Consumers>,
    pub(crate) group: Group<LogError>,
    /// Last, so that they are held until all else is gone.
    pub(crate) files: F,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The error of those whose records were being written by a thread that panicked.
fn panicked() -> LogError {
    let what = "writing ended in a way that the program did not expect".to_owned();
    LogError::Failed { directory: PathBuf::new(), what }
}

impl<F: Files> Core<F> {
    pub(crate) fn open(files: F, options: Options) -> Result<Self, LogError> {
        options.check()?;
        let Parts { state, segments, active, length, end, number, opened } =
            opening::open(&files, &options)?;
        let segment = active.segment;
        let is_closed = opened.was_closed && !opened.is_new;
        let writer = Writer { segment, length, end, number, is_closed, buffer: Vec::new() };
        // A log that has lost its end has consumers that wait for what comes next.
        let positions = state.consumers.iter();
        let positions = positions.map(|(name, at)| (name.clone(), *at.min(&end))).collect();
        let consumers = Consumers { positions, is_changed: false };
        let core = Self {
            options,
            opened,
            spare: Mutex::new(None),
            is_spare_ready: AtomicBool::new(false),
            state: Mutex::new(state),
            writer: Mutex::new(writer),
            active: Mutex::new(active),
            segments: RwLock::new(segments),
            consumers: Mutex::new(consumers),
            group: Group::new(end, panicked),
            files,
        };
        // That there is no room is told by `health`, and by appends later.
        core.prepare().ok();
        Ok(core)
    }

    pub(crate) fn append(&self, data: &[u8], reserve: u64) -> Result<Position, LogError> {
        let (length, most) = (data.len(), self.options.record);
        if length > most {
            return Err(LogError::TooLarge { length, most });
        }
        let size = size(length);
        loop {
            let durable = self.group.check()?;
            let mut writer = lock(&self.writer);
            if writer.room() < size as u64 {
                drop(writer);
                self.roll(size)?;
            } else if writer.room() < size as u64 + reserve
                && !self.is_spare_ready.load(Ordering::Relaxed)
            {
                drop(writer);
                self.prepare()?;
            } else if !writer.buffer.is_empty() && writer.buffer.len() + size > self.options.buffer
            {
                let end = writer.end;
                drop(writer);
                self.commit(end)?;
            } else {
                return Ok(writer.put(Kind::Data, data, durable));
            }
        }
    }

    pub(crate) fn commit(&self, end: u64) -> Result<(), LogError> {
        let appended = lock(&self.writer).end;
        if end > appended {
            return Err(LogError::NoRecord(Position::new(end - 1)));
        }
        if self.group.commit(end, || self.write())? {
            self.maintain();
        }
        Ok(())
    }

    /// Writes what is appended. Nobody else does meanwhile.
    fn write(&self) -> Result<u64, LogError> {
        let (mut octets, start, end) = {
            let (mut writer, mut active) = (lock(&self.writer), lock(&self.active));
            let start = writer.start();
            let used = std::mem::take(&mut active.used);
            (std::mem::replace(&mut writer.buffer, used), start, writer.end)
        };
        let mut active = lock(&self.active);
        if !octets.is_empty() {
            write(&self.files, &active, &octets, start)?;
        }
        octets.clear();
        active.used = octets;
        Ok(end)
    }

    /// Begins a segment, unless there is room for so many octets now.
    fn roll(&self, size: usize) -> Result<(), LogError> {
        let mut spare = lock(&self.spare);
        self.group.exclusively(|| {
            let mut writer = lock(&self.writer);
            let mut active = lock(&self.active);
            if !writer.buffer.is_empty() {
                write(&self.files, &active, &writer.buffer, writer.start())?;
                writer.buffer.clear();
            }
            if writer.room() >= size as u64 {
                return Ok((writer.end, Ok(())));
            }
            if let Err(error) = self.prepare_in(&mut spare) {
                return Ok((writer.end, Err(error)));
            }
            // It was just prepared.
            let Some(file) = spare.take() else { return Ok((writer.end, Ok(()))) };
            self.is_spare_ready.store(false, Ordering::Relaxed);
            let length = self.options.segment;
            let segment = Segment {
                sequence: writer.segment.sequence + 1,
                previous: writer.segment.sequence,
                base: writer.end,
                first_number: writer.segment.first_number + u64::from(writer.number),
                created: now(&self.files),
                salt: self.files.unique(),
                ..writer.segment
            };
            let new = activate(&self.files, file, length, segment, |_| Ok(()));
            *active = new.map_err(|error| LogError::Failed {
                directory: self.files.path().to_owned(),
                what: error.to_string(),
            })?;
            (writer.segment, writer.length, writer.number) = (segment, length, 0);
            let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
            segments.push(Entry { segment, length });
            Ok((writer.end, Ok(())))
        })?
    }

    /// Prepares the next segment when there is none, and removes what need not be kept: by the thread
    /// that has just waited for the disk, while others go on.
    pub(crate) fn maintain(&self) {
        if !self.is_spare_ready.load(Ordering::Relaxed) && self.group.check().is_ok() {
            // One thread is enough, and what fails is told by `health`.
            if let Ok(mut spare) = self.spare.try_lock() {
                self.prepare_in(&mut spare).ok();
            }
        }
    }

    pub(crate) fn prepare(&self) -> Result<(), LogError> {
        self.prepare_in(&mut lock(&self.spare))
    }

    fn prepare_in(&self, spare: &mut Option<F::File>) -> Result<(), LogError> {
        let length = self.options.segment;
        if spare.is_none() {
            self.retain_with(spare)?;
        }
        if spare.is_none() {
            let octets = self.segments.read().unwrap_or_else(PoisonError::into_inner).octets();
            if self.options.quota.is_some_and(|quota| octets + length > quota) {
                let what = format!("a segment of {length} octets beside its {octets}: the quota");
                return Err(LogError::Full { directory: self.files.path().to_owned(), what });
            }
            let file = prepare(&self.files, length);
            *spare = Some(file.map_err(|error| opening::no_room(&self.files, length, &error))?);
        }
        self.is_spare_ready.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Writes all, and that the log was closed.
    fn close(&self) -> Result<(), LogError> {
        let end = lock(&self.writer).end;
        self.commit(end)?;
        self.keep_consumers()?;
        let mut writer = lock(&self.writer);
        if writer.is_closed {
            return Ok(());
        }
        writer.put(Kind::Closed, &[], end);
        drop(writer);
        self.commit(end + 1)
    }
}

impl<F: Files> Drop for Core<F> {
    fn drop(&mut self) {
        // Nobody is told of what fails, and the next opening finds it out.
        self.close().ok();
    }
}
