//! A log that is open.

use crate::core::{Core, lock};
use crate::files::{Directory, Files};
use crate::opening::Opened;
use crate::record::size;
use crate::{Health, LogError, Options, Position, Reader, Record, Room};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// A durable log. Clones share it; any thread may use it. It is closed, and can be opened again, when
/// the last clone and the last [`Reader`] are gone.
#[derive(Debug)]
pub struct Log<F: Files = Directory>(Arc<Core<F>>);

impl<F: Files> Clone for Log<F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Log {
    /// Opens the log in a directory, or makes it. One process at a time has it open.
    ///
    /// It takes as long as reading one segment, however many there are.
    ///
    /// # Errors
    /// The directory or the files cannot be read or written, another process has it, or something is
    /// damaged that matters for going on.
    pub fn open(directory: impl AsRef<Path>, options: Options) -> Result<Self, LogError> {
        Self::open_files(Directory::open(directory.as_ref())?, options)
    }
}

impl<F: Files> Log<F> {
    /// The same over other files than those of a directory.
    ///
    /// # Errors
    /// Those of [`Log::open`].
    pub fn open_files(files: F, options: Options) -> Result<Self, LogError> {
        Ok(Self(Arc::new(Core::open(files, options)?)))
    }

    /// What was found when it was opened.
    pub fn opened(&self) -> &Opened {
        &self.0.opened
    }

    /// Appends a record. It has its place among all records when this returns, and is on the disk
    /// after [`commit`](Self::commit). It may wait for the disk when much is appended.
    ///
    /// # Errors
    /// There is no room, or the record is too long: nothing of it is kept. Or the log has
    /// [failed](LogError::Failed) before.
    pub fn append(&self, data: &[u8]) -> Result<Position, LogError> {
        self.0.append(data, self.0.options.reserve)
    }

    /// The same for a record that lets others be removed later, or that must not fail for lack of
    /// room: it may take what [`Options::reserve`] leaves.
    ///
    /// # Errors
    /// Those of [`append`](Self::append).
    pub fn append_urgent(&self, data: &[u8]) -> Result<Position, LogError> {
        self.0.append(data, 0)
    }

    /// Waits until the record at a position, and all before it, are on the disk. Threads that wait at
    /// the same time share one wait for the disk.
    ///
    /// # Errors
    /// The disk has failed. Whether the record is kept, the log says when it is opened again.
    pub fn commit(&self, position: Position) -> Result<(), LogError> {
        self.0.commit(position.octets().saturating_add(1))
    }

    /// Appends a record and waits until it is on the disk.
    ///
    /// # Errors
    /// Those of [`append`](Self::append) and [`commit`](Self::commit).
    pub fn append_committed(&self, data: &[u8]) -> Result<Position, LogError> {
        let position = self.append(data)?;
        self.commit(position)?;
        Ok(position)
    }

    /// Reads records from a position on, up to the last one that is on the disk, and those that come
    /// later when it is asked again. The position is that of a record, or [`end`](Self::end), or
    /// [`first`](Self::first); what was removed is an [error](LogError::Gone).
    pub fn read_from(&self, position: Position) -> Reader<F> {
        Reader::new(self.0.clone(), position)
    }

    /// Reads the record at a position.
    ///
    /// # Errors
    /// There is none, or it is damaged or removed.
    pub fn read(&self, position: Position) -> Result<Record, LogError> {
        let found = self.read_from(position).next().transpose()?;
        found.filter(|record| record.position == position).ok_or(LogError::NoRecord(position))
    }

    /// The position of the first record that is there, or of the next one if there is none.
    pub fn first(&self) -> Position {
        Position::new(self.0.segments.read().unwrap_or_else(PoisonError::into_inner).first())
    }

    /// The position behind the last record that is on the disk: readers come up to here.
    pub fn durable(&self) -> Position {
        Position::new(self.0.group.durable())
    }

    /// The position behind the last record that is appended: the next one goes here.
    pub fn end(&self) -> Position {
        Position::new(lock(&self.0.writer).end)
    }

    /// Waits until a record at this position is on the disk, for so long at most. Returns whether it
    /// is.
    pub fn wait(&self, position: Position, time: Duration) -> bool {
        self.0.group.wait(position.octets().saturating_add(1), time)
    }

    /// Says that a consumer needs nothing before a position any more, and begins to keep what is
    /// behind it for a consumer that is new. It costs no wait for the disk: what was acknowledged
    /// last may be forgotten in a crash, until [`retain`](Self::retain) or
    /// [`keep_consumers`](Self::keep_consumers).
    ///
    /// # Errors
    /// The name has more than 200 octets, or there are 10,000 others.
    pub fn acknowledge(&self, consumer: &str, position: Position) -> Result<(), LogError> {
        match lock(&self.0.consumers).acknowledge(consumer, position.octets()) {
            true => Ok(()),
            false => Err(LogError::Options(format!(
                "the log has no place for the consumer {:?}",
                consumer.chars().take(40).collect::<String>()
            ))),
        }
    }

    /// Up to where a consumer has acknowledged everything; `None` if there is none with this name.
    pub fn acknowledged(&self, consumer: &str) -> Option<Position> {
        lock(&self.0.consumers).positions.get(consumer).copied().map(Position::new)
    }

    /// Keeps nothing for a consumer any more. Returns whether there was one.
    pub fn remove_consumer(&self, consumer: &str) -> bool {
        lock(&self.0.consumers).remove(consumer)
    }

    /// Removes what [`Options::retention`] does not keep, by whole segments, and brings to the disk
    /// how far the consumers are. The log does it itself when it begins a segment; call it after
    /// acknowledging, and now and then for what is old. Returns how many segments were removed.
    ///
    /// # Errors
    /// The disk has failed.
    pub fn retain(&self) -> Result<usize, LogError> {
        self.0.retain()
    }

    /// Brings to the disk how far the consumers are.
    ///
    /// # Errors
    /// The disk has failed.
    pub fn keep_consumers(&self) -> Result<(), LogError> {
        self.0.keep_consumers()
    }

    /// How it is: whether it has failed, whether it has room. Services ask it often: it costs a
    /// question to the file system, and no wait for the disk.
    pub fn health(&self) -> Health {
        let core = &self.0;
        core.maintain();
        let (end, left) = {
            let writer = lock(&core.writer);
            (writer.end, writer.room().saturating_sub(core.options.reserve))
        };
        let room = match core.is_spare_ready.load(Ordering::Relaxed) {
            true => Room::Enough,
            false if left <= size(0) as u64 => Room::Full,
            false => Room::Low { left },
        };
        let consumers = lock(&core.consumers);
        let positions = consumers.positions.iter();
        let consumers = positions.map(|(name, at)| (name.clone(), Position::new(*at))).collect();
        let segments = core.segments.read().unwrap_or_else(PoisonError::into_inner);
        Health {
            failed: core.group.check().err(),
            room,
            disk: core.files.room().ok(),
            octets: segments.octets(),
            segments: segments.len(),
            first: Position::new(segments.first()),
            durable: self.durable(),
            end: Position::new(end),
            consumers,
        }
    }
}
