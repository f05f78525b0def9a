//! Numbers, booleans, UUIDs.

use super::decoder::Decoder;
use super::encoder::Encoder;
use super::error::{NdrError, NdrErrorKind};
use super::value::Ndr;
use crate::uuid::{SyntaxId, Uuid};

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Ndr for $type {
            const ALIGNMENT: usize = size_of::<$type>();

            fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
                out.number(self.to_le_bytes());
                Ok(())
            }

            fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
                input.number().map(<$type>::from_le_bytes)
            }
        }
    )*};
}

numbers!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

/// NDR's boolean: one octet, 0 or 1. (`VARIANT_BOOL` is an `i16`.)
impl Ndr for bool {
    const ALIGNMENT: usize = 1;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.put(&[u8::from(*self)]);
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        match input.octets(1)?[0] {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(input.error(NdrErrorKind::InvalidBoolean(other))),
        }
    }
}

impl Ndr for Uuid {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        out.align(4);
        out.put(&self.to_octets(out.order()));
        Ok(())
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        input.align(4)?;
        let mut octets = [0; 16];
        octets.copy_from_slice(input.octets(16)?);
        Ok(Self::from_octets(octets, input.order()))
    }
}

/// `RPC_IF_ID`: the UUID and two numbers of 16 bits.
impl Ndr for SyntaxId {
    const ALIGNMENT: usize = 4;

    fn encode(&self, out: &mut Encoder) -> Result<(), NdrError> {
        self.uuid.encode(out)?;
        self.major.encode(out)?;
        self.minor.encode(out)
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, NdrError> {
        Ok(Self {
            uuid: Uuid::decode(input)?,
            major: u16::decode(input)?,
            minor: u16::decode(input)?,
        })
    }
}

/// A value without octets.
impl Ndr for () {
    const ALIGNMENT: usize = 1;

    fn encode(&self, _: &mut Encoder) -> Result<(), NdrError> {
        Ok(())
    }

    fn decode(_: &mut Decoder<'_>) -> Result<Self, NdrError> {
        Ok(())
    }
}
