//! Sending: octets are encrypted and passed to the socket, in this order.

use super::{TlsStream, lock};
use armilla_ipc::Stream;
use rustls::Connection;
use std::io::{self, IoSlice, Write};
use std::sync::Mutex;

/// The most that is encrypted before it is sent.
const CHUNK: usize = 64 << 10;

/// What is encrypted and not yet sent.
#[derive(Default)]
pub(super) struct Outbound {
    octets: Vec<u8>,
    sent: usize,
    /// Whether the last octet that they carry was reported as not sent.
    owes: bool,
    /// Whether a record was sent in part when the connection failed.
    broken: bool,
}

impl Outbound {
    /// Whether a sender has to come back.
    pub(super) const fn owes(&self) -> bool {
        self.owes
    }

    /// Sends what is encrypted, as far as the socket takes it at once. The rest stays here.
    ///
    /// # Errors
    /// `WouldBlock` if something stays; any other error ends the connection.
    pub(super) fn push(
        &mut self,
        stream: &dyn Stream,
        connection: &Mutex<Connection>,
    ) -> io::Result<()> {
        self.push_rest(stream)?;
        let mut connection = lock(connection);
        while connection.wants_write() {
            match connection.write_tls(&mut AtOnce(stream)) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.octets.clear();
                    self.sent = 0;
                    // The connection must not keep it: another thread may need it to receive.
                    while connection.wants_write() {
                        connection.write_tls(&mut self.octets)?;
                    }
                    return Err(error);
                }
                Err(error) => return self.fail(error),
            }
        }
        Ok(())
    }

    fn push_rest(&mut self, stream: &dyn Stream) -> io::Result<()> {
        if self.broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        while self.sent < self.octets.len() {
            match stream.try_send_vectored(&[IoSlice::new(&self.octets[self.sent..])]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(error),
                Err(error) => return self.fail(error),
            }
        }
        self.release();
        Ok(())
    }

    /// Sends all that stays here, and waits for the socket to take it.
    fn push_waiting(&mut self, stream: &dyn Stream) -> io::Result<()> {
        if self.broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if self.sent < self.octets.len() {
            if let Err(error) = stream.send_all(&self.octets[self.sent..]) {
                self.sent += error.sent;
                return match error.source.kind() {
                    io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => Err(error.source),
                    _ => self.fail(error.source),
                };
            }
            self.sent = self.octets.len();
        }
        self.release();
        Ok(())
    }

    fn release(&mut self) {
        (self.octets, self.sent) = (Vec::new(), 0);
    }

    fn fail(&mut self, error: io::Error) -> io::Result<()> {
        self.broken = true;
        self.release();
        Err(error)
    }
}

/// A socket that takes what it can.
struct AtOnce<'s>(&'s dyn Stream);

impl Write for AtOnce<'_> {
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(octets)])
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_send_vectored(parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TlsStream {
    /// Sends `parts`, and `waits` where the peer takes nothing. Returns how much was sent, and the
    /// error if that is not all: see the head of the module above.
    pub(super) fn send_parts(
        &self,
        parts: &[IoSlice<'_>],
        waits: bool,
    ) -> (usize, Option<io::Error>) {
        let mut outbound = lock(&self.outbound);
        let mut sent = 0;
        if parts.iter().all(|part| part.is_empty()) {
            return (0, None);
        }
        if let Err(error) = self.send_rest(&mut outbound, waits) {
            return (0, Some(error));
        }
        if std::mem::take(&mut outbound.owes) {
            sent = 1;
        }
        let mut rest = Rest::new(parts, sent);
        while !rest.is_empty() {
            let taken = {
                let mut connection = lock(&self.connection);
                rest.with_parts(CHUNK, |parts| connection.writer().write_vectored(parts))
            };
            match taken {
                Ok(0) => return (sent, Some(io::ErrorKind::BrokenPipe.into())),
                Ok(taken) => {
                    rest.advance(taken);
                    sent += taken;
                }
                Err(error) => return (sent, Some(error)),
            }
            let pushed = outbound.push(&*self.stream, &self.connection);
            let pushed = match pushed {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && waits => {
                    outbound.push_waiting(&*self.stream)
                }
                pushed => pushed,
            };
            if let Err(error) = pushed {
                // The last record is not with the peer, and neither is its last octet.
                outbound.owes = true;
                return (sent - 1, Some(error));
            }
        }
        (sent, None)
    }

    /// Sends what stayed here the last time.
    fn send_rest(&self, outbound: &mut Outbound, waits: bool) -> io::Result<()> {
        match outbound.push(&*self.stream, &self.connection) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock && waits => {
                outbound.push_waiting(&*self.stream)
            }
            pushed => pushed,
        }
    }
}

/// What is left of some parts.
struct Rest<'p> {
    parts: &'p [IoSlice<'p>],
    /// How much of the first was sent.
    skipped: usize,
}

impl<'p> Rest<'p> {
    fn new(parts: &'p [IoSlice<'p>], sent: usize) -> Self {
        let mut rest = Self { parts, skipped: 0 };
        rest.advance(sent);
        rest
    }

    fn is_empty(&self) -> bool {
        self.parts.iter().map(|part| part.len()).sum::<usize>() == self.skipped
    }

    fn advance(&mut self, count: usize) {
        self.skipped += count;
        while let [first, others @ ..] = self.parts
            && self.skipped >= first.len()
        {
            self.skipped -= first.len();
            self.parts = others;
        }
    }

    /// Calls `take` with at most `most` octets of what is left.
    fn with_parts<R>(&self, mut most: usize, take: impl FnOnce(&[IoSlice<'_>]) -> R) -> R {
        /// As many parts as records usually have.
        const PARTS: usize = 8;
        let empty: &[u8] = &[];
        let mut parts = [IoSlice::new(empty); PARTS];
        let mut skipped = self.skipped;
        let mut count = 0;
        for (place, part) in parts.iter_mut().zip(self.parts) {
            let here = &part[skipped..];
            let here = &here[..here.len().min(most)];
            *place = IoSlice::new(here);
            (skipped, most, count) = (0, most - here.len(), count + 1);
        }
        take(&parts[..count])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_taken_in_order_however_few_octets_are_taken() {
        let parts = [&b"ab"[..], b"", b"cde", b"f"].map(IoSlice::new);
        for step in 1..=7 {
            let mut rest = Rest::new(&parts, 0);
            let mut all = Vec::new();
            while !rest.is_empty() {
                let taken = rest.with_parts(step, |parts| {
                    parts.iter().flat_map(|part| part.to_vec()).collect::<Vec<_>>()
                });
                assert!(!taken.is_empty() && taken.len() <= step);
                rest.advance(taken.len());
                all.extend(taken);
            }
            assert_eq!(all, b"abcdef", "{step}");
        }
        assert!(Rest::new(&parts, 6).is_empty());
    }
}
