//! Replies for which a client has no memory: the largest that is incomplete is dropped, and its
//! further octets are discarded as they arrive, so that other calls of the connection go on.

use super::Framer;
use crate::{Message, MessageKind, ReplyStatus, decode_reply};

/// A reply that [`Framer::refuse_reply`] has dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedReply {
    /// The id of the request.
    pub request_id: u32,
    /// What the reply said.
    pub status: ReplyStatus,
}

impl Framer {
    /// Drops the incomplete reply that takes the most memory, and passes over the rest of it as it
    /// arrives. `None` if there is none whose header has arrived, or if it came in fragments of GIOP
    /// 1.1, which do not name their request.
    #[cold]
    pub fn refuse_reply(&mut self) -> Option<RefusedReply> {
        if let Some(in_front) = self.incomplete() {
            let refused = refused(&in_front)?;
            self.skipped = in_front.header.size as usize;
            return Some(refused);
        }
        self.reassembly.drop_largest(refused)
    }
}

/// What is known of a reply that is incomplete.
fn refused(reply: &Message<'_>) -> Option<RefusedReply> {
    if reply.header.kind != MessageKind::Reply {
        return None;
    }
    let (header, _) = decode_reply(reply).ok()?;
    Some(RefusedReply { request_id: header.request_id, status: header.status })
}

#[cfg(test)]
mod tests {
    use super::RefusedReply;
    use crate::{Fragments, close_connection};
    use crate::{Framer, MessageHeader, MessageKind, ReplyStatus, Version, begin_reply};
    use alloc::vec::Vec;
    use armilla_cdr::{ByteOrder, Encoder};

    fn reply(version: Version, id: u32, size: usize) -> Encoder<'static> {
        let mut out = Encoder::new(ByteOrder::NATIVE);
        begin_reply(&mut out, version, id, ReplyStatus::NoException, &[]).unwrap();
        (0..size).for_each(|number| out.put_u8(number as u8));
        MessageHeader::finish(&mut out).unwrap();
        out
    }

    /// The ids of the messages that `octets` bring, piece by piece, and of the refused ones.
    fn read(framer: &mut Framer, octets: &[u8]) -> Vec<MessageKind> {
        let mut kinds = Vec::new();
        for piece in octets.chunks(10_000) {
            framer.append(piece);
            while let Some(message) = framer.next().unwrap() {
                kinds.push(message.header.kind);
            }
        }
        kinds
    }

    #[test]
    fn the_rest_of_a_refused_reply_is_passed_over() {
        for version in [Version::V1_0, Version::V1_1, Version::V1_2] {
            let whole = reply(version, 7, 500_000).to_vec();
            let mut framer = Framer::new(1 << 20);
            assert_eq!(framer.refuse_reply(), None, "nothing has arrived");
            assert_eq!(read(&mut framer, &whole[..15]), []);
            assert_eq!(framer.refuse_reply(), None, "the request id has not arrived");
            assert_eq!(read(&mut framer, &whole[15..200_000]), []);
            let status = ReplyStatus::NoException;
            assert_eq!(framer.refuse_reply(), Some(RefusedReply { request_id: 7, status }));
            let rest = [&whole[200_000..], &reply(version, 8, 9).to_vec()].concat();
            assert_eq!(read(&mut framer, &rest), [MessageKind::Reply]);
            assert_eq!(framer.expected_memory(), 0);
        }
    }

    #[test]
    fn of_replies_in_fragments_the_largest_is_refused() {
        let fragments = |id, size| {
            let whole = reply(Version::V1_2, id, size);
            let fragments = Fragments::of(&whole, 5_000).unwrap();
            fragments.iter().map(|parts| parts.concat()).collect::<Vec<_>>()
        };
        let (small, large) = (fragments(1, 20_000), fragments(2, 90_000));
        let mut framer = Framer::new(1 << 20);
        let begun = [small[..2].concat(), large[..9].concat()].concat();
        assert_eq!(read(&mut framer, &begun), []);
        let status = ReplyStatus::NoException;
        assert_eq!(framer.refuse_reply(), Some(RefusedReply { request_id: 2, status }));
        let rest =
            [large[9..].concat(), small[2..].concat(), close_connection(Version::V1_2).to_vec()];
        let expected = [MessageKind::Reply, MessageKind::CloseConnection];
        assert_eq!(read(&mut framer, &rest.concat()), expected);
        assert_eq!(framer.fragments_memory(), 0);
    }

    #[test]
    fn fragments_of_1_1_cannot_be_passed_over() {
        let whole = reply(Version::V1_1, 7, 90_000);
        let fragments = Fragments::of(&whole, 5_000).unwrap();
        let begun = fragments.iter().take(3).flatten().collect::<Vec<_>>().concat();
        let mut framer = Framer::new(1 << 20);
        assert_eq!(read(&mut framer, &begun), []);
        assert_eq!(framer.refuse_reply(), None);
    }
}
