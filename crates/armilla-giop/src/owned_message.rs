//! A copy of a message that outlives the buffer in which it arrived.

use crate::{Message, MessageHeader};
use alloc::vec::Vec;
use armilla_cdr::FragmentedOctets;

/// A copy of a message, for another thread than the one that reads from the connection. Its memory
/// is reused for the next message that is copied into it.
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
#[derive(Debug, Default)]
pub struct OwnedMessage {
    header: Option<MessageHeader>,
    octets: Vec<u8>,
    /// The message, when it came in fragments.
    fragments: Option<FragmentedOctets>,
}

/// Memory beyond this is released when the message is cleared.
const RETAINED: usize = 64 * 1024;

impl OwnedMessage {
    /// No message yet.
    pub const fn new() -> Self {
        Self { header: None, octets: Vec::new(), fragments: None }
    }

    /// Copies `message`, which replaces what was here before.
    pub fn copy_from(&mut self, message: &Message<'_>) {
        self.clear();
        self.header = Some(message.header);
        match message.fragments {
            Some(fragments) => self.fragments = Some(fragments.clone()),
            None => self.octets.extend_from_slice(message.octets),
        }
    }

    /// The message, if there is one.
    pub fn message(&self) -> Option<Message<'_>> {
        let header = self.header?;
        let fragments = self.fragments.as_ref();
        let octets = fragments.map_or(&self.octets[..], FragmentedOctets::octets);
        Some(Message { header, octets, fragments })
    }

    /// Drops the message, and its memory if that is large.
    pub fn clear(&mut self) {
        self.header = None;
        self.fragments = None;
        self.octets.clear();
        self.octets.shrink_to(RETAINED);
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
