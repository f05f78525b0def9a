//! A message that outlives the buffer in which it arrived.

use crate::message::no_fragments;
use crate::{HeaderError, Message, MessageHeader};
use alloc::vec::Vec;
use armilla_cdr::FragmentedOctets;
use core::mem;
use core::ops::Range;

/// A message that was copied or moved out of the buffer in which it arrived, for another thread than
/// the one that reads from the connection, or for later. Its memory is reused for the next message.
///
/// ```
/// use armilla_giop::{Message, OwnedMessage, Version, close_connection};
///
/// let octets = close_connection(Version::V1_2);
/// let message = Message::parse(&octets)?.expect("the message is whole");
/// let mut owned = OwnedMessage::new();
/// owned.copy_from(&message);
/// assert_eq!(owned.message(), Some(message));
/// # Ok::<(), armilla_giop::HeaderError>(())
/// ```
#[derive(Debug)]
pub struct OwnedMessage {
    header: Option<MessageHeader>,
    /// The memory; `place` tells where the message is in it.
    octets: Vec<u8>,
    place: Range<usize>,
    /// Whether the message came in fragments, and is in `fragments`.
    in_fragments: bool,
    /// The memory of the last message that came in fragments.
    fragments: FragmentedOctets,
}

/// Memory beyond this is released when the message is cleared.
const RETAINED: usize = 256 * 1024;

/// The least memory that is exchanged for a message with its memory: what a framer needs.
const EXCHANGED: usize = 64 * 1024;

impl Default for OwnedMessage {
    fn default() -> Self {
        Self::new()
    }
}

impl OwnedMessage {
    /// No message yet.
    pub const fn new() -> Self {
        Self {
            header: None,
            octets: Vec::new(),
            place: 0..0,
            in_fragments: false,
            fragments: no_fragments(),
        }
    }

    /// Copies `message`, which replaces what was here before.
    pub fn copy_from(&mut self, message: &Message<'_>) {
        match message.fragments {
            None => self.copy_octets(message.header, message.octets),
            Some(fragments) => {
                self.clear();
                self.fragments.copy_from(fragments);
                (self.header, self.in_fragments) = (Some(message.header), true);
            }
        }
    }

    /// Takes a whole message in `octets`. `None` if they are none.
    ///
    /// # Errors
    /// Those of [`MessageHeader::decode`].
    pub fn take_octets(&mut self, octets: Vec<u8>) -> Result<Option<Message<'_>>, HeaderError> {
        self.clear();
        self.octets = octets;
        let message = Message::parse(&self.octets)?;
        self.header = message.map(|message| message.header);
        self.place = 0..message.map_or(0, |message| message.octets.len());
        Ok(self.message())
    }

    /// Takes the memory out, as [`take_octets`](Self::take_octets) has put it in.
    pub fn into_octets(&mut self) -> Vec<u8> {
        self.header = None;
        mem::take(&mut self.octets)
    }

    /// The message, if there is one.
    #[inline]
    pub fn message(&self) -> Option<Message<'_>> {
        let header = self.header?;
        if self.in_fragments {
            let fragments = &self.fragments;
            return Some(Message {
                header,
                octets: fragments.octets(),
                fragments: Some(fragments),
            });
        }
        let octets = self.octets.get(self.place.clone())?;
        Some(Message { header, octets, fragments: None })
    }

    /// Drops the message, and its memory if that is large.
    pub fn clear(&mut self) {
        (self.header, self.in_fragments) = (None, false);
        if self.fragments.capacity() > RETAINED {
            self.fragments = no_fragments();
        }
        if self.octets.len() > RETAINED {
            self.octets.truncate(EXCHANGED);
            self.octets.shrink_to(EXCHANGED);
        }
    }

    pub(crate) fn copy_octets(&mut self, header: MessageHeader, message: &[u8]) {
        self.clear();
        self.header = Some(header);
        if self.octets.len() < message.len() {
            self.octets.resize(message.len(), 0);
        }
        self.octets[..message.len()].copy_from_slice(message);
        self.place = 0..message.len();
    }

    /// Takes the message at `place` with its memory, in exchange for the memory here.
    pub(crate) fn swap(
        &mut self,
        header: MessageHeader,
        octets: &mut Vec<u8>,
        place: Range<usize>,
    ) {
        self.clear();
        self.header = Some(header);
        if self.octets.len() < EXCHANGED {
            self.octets.resize(EXCHANGED, 0);
        }
        mem::swap(&mut self.octets, octets);
        self.place = place;
    }

    /// Takes the message that `take` puts into the memory for fragments.
    pub(crate) fn take_reassembled(
        &mut self,
        take: impl FnOnce(&mut FragmentedOctets) -> Option<MessageHeader>,
    ) {
        self.clear();
        self.header = take(&mut self.fragments);
        self.in_fragments = self.header.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Version, close_connection};

    #[test]
    fn a_message_is_kept_until_it_is_dropped() {
        let mut kept = OwnedMessage::new();
        assert_eq!(kept.message(), None);
        for version in [Version::V1_0, Version::V1_2] {
            let octets = close_connection(version);
            let message = Message::parse(&octets).unwrap().unwrap();
            kept.copy_from(&message);
            assert_eq!(kept.message(), Some(message));
        }
        kept.clear();
        assert_eq!(kept.message(), None);
    }
}
