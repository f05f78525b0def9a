//! The handshake: octets of TLS back and forth, until both ends know each other.

use crate::asked;
use crate::fault::{self, Side};
use crate::stream::TlsStream;
use armilla_core::transport::Refused;
use armilla_ipc::Stream;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, Connection, ProtocolVersion};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much is read at once.
const READ: usize = 4 << 10;

/// How long a client waits for the word of a server that has asked for its certificate.
const CONFIRMATION: Duration = Duration::from_millis(250);

/// The longest limit of a handshake, whatever a program sets.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// A handshake that has begun.
pub(crate) struct Handshake {
    stream: Arc<dyn Stream>,
    connection: Connection,
    /// What was encoded and not yet sent.
    outgoing: Vec<u8>,
    sent: usize,
    /// Whether this end says anything.
    is_answered: Arc<AtomicBool>,
    /// What has arrived behind the handshake.
    behind: Vec<u8>,
    side: Side,
    place: String,
}

/// What a handshake waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// Octets of the peer.
    Read,
    /// Room for octets.
    Write,
    /// Nothing more: it is over.
    Nothing,
}

impl Handshake {
    pub(crate) fn new(
        stream: Arc<dyn Stream>,
        connection: Connection,
        side: Side,
        place: String,
    ) -> Self {
        let (outgoing, behind) = Default::default();
        let is_answered = Arc::default();
        Self { stream, connection, outgoing, sent: 0, is_answered, behind, side, place }
    }

    /// Whether this end says anything: a server has then got what the client begins with.
    pub(crate) fn is_answered(&self) -> &Arc<AtomicBool> {
        &self.is_answered
    }

    pub(crate) fn stream(&self) -> &Arc<dyn Stream> {
        &self.stream
    }

