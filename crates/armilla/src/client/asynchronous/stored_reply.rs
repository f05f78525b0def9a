//! The reply to an asynchronous call, while a thread reads it.

use super::call::AsyncCall;
use crate::client::request::no_reply;
use crate::exception::{Completion, SystemException};
use armilla_cdr::{CodeSets, Decoder};
use armilla_giop::{OwnedMessage, ReplyHeader, decode_reply};

/// The reply to a call, while a thread reads it. It returns to the call when it is dropped.
pub(super) struct StoredReply<'c> {
    pub(super) call: &'c AsyncCall,
    pub(super) message: OwnedMessage,
    pub(super) code_sets: CodeSets,
}

impl StoredReply<'_> {
    /// The header, and a decoder for the body.
    pub(super) fn open(&self) -> Result<(ReplyHeader<'_>, Decoder<'_>), SystemException> {
        let orb = &self.call.target().object.reference()?.orb;
        let message = self.message.message().ok_or_else(no_reply)?;
        match decode_reply(&message) {
            Ok((header, body)) => {
                Ok((header, body.with_code_sets(self.code_sets).with_context(orb)))
            }
            Err(error) => Err(SystemException::decoding(&error, Completion::Maybe)),
        }
    }
}

impl Drop for StoredReply<'_> {
    fn drop(&mut self) {
        self.call.take_back(std::mem::take(&mut self.message));
    }
}
