//! What is read, and passed over where values are.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};

/// Something that is read from its beginning to its end.
pub(super) trait Source: Read {
    /// Passes over so many octets.
    fn pass(&mut self, count: u64) -> std::io::Result<()>;
}

impl Source for BufReader<File> {
    fn pass(&mut self, count: u64) -> std::io::Result<()> {
        // The walker has compared the count with the size of the file.
        self.seek_relative(i64::try_from(count).map_err(std::io::Error::other)?)
    }
}

impl Source for &[u8] {
    fn pass(&mut self, count: u64) -> std::io::Result<()> {
        read_over(self, count)
    }
}

/// What a decoder reads.
pub(super) struct Inflated<R>(pub(super) R);

impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, octets: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(octets)
    }
}

impl<R: Read> Source for Inflated<R> {
    fn pass(&mut self, count: u64) -> std::io::Result<()> {
        read_over(self, count)
    }
}

fn read_over(from: &mut impl Read, count: u64) -> std::io::Result<()> {
    match std::io::copy(&mut from.take(count), &mut std::io::sink())? {
        passed if passed == count => Ok(()),
        _ => Err(ErrorKind::UnexpectedEof.into()),
    }
}

/// Reads what there is, as far as it has room for it.
pub(super) fn read_some(from: &mut impl Read, octets: &mut [u8]) -> std::io::Result<usize> {
    let mut count = 0;
    while count < octets.len() {
        match from.read(&mut octets[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}
