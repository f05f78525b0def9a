//! A whole message as it came from a connection, and where bodies begin.

use crate::cursor::Cursor;
use crate::{HEADER_LEN, HeaderError, MessageHeader, Version};
use alloc::vec::Vec;
use armilla_cdr::{CdrResult, Decoder, Encoder, FragmentedOctets};

/// A whole message: its header, and all of its octets where they arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'b> {
    /// The header.
    pub header: MessageHeader,
    /// The message from its first octet on, which is the origin of alignment: the header too.
    pub octets: &'b [u8],
    /// The same octets, if they came in fragments.
    pub(crate) fragments: Option<&'b FragmentedOctets>,
}

impl<'b> Message<'b> {
    /// Whether the message came without fragments, so that all octets are aligned from the first
    /// one on. Fragments of GIOP 1.1 are not (CORBA 3.4 Part 2, 9.4.9).
    pub const fn is_contiguous(&self) -> bool {
        self.fragments.is_none()
    }

    /// Reads the header of a message whose octets are at hand; `None` when `octets` end before the
    /// message does. Octets after the message are ignored.
    ///
    /// # Errors
    /// Those of [`MessageHeader::decode`].
    pub fn parse(octets: &'b [u8]) -> Result<Option<Self>, HeaderError> {
        let Some(first) = octets.first_chunk() else { return Ok(None) };
        let header = MessageHeader::decode(first)?;
        let body = octets[HEADER_LEN..].len();
        Ok(match usize::try_from(header.size) {
            Ok(size) if size <= body => {
                Some(Self { header, octets: &octets[..HEADER_LEN + size], fragments: None })
            }
            _ => None,
        })
    }

    /// A decoder for what follows the header.
    #[inline]
    pub fn body(&self) -> Decoder<'b> {
        self.decoder(HEADER_LEN)
    }

    /// A cursor for what follows the header.
    #[inline]
    pub(crate) const fn cursor(&self) -> Cursor<'b> {
        Cursor::at(self.octets, HEADER_LEN, self.header.order)
    }

    /// A decoder at `position`.
    #[inline]
    pub(crate) fn decoder(&self, position: usize) -> Decoder<'b> {
        match self.fragments {
            None => Decoder::at(self.octets, position, self.header.order),
            Some(fragments) => fragments.decoder(position, self.header.order),
        }
    }

    /// A decoder for the body of a request or reply whose header ends at `position`, or whose body
    /// begins there.
    #[inline]
    pub fn decoder_for_body(&self, position: usize) -> Decoder<'b> {
        if self.header.version.has_1_2_layout() && self.fragments.is_none() {
            return Decoder::at(self.octets, position.next_multiple_of(8), self.header.order);
        }
        self.decoder_for_other_body(position)
    }

    /// A decoder for a body of 1.0 or 1.1, or one that came in fragments.
    #[cold]
    fn decoder_for_other_body(&self, position: usize) -> Decoder<'b> {
        let aligned = position.next_multiple_of(8);
        let version = self.header.version;
        let body = self.decoder(if version.has_1_2_layout() { aligned } else { position });
        body.with_wide_format(version.wide_format())
    }
}

/// No octets of fragments yet. In 1.1 the data of a fragment stands behind a message header.
pub(crate) const fn no_fragments() -> FragmentedOctets {
    FragmentedOctets::new(Vec::new(), HEADER_LEN)
}

/// Pads the output up to where the body of a request or reply begins, which only 1.2 aligns
/// (to 8; CORBA 3.4 Part 2, 9.4.2.2 and 9.4.3.2). Returns how long the output is then.
#[inline]
pub fn begin_body(out: &mut Encoder<'_>, version: Version) -> usize {
    if version.has_1_2_layout() {
        out.align(8);
    }
    out.len()
}

/// Appends the body of a request or reply. A body that turns out empty leaves no padding behind.
///
/// # Errors
/// Those of `fill`.
#[inline(always)]
pub fn put_body<'p>(
    out: &mut Encoder<'p>,
    version: Version,
    fill: impl FnOnce(&mut Encoder<'p>) -> CdrResult,
) -> CdrResult {
    out.set_wide_format(version.wide_format());
    let end_of_header = out.len();
    let start = begin_body(out, version);
    fill(out)?;
    if out.len() == start && start != end_of_header {
        out.remove_padding(end_of_header);
    }
    Ok(())
}
