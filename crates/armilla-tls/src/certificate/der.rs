//! Reading DER (X.690): elements one after the other, and nothing of what they mean.

/// The tags that certificates need.
pub(super) mod tag {
    pub(in super::super) const BOOLEAN: u8 = 0x01;
    pub(in super::super) const INTEGER: u8 = 0x02;
    pub(in super::super) const BIT_STRING: u8 = 0x03;
    pub(in super::super) const OCTET_STRING: u8 = 0x04;
    pub(in super::super) const OBJECT_IDENTIFIER: u8 = 0x06;
    pub(in super::super) const UTF8_STRING: u8 = 0x0c;
    pub(in super::super) const PRINTABLE_STRING: u8 = 0x13;
    pub(in super::super) const IA5_STRING: u8 = 0x16;
    pub(in super::super) const UTC_TIME: u8 = 0x17;
    pub(in super::super) const GENERALIZED_TIME: u8 = 0x18;
    pub(in super::super) const BMP_STRING: u8 = 0x1e;
    pub(in super::super) const SEQUENCE: u8 = 0x30;
    pub(in super::super) const SET: u8 = 0x31;
}

/// What is left of some octets.
#[derive(Clone, Copy)]
pub(super) struct Der<'a>(pub(super) &'a [u8]);

impl<'a> Der<'a> {
    /// The tag of the next element, if there is one.
    pub(super) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next element: its tag, its content and the whole of it. `None` at the end, and where the
    /// octets are no element.
    pub(super) fn element(&mut self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let [tag, first, rest @ ..] = self.0 else { return None };
        let (length, content) = match first {
            0..=0x7f => (usize::from(*first), rest),
            // Longer lengths than four octets would not fit into what a peer may send.
            0x81..=0x84 => {
                let (digits, content) = rest.split_at_checked(usize::from(first & 0x7f))?;
                let length = digits.iter().fold(0_u64, |sum, digit| sum << 8 | u64::from(*digit));
                (usize::try_from(length).ok()?, content)
            }
            _ => return None,
        };
        let (content, after) = content.split_at_checked(length)?;
        let whole = &self.0[..self.0.len() - after.len()];
        self.0 = after;
        Some((*tag, content, whole))
    }

    /// The content of the next element, which must have this tag.
    pub(super) fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        let (found, content, _) = self.element()?;
        (found == tag).then_some(content)
    }

    /// The elements within the next element, which must have this tag.
    pub(super) fn within(&mut self, tag: u8) -> Option<Self> {
        self.expect(tag).map(Self)
    }

    /// The content of the next element if it has this tag; it is passed over only then.
    pub(super) fn optional(&mut self, tag: u8) -> Option<&'a [u8]> {
        if self.peek()? == tag { self.expect(tag) } else { None }
    }
}
