//! The end of a large message may be received elsewhere than in the buffer of the framer, where its
//! octets become a value and are not copied again.

use super::Framer;
use crate::{HEADER_LEN, Message, MessageHeader};
use alloc::vec::Vec;

impl Framer {
    /// The message that is incomplete, with the octets of it that have arrived, if it is in front and
    /// comes without fragments.
    #[cold]
    pub fn incomplete(&self) -> Option<Message<'_>> {
        let arrived = self.buffer.get(self.start..self.end)?;
        let header = MessageHeader::decode(arrived.first_chunk()?).ok()?;
        let whole = HEADER_LEN + header.size as usize;
        let usual = !header.more_fragments && !self.reassembly.is_busy() && self.skipped == 0;
        let is_incomplete = self.lent == 0 && arrived.len() < whole;
        (usual && is_incomplete).then_some(Message { header, octets: arrived, fragments: None })
    }

    /// Ends the [incomplete](Self::incomplete) message at `place` of its octets: it counts as
    /// complete without what follows there. Moves the octets that have arrived behind `place` to
    /// `into`; the caller has to read the others. `None` without such a message, or if it has not
    /// arrived that far.
    #[cold]
    pub fn detach(&mut self, place: usize, into: &mut Vec<u8>) -> Option<()> {
        let Message { mut header, octets, .. } = self.incomplete()?;
        let behind = octets.get(place..).filter(|_| place >= HEADER_LEN)?;
        into.extend_from_slice(behind);
        header.size = u32::try_from(place - HEADER_LEN).ok()?;
        let front = self.buffer.get_mut(self.start..).and_then(<[u8]>::first_chunk_mut)?;
        *front = header.encode();
        (self.end, self.needed) = (self.start + place, place);
        Some(())
    }

    /// Adds octets that were read elsewhere behind those that have arrived, such as what was read too
    /// much after [`detach`](Self::detach).
    #[cold]
    pub fn append(&mut self, mut octets: &[u8]) {
        while !octets.is_empty() {
            let space = self.space();
            let count = octets.len().min(space.len());
            space[..count].copy_from_slice(&octets[..count]);
            self.received(count);
            octets = &octets[count..];
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Framer, MessageHeader, MessageKind, Version, close_connection};
    use alloc::vec;
    use alloc::vec::Vec;
    use armilla_cdr::ByteOrder;

    /// A reply of this many octets, each of another value than the ones before and behind it.
    fn reply(size: u32, more_fragments: bool) -> Vec<u8> {
        let (version, order, kind) = (Version::V1_2, ByteOrder::Big, MessageKind::Reply);
        let header = MessageHeader { version, order, more_fragments, kind, size };
        header.encode().into_iter().chain((0..size).map(|number| number as u8)).collect()
    }

    fn arrived(octets: &[u8]) -> Framer {
        let mut framer = Framer::new(1 << 20);
        framer.space()[..octets.len()].copy_from_slice(octets);
        framer.received(octets.len());
        framer
    }

    #[test]
    fn the_end_of_a_message_is_received_elsewhere() {
        let whole = reply(1000, false);
        let mut framer = arrived(&whole[..100]);
        assert_eq!(framer.next(), Ok(None));
        let incomplete = framer.incomplete().expect("the message is incomplete");
        assert_eq!((incomplete.octets, incomplete.header.size), (&whole[..100], 1000));
        let mut end = vec![9];
        assert_eq!(framer.detach(101, &mut end), None, "that far it has not arrived");
        assert_eq!(framer.detach(11, &mut end), None, "the header stays");
        assert_eq!(framer.detach(40, &mut end), Some(()));
        assert_eq!(end, [&[9], &whole[40..100]].concat());
        let begin = framer.next().unwrap().expect("the message is complete");
        assert_eq!((begin.header.size, &begin.octets[12..]), (28, &whole[12..40]));

        framer.append(&close_connection(Version::V1_2));
        let next = framer.next().unwrap().expect("another message has come");
        assert_eq!(next.header.kind, MessageKind::CloseConnection);
    }

    #[test]
    fn other_messages_stay_whole() {
        let none = |octets: &[u8]| {
            let mut framer = arrived(octets);
            framer.next().ok();
            framer.incomplete().is_none() && framer.detach(12, &mut Vec::new()).is_none()
        };
        assert!(none(&[]) && none(&reply(50, false)[..11]), "no header has arrived");
        assert!(none(&reply(50, false)), "it is complete");
        assert!(none(&reply(50, true)[..40]), "it is in fragments");
        assert!(none(b"HTTP/1.1 200 OK\r\n"), "it is no message");
    }
}
