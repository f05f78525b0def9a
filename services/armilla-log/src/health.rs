//! How a log is.

use crate::{LogError, Position};

/// Whether a log has room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// The next segment is prepared, or can be.
    Enough,
    /// The disk or the quota has no room for another segment. Records are taken until the one that is
    /// written is full but for the reserve: free some room now.
    Low {
        /// How many octets of records are taken yet.
        left: u64,
    },
    /// Appends fail, but for urgent ones.
    Full,
}

/// How a log is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// Why it takes no records until it is opened again, if the disk has failed.
    pub failed: Option<LogError>,
    /// Whether it has room.
    pub room: Room,
    /// How many octets the disk has room for, if the system tells.
    pub disk: Option<u64>,
    /// How many octets its files take.
    pub octets: u64,
    /// How many segments it has.
    pub segments: usize,
    /// The first record that is there.
    pub first: Position,
    /// Behind the last record that is on the disk.
    pub durable: Position,
    /// Behind the last record that is appended.
    pub end: Position,
    /// How far each consumer is, by name.
    pub consumers: Vec<(String, Position)>,
}
