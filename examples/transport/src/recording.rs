//! What passed over a connection, as text that `text2pcap -D` reads.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Which way octets went, seen from the process that records.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Direction {
    In,
    Out,
}

/// The file of one connection.
#[derive(Debug)]
pub(crate) struct Recording(Mutex<File>);

impl Recording {
    /// A new file in `directory`.
    pub(crate) fn create(directory: &Path) -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{number}.txt", std::process::id());
        File::create(directory.join(name)).map(|file| Self(Mutex::new(file)))
    }

    /// Adds octets that went at once. What cannot be written is missing: the call matters more.
    pub(crate) fn add(&self, direction: Direction, octets: &[u8]) {
        if octets.is_empty() {
            return;
        }
        let way = match direction {
            Direction::In => 'I',
            Direction::Out => 'O',
        };
        let mut text = format!("{way}\n");
        for (index, line) in octets.chunks(16).enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{:06x}", 16 * index);
            line.iter().for_each(|octet| _ = write!(text, " {octet:02x}"));
            text.push('\n');
        }
        if let Ok(mut file) = self.0.lock() {
            file.write_all(text.as_bytes()).ok();
        }
    }
}
