//! Valuetypes on the wire (CORBA 3.4 Part 2, 9.3.4): tags, repository ids, indirections, chunks.
//!
//! A value is written once in a message, and named by its place from then on; so graphs with shared
//! values and circles travel as they are. What a value *is* this module does not know: a program
//! brings it as an `Arc`, whose address tells values apart.
//!
//! Encoder and decoder note what they met in a table that exists from the first value on. The state
//! of a value may lie in chunks, so that who does not know its type can step over the rest. A
//! decoder then sees the octets of one chunk at a time, and comes here when they are used up.

mod decode;
mod encode;

pub(crate) use decode::Part;
pub use decode::{NewValue, ValueHead};

pub use crate::value_table::ValueHandle;

use crate::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};

/// A type of which there may be no value: what can stand within an `Option` in CDR.
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