    /// Goes on as far as that is possible without waiting.
    ///
    /// # Errors
    /// A [`Refused`] if the ends do not agree; otherwise an error of the stream.
    pub(crate) fn advance(&mut self) -> io::Result<Wants> {
        loop {
            if !self.send()? {
                return Ok(Wants::Write);
            }
            if !self.connection.is_handshaking() {
                return Ok(Wants::Nothing);
            }
            let mut buffer = [0; READ];
            match self.stream.try_recv(&mut buffer) {
                Ok(count) => self.receive(&buffer[..count])?,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Wants::Read),
                Err(error) => return Err(self.broken(error)),
            }
        }
    }

    /// The whole handshake, in this thread, until `deadline`.
    fn finish_until(&mut self, deadline: Instant) -> io::Result<()> {
        loop {
            let late =
                || io::Error::new(io::ErrorKind::TimedOut, "the handshake of TLS took too long");
            let left =
                deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero());
            let left = left.ok_or_else(late)?;
            match self.advance()? {
                Wants::Nothing => return Ok(()),
                Wants::Read => {
                    let mut buffer = [0; READ];
                    self.stream.set_recv_timeout(Some(left))?;
                    match self.stream.recv(&mut buffer) {
                        Ok(count) => self.receive(&buffer[..count])?,
                        Err(error) if error.kind() == io::ErrorKind::TimedOut => return Err(late()),
                        Err(error) => return Err(self.broken(error)),
                    }
                }
                Wants::Write => {
                    self.stream.set_send_timeout(Some(left))?;
                    let rest = &self.outgoing[self.sent..];
                    self.stream.send_all(rest).map_err(|error| error.source)?;
                    self.sent = self.outgoing.len();
                }
            }
        }
    }

    /// Waits until the server has accepted the certificate of this client, if it has asked for one.
    /// In TLS 1.3 it decides that after the client's handshake; it then sends a ticket, as all
    /// servers do that can resume sessions, or says what is wrong. One that does neither in time has
    /// nothing to say.
    fn confirm(&mut self, deadline: Instant) -> io::Result<()> {
        let last = deadline.min(Instant::now() + CONFIRMATION);
        while self.awaits_confirmation() {
            let left = last.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            let mut buffer = [0; READ];
            self.stream.set_recv_timeout(Some(left))?;
            match self.stream.recv(&mut buffer) {
                Ok(count) => self.receive(&buffer[..count])?,
                Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(()),
                Err(error) => return Err(self.broken(error)),
            }
        }
        Ok(())
    }

    fn awaits_confirmation(&self) -> bool {
        let Connection::Client(client) = &self.connection else { return false };
        let new = client.protocol_version() == Some(ProtocolVersion::TLSv1_3);
        new && asked::was_asked() && self.behind.is_empty() && client.tls13_tickets_received() == 0
    }

    /// Whether all is sent that the connection has to say.
    fn send(&mut self) -> io::Result<bool> {
        loop {
            while self.sent < self.outgoing.len() {
                self.is_answered.store(true, Ordering::Relaxed);
                let rest = IoSlice::new(&self.outgoing[self.sent..]);
                match self.stream.try_send_vectored(&[rest]) {
                    Ok(count) => self.sent += count,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                    // The peer may have said why before it ended.
                    Err(_) if self.connection.is_handshaking() => break,
                    Err(error) => return Err(error),
                }
            }
            (self.outgoing, self.sent) = (Vec::new(), 0);
            if !self.connection.wants_write() {
                return Ok(true);
            }
            while self.connection.wants_write() {
                self.connection.write_tls(&mut self.outgoing)?;
            }
        }
    }

    fn receive(&mut self, octets: &[u8]) -> io::Result<()> {
        if octets.is_empty() {
            return Err(self.broken(io::ErrorKind::UnexpectedEof.into()));
        }
        let mut rest = octets;
        while !rest.is_empty() && (self.connection.is_handshaking() || self.awaits_confirmation()) {
            self.connection.read_tls(&mut rest)?;
            if let Err(error) = self.connection.process_new_packets() {
                let refused = fault::handshake(self.side, &self.place, &error);
                // Tells the peer, if it listens.
                self.send().ok();
                return Err(refused.into());
            }
        }
        self.behind.extend_from_slice(rest);
        Ok(())
    }

    /// The error of a stream that ended during the handshake.
    fn broken(&self, error: io::Error) -> io::Error {
        let kind = error.kind();
        if !matches!(kind, io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset) {
            return error;
        }
        let Self { side, place, .. } = self;
        let text = match side {
            Side::Client => format!("{place} ended the connection during the handshake of TLS"),
            Side::Server => format!("the client at {place} left during the handshake of TLS"),
        };
        match side {
            Side::Client => {
                Refused::new(armilla_core::exception::Minor::TLS_HANDSHAKE_FAILED, text)
                    .with_hint(
                        "is this the server's port for TLS, or that for plain IIOP? The log of the \
                     server may say why",
                    )
                    .into()
            }
            Side::Server => io::Error::new(kind, text),
        }
    }

    /// The stream, once the handshake is over.
    ///
    /// # Errors
    /// When what came behind the handshake is malformed.
    pub(crate) fn into_stream(self) -> io::Result<TlsStream> {
        self.stream.set_recv_timeout(None)?;
        self.stream.set_send_timeout(None)?;
        TlsStream::new(self.stream, self.connection, self.behind)
    }
}

/// Makes the handshake with the server at `place`, whose certificate has to be for `name`.
///
/// # Errors
/// As [`Handshake::advance`], and `TimedOut`.
pub(crate) fn connect(
    stream: Arc<dyn Stream>,
    config: Arc<ClientConfig>,
    (name, place): (ServerName<'static>, &str),
    limit: Duration,
) -> io::Result<TlsStream> {
    let deadline = Instant::now() + limit.min(LONGEST);
    let connection = ClientConnection::new(config, name)
        .map_err(|error| io::Error::from(fault::handshake(Side::Client, place, &error)))?;
    let mut handshake = Handshake::new(stream, connection.into(), Side::Client, place.to_owned());
    asked::begin();
    let finished = handshake.finish_until(deadline).and_then(|()| handshake.confirm(deadline));
    finished.map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => io::Error::new(
            io::ErrorKind::TimedOut,
            format!("cannot connect to {place}: {error}; is that its port for TLS?"),
        ),
        _ => error,
    })?;
    handshake.into_stream()
}
