//! Valuetypes on the wire (CORBA 3.4 Part 2, 9.3.4): tags, repository ids, indirections, chunks.
//!
//! A value is written once in a message; later occurrences are indirections to its position. So
//! graphs keep shared values and cycles. This module does not know what a value *is*: a program
//! passes it as an `Arc`, whose address identifies it.
//!
//! Encoder and decoder record values in tables (`value_table`). The state of a value may be in
//! chunks, so that a receiver that does not know its type can skip the rest; reading chunk by chunk
//! is the decoder's task.

mod decode;
mod encode;

pub(crate) use decode::Part;
pub use decode::{NewValue, ValueHead};

pub use crate::value_table::ValueHandle;

use crate::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};

/// A type with a null value, so that `Option` of it has an encoding: references and valuetypes.
pub trait Nullable: Sized {
    /// Appends the value, or that there is none.
    ///
    /// # Errors
    /// As [`Encode::encode`].
    fn encode_nullable<'p>(value: Option<&'p Self>, out: &mut Encoder<'p>) -> CdrResult;

    /// Reads a value, or that there is none.
    ///
    /// # Errors
    /// As [`Decode::decode`].
    fn decode_nullable(input: &mut Decoder<'_>) -> CdrResult<Option<Self>>;
}

impl<T: Nullable> Encode for Option<T> {
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        T::encode_nullable(self.as_ref(), out)
    }
}

impl<'a, T: Nullable> Decode<'a> for Option<T> {
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        T::decode_nullable(input)
    }
}

impl<T: Nullable + Typed> Typed for Option<T> {
    fn type_code() -> TypeCode {
        T::type_code()
    }

    fn dynamic_type_code(&self) -> TypeCode {
        self.as_ref().map_or_else(T::type_code, T::dynamic_type_code)
    }
}
