//! Shared octets: a `sequence<octet>` without copies.

use crate::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

/// A `sequence<octet>` in a shared, immutable buffer: clones are cheap and share the octets. It is
/// created from a `Vec<u8>` without a copy, and dereferences to `[u8]`.
///
/// ```
/// use armilla_cdr::SharedOctets;
///
/// let image = SharedOctets::from(vec![7; 1024]);
/// assert_eq!(image.clone().as_ptr(), image.as_ptr());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct SharedOctets(Arc<Vec<u8>>);

impl SharedOctets {
    /// The octets as a vector, without a copy if this is the only owner.
    pub fn into_vec(self) -> Vec<u8> {
        Arc::unwrap_or_clone(self.0)
    }
}

impl Deref for SharedOctets {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for SharedOctets {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<Vec<u8>> for SharedOctets {
    fn from(octets: Vec<u8>) -> Self {
        Self(Arc::new(octets))
    }
}

impl From<&[u8]> for SharedOctets {
    fn from(octets: &[u8]) -> Self {
        octets.to_vec().into()
    }
}

impl fmt::Debug for SharedOctets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Encode for SharedOctets {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence::<u8>(self)
    }
}

impl<'a> Decode<'a> for SharedOctets {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.octets().map(Self::from)
    }
}

impl Typed for SharedOctets {
    fn type_code() -> TypeCode {
        TypeCode::sequence(TypeCode::Octet, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ByteOrder;
    use alloc::vec;

    #[test]
    fn clones_share_one_buffer_and_the_last_gets_it_back() {
        let octets = vec![1, 2, 3];
        let address = octets.as_ptr();
        let shared = SharedOctets::from(octets);
        let clone = shared.clone();
        assert_eq!(clone.as_ptr(), address);
        drop(shared);
        let octets = clone.into_vec();
        assert_eq!(octets.as_ptr(), address);
    }

    #[test]
    fn they_travel_as_a_sequence() {
        let sent = SharedOctets::from(&[7, 8][..]);
        let mut out = Encoder::new(ByteOrder::Big);
        sent.encode(&mut out).unwrap();
        let octets = out.into_buffer();
        assert_eq!(octets, [0, 0, 0, 2, 7, 8]);
        let mut input = Decoder::new(&octets, ByteOrder::Big);
        assert_eq!(SharedOctets::decode(&mut input), Ok(sent));
    }
}
