//! A message that was taken out of a framer, with its memory.

use crate::message::no_fragments;
use crate::{HEADER_LEN, Message, MessageHeader};
use alloc::vec::Vec;
use armilla_cdr::{FragmentedOctets, LARGE_MEMORY, reserve_large};
use core::ops::Range;

/// The memory of a message that was taken out of a [`Framer`](crate::Framer), so that the framer
/// can go on while the message is in use. A thread keeps one of these for all connections from
/// which it reads: their framers read into it.
///
/// ```
/// use armilla_giop::{Framer, MessageBuffer, MessageKind, Version, close_connection};
///
/// let (mut framer, mut buffer) = (Framer::new(1 << 20), MessageBuffer::new());
/// let arrived = close_connection(Version::V1_2);
/// framer.space_from(&mut buffer)[..12].copy_from_slice(&arrived); // a read from the connection
/// framer.received(12);
/// let message = framer.take(&mut buffer)?.expect("the message is complete");
/// assert_eq!(message.header.kind, MessageKind::CloseConnection);
/// # Ok::<(), armilla_giop::HeaderError>(())
/// ```
#[derive(Debug)]
pub struct MessageBuffer {
    octets: Vec<u8>,
    /// The memory of the last message that came in fragments.
    fragments: FragmentedOctets,
}

/// What a thread keeps of a message in fragments while it serves several connections.
const LARGE: usize = 64 * 1024;

impl Default for MessageBuffer {
    fn default() -> Self {
        Self::new()
    }
}

impl MessageBuffer {
    /// A buffer that allocates when it is first used.
    pub const fn new() -> Self {
        Self { octets: Vec::new(), fragments: no_fragments() }
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
    pub(crate) fn arrived(&self) -> &[u8] {
        &self.octets
    }

    /// The octets from where the object key of the last message begins if that is a request as the
    /// fast path reads it. Nothing is checked: this is for prefetching.
    #[inline(always)]
    pub fn likely_object_key(&self) -> Option<&[u8]> {
        // After the message header: request id, flags, addressing disposition, length of the key.
        self.octets.get(HEADER_LEN + 16..)
    }

    /// The message that is copied here.
    #[cold]
    pub(crate) fn copied(&mut self, header: MessageHeader, message: &[u8]) -> Message<'_> {
        if self.octets.len() < message.len() {
            if message.len() >= LARGE_MEMORY {
                reserve_large(&mut self.octets, message.len());
            }
            self.octets.resize(message.len(), 0);
        }
        let octets = &mut self.octets[..message.len()];
        octets.copy_from_slice(message);
        Message { header, octets, fragments: None }
    }

    /// The memory for a message that was put together from fragments.
    pub(crate) const fn fragments(&mut self) -> &mut FragmentedOctets {
        &mut self.fragments
    }

    /// The message that was put together from fragments here.
    pub(crate) fn reassembled(&self, header: MessageHeader) -> Message<'_> {
        let fragments = &self.fragments;
        Message { header, octets: fragments.octets(), fragments: Some(fragments) }
    }

    /// Frees the memory of large messages, before the thread waits for long.
    pub fn release_memory(&mut self) {
        if self.octets.len() > LARGE {
            self.octets = Vec::new();
        }
        self.shrink();
    }

    /// Frees the memory of a large message that came in fragments, before the thread turns to
    /// another connection.
    pub fn shrink(&mut self) {
        if self.fragments.capacity() > LARGE {
            self.fragments = no_fragments();
        }
    }
}
