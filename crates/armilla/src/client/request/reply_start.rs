//! What is known of a reply once its header was read. It is kept beside the message.

use super::answer::wrong_reply;
use crate::exception::{Completion, SystemException};
use armilla_cdr::{ByteOrder, Decoder};
use armilla_giop::{
    Message, MessageKind, ReplyHeader, ReplyStatus, decode_reply, decode_reply_fast,
};

/// What is known of a reply once its header was read.
#[derive(Debug, Clone, Copy)]
pub(in crate::client) struct ReplyStart {
    pub(in crate::client) status: ReplyStatus,
    /// Where the body begins in the message.
    pub(in crate::client) body_at: usize,
    /// The byte order, if the body can be read in place: a message of 1.2 without fragments.
    pub(in crate::client) plain: Option<ByteOrder>,
}

impl ReplyStart {
    /// The start of no reply.
    pub(in crate::client) const NONE: Self =
        Self { status: ReplyStatus::NoException, body_at: 0, plain: None };

    /// The start of a reply that the fast path has read.
    #[inline(always)]
    pub(in crate::client) fn fast(
        message: &Message<'_>,
        header: &ReplyHeader<'_>,
        body: &Decoder<'_>,
    ) -> Self {
        let plain = Some(message.header.order);
        Self { status: header.status, body_at: body.position(), plain }
    }

    pub(in crate::client) fn new(header: &ReplyHeader<'_>, body: &Decoder<'_>) -> Self {
        Self { status: header.status, body_at: body.position(), plain: None }
    }

    /// Reads the header of `message`.
    ///
    /// # Errors
    /// `MARSHAL` when that fails; it is not known whether the request was executed.
    pub(in crate::client) fn read(message: &Message<'_>) -> Result<Self, SystemException> {
        if message.header.kind != MessageKind::Reply {
            return Err(wrong_reply());
        }
        if let Some((header, body)) = decode_reply_fast(message) {
            return Ok(Self::fast(message, &header, &body));
        }
        match decode_reply(message) {
            Ok((header, body)) => Ok(Self::new(&header, &body)),
            Err(error) => Err(SystemException::decoding(&error, Completion::Maybe)),
        }
    }
}
