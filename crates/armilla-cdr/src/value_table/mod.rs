//! The tables of values of encoders and decoders, and the tags of values (CORBA 3.4 Part 2, 9.3.4).
//!
//! A table is created with the first value of a message, so messages without values pay for one
//! comparison. `Encoder` and `Decoder` own the tables, and `crate::value` uses them, so this module
//! is below both.

mod decoded;
mod encoded;

pub(crate) use decoded::{DecodedValues, KnownValue};
pub(crate) use encoded::{EncodedValues, ValueType, WrittenValue};

use alloc::sync::Arc;
use core::any::Any;

/// A value in the table of an encoder or decoder.
pub type ValueHandle = Arc<dyn Any + Send + Sync>;

/// The tag of the null value.
pub(crate) const NULL: u32 = 0;

/// The tag of an indirection. The offset follows.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;

/// The smallest tag of a value. Smaller positive numbers are sizes of chunks.
pub(crate) const TAG: u32 = 0x7fff_ff00;

/// Flag of a tag: a codebase URL follows.
pub(crate) const CODEBASE: u32 = 1;

/// Mask of a tag: the form of the type information.
pub(crate) const TYPE: u32 = 6;

/// Value of [`TYPE`]: one repository id follows.
pub(crate) const ONE_ID: u32 = 2;

/// Value of [`TYPE`]: a list of repository ids follows.
pub(crate) const MANY_IDS: u32 = 6;

/// In a tag: the state lies in chunks.
pub(crate) const CHUNKED: u32 = 8;

/// Whether a tag is the size of a chunk.
pub(crate) fn is_chunk_size(tag: u32) -> bool {
    (1..TAG).contains(&tag)
}
