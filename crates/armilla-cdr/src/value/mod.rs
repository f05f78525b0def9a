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

pub use decode::{NewValue, ValueHead};
pub(crate) use decode::{Part, Table as DecodedValues};
pub(crate) use encode::Table as EncodedValues;

use crate::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use alloc::sync::Arc;
use core::any::Any;

/// A value as the table of an encoder or decoder knows it.
pub type ValueHandle = Arc<dyn Any + Send + Sync>;

/// The tag of no value.
const NULL: u32 = 0;

/// What stands before the distance to something that was there already.
const INDIRECTION: u32 = 0xffff_ffff;

/// The smallest tag of a value. What is smaller, and not negative, is the size of a chunk.
const TAG: u32 = 0x7fff_ff00;

/// In a tag: a codebase URL follows.
const CODEBASE: u32 = 1;

/// In a tag: what says of which type the value is.
const TYPE: u32 = 6;

/// Of [`TYPE`]: one repository id follows.
const ONE_ID: u32 = 2;

/// Of [`TYPE`]: a list of repository ids follows.
const MANY_IDS: u32 = 6;

/// In a tag: the state lies in chunks.
const CHUNKED: u32 = 8;

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
