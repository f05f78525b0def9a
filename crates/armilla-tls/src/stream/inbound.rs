//! Receiving: octets from the socket are decrypted, and what does not fit into the caller's buffer
//! stays in the connection.

use super::{TlsStream, lock};
use crate::fault::{self, Side};
use armilla_ipc::Readiness;
use rustls::Connection;
use std::io::{self, Read};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// How much is read from the socket at once, at least and at most.
const LEAST: usize = 4 << 10;
const MOST: usize = 64 << 10;

/// What was read from the socket and not yet decrypted.
#[derive(Default)]
pub(super) struct Inbound {
    octets: Vec<u8>,
    taken: usize,
    /// How much the next read asks for: more after one that was filled.
    wanted: usize,
    /// Whether anything was received: until then an alert of the peer refuses the handshake.
    begun: bool,
    ended: bool,
}

impl Inbound {
    /// With octets that were read already.
    pub(super) fn with(octets: Vec<u8>) -> Self {
        Self { octets, ..Self::default() }
    }

    fn rest(&self) -> &[u8] {
        &self.octets[self.taken..]
    }

    /// Makes room for a read, in memory that an idle connection does not keep.
    fn prepare(&mut self) {
        self.octets.clear();
        self.taken = 0;
        self.wanted = self.wanted.clamp(LEAST, MOST);
        if self.octets.capacity() != self.wanted {
            self.octets = Vec::with_capacity(self.wanted);
        }
    }

    /// Notes how much a read has brought.
    fn arrived(&mut self, count: usize) {
        self.wanted = if count < self.octets.capacity() { LEAST } else { self.wanted * 4 };
        self.ended |= count == 0;
    }
}

impl TlsStream {
    /// Receives what there is; `waits` if there is nothing.
    pub(super) fn receive(&self, buffer: &mut [u8], waits: bool) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut inbound = lock(&self.inbound);
        let mut begun = None;
        loop {
            if let Some(count) = self.take(&mut inbound, buffer)? {
                return Ok(count);
            }
            if waits {
                // A peer that sends a record octet by octet must not hold the thread for ever.
                if let (Some(begun), Some(limit)) = (begun, self.recv_limit())
                    && Instant::elapsed(&begun) > limit
                {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                begun = begun.or_else(|| self.recv_limit().map(|_| Instant::now()));
            }
            self.fetch(&mut inbound, waits)?;
        }
    }

    /// Reads once from the socket.
    fn fetch(&self, inbound: &mut Inbound, waits: bool) -> io::Result<()> {
        inbound.prepare();
        let count = match waits {
            true => self.stream.recv_append(&mut inbound.octets)?,
            false => {
                let room = inbound.octets.capacity();
                inbound.octets.resize(room, 0);
                let count = self.stream.try_recv(&mut inbound.octets);
                inbound.octets.truncate(*count.as_ref().unwrap_or(&0));
                count?
            }
        };
        inbound.arrived(count);
        Ok(())
    }

    /// What is decrypted, or can be; `None` if there is nothing.
    fn take(&self, inbound: &mut Inbound, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let mut connection = lock(&self.connection);
        let mut count = 0;
        loop {
            match connection.reader().read(&mut buffer[count..]) {
                // The peer has said that nothing more comes.
                Ok(0) if count == 0 => return Ok(Some(0)),
                Ok(more) => count += more,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                // The end without a word: what GIOP needs of it, its messages tell.
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Ok(Some(count));
                }
                Err(error) => return Err(error),
            }
            if count == buffer.len() || (inbound.rest().is_empty() && !inbound.ended) {
                break;
            }
            if inbound.rest().is_empty() {
                return Ok(Some(count));
            }
            match self.decrypt(inbound, &mut connection) {
                Ok(()) => {}
                // What came before it counts first.
                Err(_) if count > 0 => break,
                Err(error) => return Err(error),
            }
        }
        let left = connection.process_new_packets().map(|state| state.plaintext_bytes_to_read());
        let buffered = !inbound.rest().is_empty() || left.is_ok_and(|left| left > 0);
        self.buffered.store(buffered, Ordering::Release);
        let answers = connection.wants_write();
        drop(connection);
        if answers {
            self.answer();
        }
        inbound.begun |= count > 0;
        Ok((count > 0).then_some(count))
    }

    /// Gives the connection what it takes of the octets at once.
    fn decrypt(&self, inbound: &mut Inbound, connection: &mut Connection) -> io::Result<()> {
        let mut rest = inbound.rest();
        let taken = connection.read_tls(&mut rest)?;
        inbound.taken += taken;
        if taken == 0 {
            // Behind the peer's last word nothing counts.
            inbound.taken = inbound.octets.len();
        }
        let Err(error) = connection.process_new_packets() else { return Ok(()) };
        inbound.taken = inbound.octets.len();
        if !inbound.begun && matches!(connection, Connection::Client(_)) {
            // In TLS 1.3 a server refuses the certificate of a client after the client's handshake.
            return Err(
                fault::handshake(Side::Client, &self.stream.peer().to_string(), &error).into()
            );
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, format!("the peer breaks TLS: {error}")))
    }

    /// Sends what TLS itself has to say, unless another thread is sending: that one does, then.
    fn answer(&self) {
        if let Ok(mut outbound) = self.outbound.try_lock()
            && !outbound.owes()
        {
            // A peer that takes nothing sees the connection end by its own silence.
            outbound.push(&*self.stream, &self.connection).ok();
        }
    }

    /// Whether something has arrived for the caller. What TLS itself exchanges does not count.
    pub(super) fn look(&self) -> io::Result<Readiness> {
        if self.buffered.load(Ordering::Acquire) {
            return Ok(Readiness::Data);
        }
        let Ok(mut inbound) = self.inbound.try_lock() else {
            // A thread receives, which will see it.
            return self.stream.readiness();
        };
        loop {
            match self.fetch(&mut inbound, false) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Readiness::Idle);
                }
                Err(_) => return Ok(Readiness::Closed),
                Ok(()) => {}
            }
            if inbound.ended {
                return Ok(Readiness::Closed);
            }
            if let Some(found) = self.find(&mut inbound)? {
                return Ok(found);
            }
        }
    }

    /// Decrypts until something is there for the caller, or nothing is left.
    fn find(&self, inbound: &mut Inbound) -> io::Result<Option<Readiness>> {
        let mut connection = lock(&self.connection);
        while !inbound.rest().is_empty() {
            if self.decrypt(inbound, &mut connection).is_err() {
                return Ok(Some(Readiness::Closed));
            }
            let state = connection.process_new_packets().map_err(io::Error::other)?;
            if state.plaintext_bytes_to_read() > 0 {
                self.buffered.store(true, Ordering::Release);
                return Ok(Some(Readiness::Data));
            }
            if state.peer_has_closed() {
                return Ok(Some(Readiness::Closed));
            }
        }
        Ok(None)
    }
}
