//! One connection to a client, served by a thread of its own.
//!
//! The thread reads a request, calls the servant and writes the reply itself: two system calls, no
//! hand-off, and no allocation once the buffers have grown to the size of the messages.

use super::dispatch;
use super::registry::{Place, Silence};
use super::reply_port::ReplyPort;
use crate::orb::Orb;
use armilla_cdr::{CdrError, CodeSet};
use armilla_giop::{
    Framer, HeaderError, Message, MessageKind, Version, close_connection, message_error,
};
use armilla_ipc::{SendError, Stream};
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

impl From<SendError> for End {
    fn from(error: SendError) -> Self {
        Self::Io(error.source)
    }
}

impl Connection {
    pub(crate) fn new(orb: Orb, stream: Arc<dyn Stream>, place: Place) -> Self {
        let max_message = orb.settings().max_message;
        let code_set = CodeSet::default();
        // Without a limit a client that does not read would hold its thread for ever.
        stream.set_send_timeout(Some(orb.settings().server_idle)).ok();
        let reply = ReplyPort { stream, buffer: Vec::new(), code_set, max_message };
        Self { orb, framer: Framer::new(max_message), reply, place }
    }

    /// Tells a client for which there is no place that it was not heard.
    pub(crate) fn turn_away(stream: &dyn Stream) {
        stream.send_all(&close_connection(Version::V1_0)).ok();
    }

    /// Serves requests until the connection ends.
    pub(crate) fn serve(&mut self) {
        let Err(end) = self.run() else { return };
        let peer = self.reply.stream.peer();
        let farewell = match end {
            End::Peer => None,
            End::Ours => Some(close_connection(Version::V1_0)),
            End::Stalled => {
                let limit = self.orb.settings().header_deadline;
                tracing::warn!(%peer, ?limit, "closed: a message stopped halfway (header_deadline)");
                Some(close_connection(Version::V1_0))
            }
            End::Framing(error) => {
                tracing::warn!(%peer, %error, "closed: the client sent no GIOP message");
                Some(message_error(Version::V1_0))
            }
            End::Malformed(kind, error) => {
                tracing::warn!(%peer, ?kind, %error, "closed: the client sent a malformed message");
                Some(message_error(Version::V1_0))
            }
            End::Unexpected(kind) => {
                tracing::warn!(%peer, ?kind, "closed: the client sent a message that is a server's");
                Some(message_error(Version::V1_0))
            }
            End::MessageError => {
                tracing::warn!(%peer, "closed: the client could not read a message of ours");
                None
            }
            End::Io(error) => {
                tracing::debug!(%peer, %error, "the connection broke");
                None
            }
        };
        if let Some(message) = farewell {
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
