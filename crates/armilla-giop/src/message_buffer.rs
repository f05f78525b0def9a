//! A whole message together with the memory that it lies in.

use crate::{HEADER_LEN, Message, MessageHeader};
use alloc::vec::Vec;
use armilla_cdr::FragmentedOctets;
use core::ops::Range;

/// A message that was taken out of a [`Framer`](crate::Framer), so that the framer can go on while
/// the message is in use. Whoever reads from connections keeps one of these and uses it for all:
/// its memory is what the framers read into.
#[derive(Debug, Default)]
pub struct MessageBuffer {
    octets: Vec<u8>,
    /// The message, when it came in fragments.
    fragments: Option<FragmentedOctets>,
}

impl MessageBuffer {
    /// A buffer that takes memory when it is first used.
    pub const fn new() -> Self {
        Self { octets: Vec::new(), fragments: None }
    }

    /// The memory, for a framer to use.
    #[inline]
    pub(crate) const fn memory(&mut self) -> &mut Vec<u8> {
        &mut self.octets
    }

    /// The message that arrived here, at `place`.
    #[inline]
    pub(crate) fn found(&mut self, header: MessageHeader, place: Range<usize>) -> Message<'_> {
        Message { header, octets: &self.arrived()[place], fragments: None }
    }

    /// What has arrived here, with what stands behind it.
    #[inline(always)]
    pub(crate) fn arrived(&mut self) -> &[u8] {
        if self.fragments.is_some() {
            self.fragments = None; // A large message does not keep its memory for small ones.
        }
        &self.octets
    }

    /// Where the object key begins of what arrived here last, if that is a request as most are. Nothing is looked at or
    /// checked: this is for who asks for something early that is needed later.
    #[inline(always)]
    pub fn likely_object_key(&self) -> Option<&[u8]> {
        // Behind the message header, the request id, the flags, the kind of target and the length of the key.
        self.octets.get(HEADER_LEN + 16..)
    }

    /// The message that is copied here.
    #[cold]
    pub(crate) fn copied(&mut self, header: MessageHeader, message: &[u8]) -> Message<'_> {
        if self.octets.len() < message.len() {
            self.octets.resize(message.len(), 0);
        }
        let octets = &mut self.octets[..message.len()];
        octets.copy_from_slice(message);
        Message { header, octets, fragments: None }
    }

    /// The message that was put together from fragments.
    #[cold]
    pub(crate) fn reassembled(
        &mut self,
        header: MessageHeader,
        octets: FragmentedOctets,
    ) -> Message<'_> {
        let fragments = &*self.fragments.insert(octets);
        Message { header, octets: fragments.octets(), fragments: Some(fragments) }
    }
}
