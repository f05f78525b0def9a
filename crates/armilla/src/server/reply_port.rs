//! Where the reply to a request goes.

use super::connection::Connection;
use super::output::Owed;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use armilla_cdr::{ByteOrder, CdrResult, CodeSets, Encoder};
use armilla_giop::{HEADER_LEN, MessageHeader, ReplyStatus, Version, begin_reply, put_body};
use armilla_ipc::SendError;
use std::sync::Arc;

/// What a reply needs of its request.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReplyPort {
    pub(super) request_id: u32,
    pub(super) version: Version,
    pub(super) code_sets: CodeSets,
    pub(super) response_expected: bool,
    pub(super) owed: Owed,
}

impl ReplyPort {
    /// Sends a reply over `connection`, if one is wanted; the request is in progress no more.
    /// `buffer` is memory to use.
    ///
    /// # Errors
    /// When the reply cannot be encoded; then the request still is in progress.
    #[inline]
    pub(super) fn answer<'p>(
        self,
        connection: &Arc<Connection>,
        buffer: &mut Vec<u8>,
        status: ReplyStatus,
        body: impl FnOnce(&mut Encoder<'p>) -> CdrResult,
    ) -> Result<Result<(), SendError>, SystemException> {
        if !self.response_expected {
            return Ok(connection.settle(self.request_id, self.owed, None));
        }
        let memory = std::mem::take(buffer);
        let mut out = Encoder::with_code_sets(memory, ByteOrder::NATIVE, self.code_sets);
        out.truncate(0);
        let encoded = begin_reply(&mut out, self.version, self.request_id, status, &[])
            .and_then(|()| put_body(&mut out, self.version, body))
            .map_err(|error| SystemException::encoding(&error, Completion::Yes))
            .and_then(|()| finish(&mut out, connection.orb.settings().max_message));
        let sent = encoded.map(|()| connection.settle(self.request_id, self.owed, Some(&out)));
        *buffer = out.into_buffer();
        sent
    }
}

#[inline]
fn finish(out: &mut Encoder<'_>, limit: usize) -> Result<(), SystemException> {
    let size = out.len() - HEADER_LEN;
    match size > limit || MessageHeader::finish(out).is_err() {
        true => Err(too_large(size, limit)),
        false => Ok(()),
    }
}

#[cold]
fn too_large(size: usize, limit: usize) -> SystemException {
    let what = format!("the reply has {size} octets, the limit (max_message) is {limit}");
    SystemException::new(ExceptionKind::ImpLimit, Minor::MESSAGE_TOO_LARGE, Completion::Yes)
        .because(what)
}
