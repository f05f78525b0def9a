//! A stream over TLS, as the ORB sees any other one.
//!
//! Three locks keep its parts apart. `inbound` belongs to the thread that receives, also while it
//! waits; `outbound` to the one that sends, also while the peer takes nothing; `connection`, the
//! state of TLS, is held while octets are encrypted or decrypted, and never while a thread waits.
//! They are taken in this order: `inbound` or `outbound`, then `connection`; never both of the first.
//!
//! # What was taken and what was sent
//!
//! Once a record is encrypted, it is sent whole or the connection is of no use. Where the socket
//! takes only a part of it, the rest stays in `outbound`, and the last octet that it carries is
//! reported as not sent: whoever sends has to come back with it, as with any other stream that took
//! only a part, and until then no peer can have read the message. That octet is *owed*: when the
//! sender comes back, it is passed over.

mod inbound;
mod outbound;

use armilla_ipc::{Address, Protection, Readiness, SendError, Stream};
use inbound::Inbound;
use outbound::Outbound;
use rustls::{Connection, ProtocolVersion};
use std::fmt;
use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A stream over TLS whose handshake is over.
pub(crate) struct TlsStream {
    stream: Arc<dyn Stream>,
    connection: Mutex<Connection>,
    inbound: Mutex<Inbound>,
    outbound: Mutex<Outbound>,
    /// Whether octets are decrypted that nobody has received.
    buffered: AtomicBool,
    /// The time limit of receiving, in nanoseconds; `u64::MAX` for none.
    recv_limit: AtomicU64,
    protection: Arc<Protection>,
}

/// No time limit.
const UNLIMITED: u64 = u64::MAX;

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl TlsStream {
    /// The stream after a handshake, with what has arrived behind it and was not decrypted yet.
    pub(crate) fn new(
        stream: Arc<dyn Stream>,
        mut connection: Connection,
        behind: Vec<u8>,
    ) -> io::Result<Self> {
        let state = connection.process_new_packets().map_err(io::Error::other)?;
        let arrived = !behind.is_empty() || state.plaintext_bytes_to_read() > 0;
        let buffered = AtomicBool::new(arrived);
        let protection = Arc::new(protection(&connection));
        Ok(Self {
            stream,
            connection: Mutex::new(connection),
            inbound: Mutex::new(Inbound::with(behind)),
            outbound: Mutex::default(),
            buffered,
            recv_limit: AtomicU64::new(UNLIMITED),
            protection,
        })
    }

    fn recv_limit(&self) -> Option<Duration> {
        let limit = self.recv_limit.load(Ordering::Relaxed);
        (limit != UNLIMITED).then(|| Duration::from_nanos(limit))
    }

    /// Tells the peer that nothing more will be sent, if that is possible at once.
    fn send_close_notify(&self) {
        let Ok(mut outbound) = self.outbound.try_lock() else { return };
        if outbound.owes() {
            return;
        }
        lock(&self.connection).send_close_notify();
        // The peer sees the end of the stream in any case.
        outbound.push(&*self.stream, &self.connection).ok();
    }
}

/// What is known of a connection after its handshake.
fn protection(connection: &Connection) -> Protection {
    let protocol = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_2) => "TLS 1.2",
        Some(ProtocolVersion::TLSv1_3) => "TLS 1.3",
        _ => "TLS",
    };
    let cipher = connection.negotiated_cipher_suite().map(crate::choices::name);
    let mut protection = Protection::new(protocol, cipher.unwrap_or_default());
    let certificates = connection.peer_certificates().unwrap_or_default();
    protection.certificates = certificates.iter().map(|der| der.to_vec()).collect();
    protection
}

impl Drop for TlsStream {
    fn drop(&mut self) {
        self.send_close_notify();
    }
}

impl Stream for TlsStream {
    fn recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.receive(buffer, true)
    }

    fn try_recv(&self, buffer: &mut [u8]) -> io::Result<usize> {
        self.receive(buffer, false)
    }

    fn send_all(&self, bytes: &[u8]) -> Result<(), SendError> {
        self.send_all_vectored(&[IoSlice::new(bytes)])
    }

    fn send_all_vectored(&self, parts: &[IoSlice<'_>]) -> Result<(), SendError> {
        match self.send_parts(parts, true) {
            (_, None) => Ok(()),
            (sent, Some(source)) => Err(SendError { sent, source }),
        }
    }

    fn try_send_vectored(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match self.send_parts(parts, false) {
            (0, Some(error)) => Err(error),
            (sent, Some(error)) if error.kind() == io::ErrorKind::WouldBlock => Ok(sent),
            (_, Some(error)) => Err(error),
            (sent, None) => Ok(sent),
        }
    }

    fn set_recv_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        let limit =
            timeout.map_or(UNLIMITED, |limit| u64::try_from(limit.as_nanos()).unwrap_or(UNLIMITED));
        self.recv_limit.store(limit, Ordering::Relaxed);
        self.stream.set_recv_timeout(timeout)
    }

    fn set_send_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        self.stream.set_send_timeout(timeout)
    }

    fn readiness(&self) -> io::Result<Readiness> {
        self.look()
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.stream.descriptor()
    }

    fn has_buffered(&self) -> bool {
        self.buffered.load(Ordering::Acquire)
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if how != Shutdown::Read {
            self.send_close_notify();
        }
        self.stream.shutdown(how)
    }

    fn peer(&self) -> &Address {
        self.stream.peer()
    }

    fn local(&self) -> &Address {
        self.stream.local()
    }

    fn protection(&self) -> Option<Arc<Protection>> {
        Some(self.protection.clone())
    }
}

impl fmt::Debug for TlsStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { stream, protection, .. } = self;
        f.debug_struct("TlsStream")
            .field("stream", stream)
            .field("protection", protection)
            .finish_non_exhaustive()
    }
}
