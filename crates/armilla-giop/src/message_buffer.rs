//! A message that was taken out of a framer, with its memory.

use crate::{HEADER_LEN, Message, MessageHeader};
use alloc::vec::Vec;
use armilla_cdr::FragmentedOctets;
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
#[derive(Debug, Default)]
pub struct MessageBuffer {
    octets: Vec<u8>,
    /// The message, when it came in fragments.
    fragments: Option<FragmentedOctets>,
}

impl MessageBuffer {
    /// A buffer that allocates when it is first used.
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
