//! Records that are appended and not yet written: they have their positions, in memory.

use crate::Position;
use crate::record::{Kind, Place, encode, size};
use crate::segment::{BLOCK, Segment};

/// Records that are appended and not yet written, all of one segment.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(crate) segment: Segment,
    /// The length of the segment's file.
    pub(crate) length: u64,
    /// The position of the next record.
    pub(crate) end: u64,
    /// The number in the segment of the next record.
    pub(crate) number: u32,
    /// Whether the last record says that the log was closed.
    pub(crate) is_closed: bool,
    pub(crate) buffer: Vec<u8>,
}

impl Writer {
    /// How many octets of records the segment has room for. There always is some for the record that
    /// says that the log was closed.
    pub(crate) fn room(&self) -> u64 {
        let end = self.segment.base + self.length - 2 * BLOCK;
        (end - self.end).saturating_sub(size(0) as u64)
    }

    /// The position of the first record in the buffer.
    pub(crate) fn start(&self) -> u64 {
        self.end - self.buffer.len() as u64
    }

    /// Puts a record into the buffer. The segment has room for it.
    pub(crate) fn put(&mut self, kind: Kind, data: &[u8], durable: u64) -> Position {
        let place = Place {
            salt: self.segment.salt,
            position: self.end,
            number: self.number,
            // Everything before the segment is on the disk, and a segment has less than 4 GiB.
            unsynced: (self.end - durable.max(self.segment.base)) as u32,
        };
        encode(&mut self.buffer, kind, place, data);
        let position = Position::new(self.end);
        self.end += size(data.len()) as u64;
        self.number += u32::from(kind == Kind::Data);
        self.is_closed = kind == Kind::Closed;
        position
    }
}
