//! What a log promises, on a real directory.

mod corpus;
mod crashes;
mod damage;
mod directory;
mod faults;
mod removing;
mod reopening;
mod writers;

use armilla_log::{Log, LogError, Options, Position, Reader};

/// Small segments, so that tests begin many.
fn small() -> Options {
    Options {
        segment: 64 << 10,
        record: 8 << 10,
        buffer: 16 << 10,
        reserve: 8 << 10,
        ..Options::default()
    }
}

/// The data of all records.
fn all(log: &Log) -> Vec<Vec<u8>> {
    from(log, log.first()).expect("nothing is damaged")
}

fn from(log: &Log, position: Position) -> Result<Vec<Vec<u8>>, LogError> {
    let data = |reader: Reader| reader.map(|record| Ok(record?.data)).collect();
    data(log.read_from(position))
}

/// A record that can be told from others.
fn record(number: usize, length: usize) -> Vec<u8> {
    let mut data = format!("record {number} ").into_bytes();
    data.resize(length.max(data.len()), (number % 251) as u8);
    data
}

/// A directory that goes with the test.
struct Scratch(std::path::PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("armilla-log-{name}-{}", std::process::id()));
        std::fs::remove_dir_all(&path).ok();
        Self(path)
    }
}

impl std::ops::Deref for Scratch {
    type Target = std::path::Path;

    fn deref(&self) -> &std::path::Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}
