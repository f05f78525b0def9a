//! What a type implements to be read and written.

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::NdrError;
use crate::order::ByteOrder;
use alloc::vec::Vec;

/// A type whose values NDR 2 encodes.
///
/// [`ndr_struct!`](crate::ndr_struct) and its like implement it; a type that they cannot express
/// does so by hand. A value is written in up to three parts. [`write`](Ndr::write) and
/// [`read`](Ndr::read) put them together; the other methods are for implementations.
pub trait Ndr: Sized {
    /// To which multiple of octets a value is aligned.
    const ALIGNMENT: usize;
    /// Whether it is or ends with a conformant array, whose size then precedes the value.
    const CONFORMANT: bool = false;

    /// The size of the conformant array that it is or ends with; 0 if there is none.
    fn conformance(&self) -> usize {
        0
    }

    /// Writes the value, but neither the size of a conformant array nor what pointers lead to.
    ///
    /// # Errors
    ///
    /// If something has more elements than 32 bits count.
    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError>;

    /// Writes what pointers in the value lead to, in their order.
    ///
    /// # Errors
    ///
    /// As for [`encode`](Ndr::encode).
    fn encode_referents(&self, _out: &mut Encoder) -> Result<(), NdrError> {
        Ok(())
    }

    /// Reads the value, whose pointers do not lead anywhere yet.
    ///
    /// # Errors
    ///
    /// If the octets end, or are no such value.
    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError>;

    /// Reads what pointers in the value lead to, in their order.
    ///
    /// # Errors
    ///
    /// As for [`decode`](Ndr::decode).
    fn decode_referents(&mut self, _input: &mut Decoder<'_>) -> Result<(), NdrError> {
        Ok(())
    }

    /// Writes the whole value: a parameter of a call, or what a pointer leads to.
    ///
    /// # Errors
    ///
    /// If something has more elements than 32 bits count.
    fn write(&self, out: &mut Encoder) -> Result<(), NdrError> {
        if Self::CONFORMANT {
            out.count(self.conformance())?;
        }
        self.encode(out)?;
        self.encode_referents(out)
    }

    /// Reads the whole value.
    ///
    /// # Errors
    ///
    /// If the octets end, or are no such value.
    fn read(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        if Self::CONFORMANT {
            input.hoist()?;
        }
        let mut value = Self::decode(input)?;
        value.decode_referents(input)?;
        Ok(value)
    }
}

/// A stub that consists of one value.
///
/// # Errors
///
/// If something has more elements than 32 bits count.
pub fn to_stub<T: Ndr>(value: &T, order: ByteOrder) -> Result<Vec<u8>, NdrError> {
    let mut out = Encoder::new(order);
    value.write(&mut out)?;
    Ok(out.into_octets())
}

/// The value at the start of a stub. What follows it is ignored, because some peers add octets.
///
/// # Errors
///
/// If the octets end, or are no such value.
pub fn from_stub<T: Ndr>(stub: &[u8], order: ByteOrder) -> Result<T, NdrError> {
    T::read(&mut Decoder::new(stub, order))
}
