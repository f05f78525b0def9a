//! Strings: conformant and varying arrays that end with a NUL (C706 14.3.4).

use super::array::decode_range;
use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{NdrError, NdrErrorKind};
use super::value::Ndr;
use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A string of UTF-16 units (`[string] wchar_t *`), without the NUL that ends it on the wire. The
/// units need not be valid UTF-16.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct WideString(pub Vec<u16>);

/// A string of octets (`[string] char *`), without the NUL that ends it on the wire. Nothing says
/// in which code set it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct NarrowString(pub Vec<u8>);

impl From<&str> for WideString {
    fn from(text: &str) -> Self {
        Self(text.encode_utf16().collect())
    }
}

impl From<&str> for NarrowString {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_owned())
    }
}

impl WideString {
    /// As text; halves of characters become U+FFFD.
    pub fn to_text(&self) -> String {
        String::from_utf16_lossy(&self.0)
    }
}

impl fmt::Debug for WideString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_text(), f)
    }
}

/// Writes offset, count, units and NUL.
fn encode_string<T: Ndr + Default + PartialEq>(
    units: &[T],
    out: &mut Encoder,
) -> Result<(), NdrError> {
    if units.contains(&T::default()) {
        return Err(out.error(NdrErrorKind::InvalidString));
    }
    out.count(0)?;
    out.count(units.len() + 1)?;
    units.iter().try_for_each(|unit| unit.encode(out))?;
    T::default().encode(out)
}

fn decode_string<T: Ndr + Default + PartialEq>(
    input: &mut Decoder<'_>,
) -> Result<Vec<T>, NdrError> {
    let maximum = input.hoisted()?;
    let (_, count) = decode_range(input, maximum)?;
    let count = input.check_count(count)?;
    let mut units = Vec::with_capacity(count.min(input.left() / T::ALIGNMENT));
    for _ in 0..count {
        units.push(T::decode(input)?);
    }
    if units.pop() != Some(T::default()) || units.contains(&T::default()) {
        return Err(input.error(NdrErrorKind::InvalidString));
    }
    Ok(units)
}

impl Ndr for WideString {
    const ALIGNMENT: usize = 4;
    const CONFORMANT: bool = true;

    fn conformance(&self) -> usize {
        self.0.len() + 1
    }

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        encode_string(&self.0, out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        decode_string(input).map(Self)
    }
}

impl Ndr for NarrowString {
    const ALIGNMENT: usize = 4;
    const CONFORMANT: bool = true;

    fn conformance(&self) -> usize {
        self.0.len() + 1
    }

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        encode_string(&self.0, out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        decode_string(input).map(Self)
    }
}
