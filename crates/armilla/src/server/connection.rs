//! One connection to a client, served by a thread of its own.
//!
//! The thread reads a request, calls the servant and writes the reply itself: two system calls, no
//! hand-off, and no allocation once the buffers have grown to the size of the messages.

use super::dispatch;
use super::registry::{Place, Silence};
use super::reply_port::ReplyPort;
use crate::log::report;
use crate::orb::Orb;
use crate::settings::Settings;
use armilla_cdr::{CdrError, CodeSets};
use armilla_giop::{
    Framer, HEADER_LEN, HeaderError, Message, MessageKind, Version, close_connection, message_error,
};
use armilla_ipc::{Address, SendError, Stream};
use std::io;
use std::sync::Arc;

/// A connection and its state.
pub(crate) struct Connection {
    orb: Orb,
    framer: Framer,
    reply: ReplyPort,
    place: Place,
}

/// Why a connection ends.
pub(crate) enum End {
    /// The client closed it, or said that it would.
    Peer,
    /// The client closed it within a message.
    CutShort,
    /// Nothing came for long, or the server closes: the client is told.
    Ours,
    /// The client left a message unfinished.
    Stalled,
    /// The octets are no messages.
    Framing(HeaderError),
    /// A message is malformed.
    Malformed(MessageKind, CdrError),
    /// A message that only a server sends, or that the version does not have.
    Unexpected(MessageKind),
    /// The client cannot read us.
    MessageError,
    /// The connection broke.
    Io(io::Error),
}

impl End {
    /// Tells the operator why, where the client is at fault.
    fn report(&self, peer: &Address, settings: &Settings) {
        match self {
            Self::Peer | Self::Ours => {}
            Self::CutShort => {
                report!(warn, "the client closed the connection within a message", peer = peer);
            }
            Self::Stalled => report!(
                warn,
                "closed: a message stopped halfway (header_deadline)",
                peer = peer,
                limit = format_args!("{:?}", settings.header_deadline),
            ),
            Self::Framing(error) => {
                report!(
                    warn,
                    "closed: the client sent no GIOP message",
                    peer = peer,
                    error = error
                );
            }
            Self::Malformed(kind, error) => report!(
                warn,
                "closed: the client sent a malformed message",
                peer = peer,
                kind = format_args!("{kind:?}"),
                error = error,
            ),
            Self::Unexpected(kind) => report!(
                warn,
                "closed: the client sent a message that is a server's",
                peer = peer,
                kind = format_args!("{kind:?}"),
            ),
            Self::MessageError => {
                report!(warn, "closed: the client could not read a message of ours", peer = peer);
            }
            Self::Io(error) => tracing::debug!(%peer, %error, "the connection broke"),
        }
    }

    /// What the client is told.
    fn farewell(&self) -> Option<[u8; HEADER_LEN]> {
        match self {
            Self::Peer | Self::CutShort | Self::MessageError | Self::Io(_) => None,
            Self::Ours | Self::Stalled => Some(close_connection(Version::V1_0)),
            Self::Framing(_) | Self::Malformed(..) | Self::Unexpected(_) => {
                Some(message_error(Version::V1_0))
            }
        }
    }
}

impl From<SendError> for End {
    fn from(error: SendError) -> Self {
        Self::Io(error.source)
    }
}

impl Connection {
    pub(crate) fn new(orb: Orb, stream: Arc<dyn Stream>, place: Place) -> Self {
        let max_message = orb.settings().max_message;
        let fragment_size = orb.settings().fragment_size.unwrap_or(usize::MAX);
        let code_sets = CodeSets::UNAGREED;
        // Without a limit a client that does not read would hold its thread for ever.
        stream.set_send_timeout(Some(orb.settings().server_idle)).ok();
        let reply = ReplyPort { stream, buffer: Vec::new(), code_sets, max_message, fragment_size };
        Self { orb, framer: Framer::new(max_message), reply, place }
    }

    /// Tells a client for which there is no place that it was not heard.
    pub(crate) fn turn_away(stream: &dyn Stream) {
        stream.send_all(&close_connection(Version::V1_0)).ok();
    }

    /// Serves requests until the connection ends.
    pub(crate) fn serve(&mut self) {
        let Err(end) = self.run() else { return };
        end.report(self.reply.stream.peer(), self.orb.settings());
        if let Some(message) = end.farewell() {
            // When the client is gone it needs no farewell.
            self.reply.stream.send_all(&message).ok();
        }
    }

    fn run(&mut self) -> Result<(), End> {
        loop {
            self.read()?;
            loop {
                if self.place.is_closing() {
                    return Err(End::Ours);
                }
                match self.framer.next() {
                    Ok(Some(message)) => handle(&self.orb, &message, &mut self.reply)?,
                    Ok(None) => break,
                    Err(error) => return Err(End::Framing(error)),
                }
            }
        }
    }

    #[inline]
    fn read(&mut self) -> Result<(), End> {
        self.place.waits(self.framer.is_partial());
        let count = self.reply.stream.recv(self.framer.space()).map_err(End::Io)?;
        self.place.works();
        if count == 0 {
            return Err(match self.place.silence() {
                Silence::Peer if self.framer.is_partial() => End::CutShort,
                Silence::Peer => End::Peer,
                Silence::Idle => End::Ours,
                Silence::Halfway => End::Stalled,
            });
        }
        self.framer.received(count);
        Ok(())
    }
}

#[inline]
fn handle(orb: &Orb, message: &Message<'_>, reply: &mut ReplyPort) -> Result<(), End> {
    match message.header.kind {
        MessageKind::Request => dispatch::request(orb, message, reply),
        MessageKind::LocateRequest => dispatch::locate(orb, message, reply),
        // Requests are served one after the other, so the one to cancel has been answered.
        MessageKind::CancelRequest => Ok(()),
        MessageKind::CloseConnection => Err(End::Peer),
        MessageKind::MessageError => Err(End::MessageError),
        kind => Err(End::Unexpected(kind)),
    }
}
