//! Splits whole messages into fragments (CORBA 3.4 Part 2, 9.4.9). The way back is in `reassembly`.

use crate::{HEADER_LEN, MessageHeader, MessageKind, Version};
use alloc::vec;
use alloc::vec::Vec;
use armilla_cdr::Encoder;

/// The octets of a 1.2 fragment before its data: the header and the request id.
const FRAGMENT_HEADER_LEN: usize = HEADER_LEN + 4;

/// A message split into fragments that borrow its octets.
///
/// ```
/// use armilla_cdr::{ByteOrder, Encoder};
/// use armilla_giop::{Fragments, MessageHeader, ReplyStatus, Version, begin_reply, put_body};
///
/// let mut out = Encoder::new(ByteOrder::NATIVE);
/// begin_reply(&mut out, Version::V1_2, 7, ReplyStatus::NoException, &[])?;
/// put_body(&mut out, Version::V1_2, |out| out.put_sequence(&[7_u8; 1000]))?;
/// MessageHeader::finish(&mut out)?;
///
/// let fragments = Fragments::of(&out, 400).expect("it is larger");
/// let lengths = fragments.iter().map(|parts| parts.concat().len());
/// assert_eq!(lengths.collect::<Vec<_>>(), [400, 400, 260]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Fragments<'m> {
    /// The message.
    parts: Vec<&'m [u8]>,
    fragments: Vec<Fragment>,
}

#[derive(Debug)]
struct Fragment {
    header: [u8; FRAGMENT_HEADER_LEN],
    /// How much of `header` the version has.
    header_len: usize,
    /// Which octets of the message follow.
    start: usize,
    end: usize,
}

impl<'m> Fragments<'m> {
    /// Splits a finished message into fragments of at most `size` octets each, headers included.
    /// `None` if the message fits, or cannot have fragments: in 1.0, and unless it is a request or
    /// a reply.
    ///
    /// A size below 64 counts as that. In 1.1 a fragment may be larger: there a message is cut only
    /// where no number of eight octets can be meant, before the first of them and within borrowed
    /// octets.
    pub fn of(message: &'m Encoder<'_>, size: usize) -> Option<Self> {
        const LEAST: usize = 64;
        let size = size.max(LEAST);
        if message.len() <= size {
            return None;
        }
        let parts: Vec<_> = message.parts().collect();
        let first = parts.first()?;
        let header = MessageHeader::decode(first.first_chunk()?).ok()?;
        let request_id = *first.get(HEADER_LEN..)?.first_chunk()?;
        let fragmentable = matches!(header.kind, MessageKind::Request | MessageKind::Reply);
        if header.version == Version::V1_0 || !fragmentable {
            return None;
        }
        let mut fragmenter = Fragmenter { message, size, header, request_id };
        let fragments: Vec<_> = fragmenter.fragments();
        (fragments.len() > 1).then_some(Self { parts, fragments })
    }

    /// The fragments in order, the first being the message that announces them; each as the parts
    /// that it consists of. Between two of 1.2 other messages may be sent.
    pub fn iter(&self) -> impl Iterator<Item = Vec<&[u8]>> {
        self.fragments.iter().map(|fragment| {
            let mut parts = vec![&fragment.header[..fragment.header_len]];
            let mut at = 0;
            for part in &self.parts {
                let start = fragment.start.clamp(at, at + part.len()) - at;
                let end = fragment.end.clamp(at, at + part.len()) - at;
                if start < end {
                    parts.push(&part[start..end]);
                }
                at += part.len();
            }
            parts
        })
    }
}

/// Decides where to split.
struct Fragmenter<'m, 'p> {
    message: &'m Encoder<'p>,
    size: usize,
    header: MessageHeader,
    request_id: [u8; 4],
}

impl Fragmenter<'_, '_> {
    fn fragments(&mut self) -> Vec<Fragment> {
        let (mut fragments, mut start) = (Vec::new(), HEADER_LEN);
        while start < self.message.len() {
            let fragment = self.fragment(start);
            start = fragment.end;
            fragments.push(fragment);
            self.header.kind = MessageKind::Fragment;
        }
        fragments
    }

    /// The fragment with what stands from `start` on.
    fn fragment(&self, start: usize) -> Fragment {
        let interleaves = self.header.version >= Version::V1_2;
        // The first announces the others; behind its header the request id is part of the message.
        let header_len = match interleaves && self.header.kind == MessageKind::Fragment {
            true => FRAGMENT_HEADER_LEN,
            false => HEADER_LEN,
        };
        let len = self.message.len();
        let wanted = start + self.size - header_len;
        let end = match interleaves {
            _ if wanted >= len => len,
            true => wanted / 8 * 8,
            false => self.message.cut(wanted).unwrap_or(len),
        };
        let size = end - start + header_len - HEADER_LEN;
        // No larger than the size of the message, which fits.
        let size = u32::try_from(size).unwrap_or(u32::MAX);
        let mut header = [0; FRAGMENT_HEADER_LEN];
        let more_fragments = end < len;
        header[..HEADER_LEN]
            .copy_from_slice(&MessageHeader { more_fragments, size, ..self.header }.encode());
        header[HEADER_LEN..].copy_from_slice(&self.request_id);
        Fragment { header, header_len, start, end }
    }
}
