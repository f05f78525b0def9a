//! What encoders and decoders know of the values in a message, and the tags that values begin with
//! (CORBA 3.4 Part 2, 9.3.4).
//!
//! A table exists from the first value of a message on; a message without values pays for one look.
//! `Encoder` and `Decoder` hold the tables, `crate::value` fills and reads them, and so these stand
//! beneath both.

mod decoded;
mod encoded;

pub(crate) use decoded::{DecodedValues, KnownValue};
pub(crate) use encoded::{EncodedValues, ValueType, WrittenValue};

use alloc::sync::Arc;
use core::any::Any;

/// A value as the table of an encoder or decoder knows it.
pub type ValueHandle = Arc<dyn Any + Send + Sync>;

/// The tag of no value.
pub(crate) const NULL: u32 = 0;

/// What stands before the distance to something that was there already.
pub(crate) const INDIRECTION: u32 = 0xffff_ffff;

/// The smallest tag of a value. What is smaller, and not negative, is the size of a chunk.
pub(crate) const TAG: u32 = 0x7fff_ff00;

/// In a tag: a codebase URL follows.
pub(crate) const CODEBASE: u32 = 1;

/// In a tag: what says of which type the value is.
pub(crate) const TYPE: u32 = 6;

/// Of [`TYPE`]: one repository id follows.
pub(crate) const ONE_ID: u32 = 2;

/// Of [`TYPE`]: a list of repository ids follows.
pub(crate) const MANY_IDS: u32 = 6;

/// In a tag: the state lies in chunks.
pub(crate) const CHUNKED: u32 = 8;

/// Whether a tag is the size of a chunk.
pub(crate) fn is_chunk_size(tag: u32) -> bool {
    (1..TAG).contains(&tag)
}
