//! CDR, the Common Data Representation: how CORBA encodes typed values as octets.
//!
//! An [`Encoder`] writes values in one byte order, each aligned to its size from the start of the
//! message or encapsulation. A [`Decoder`] reads them from a slice that it borrows, and returns
//! strings and octets as slices of it where it can. The types of a program implement [`Encode`] and
//! [`Decode`], which the IDL compiler does for them. Structs whose members all have a fixed size
//! also implement [`Fixed`]: a sequence of them is copied at constant offsets, not member by
//! member.
//!
//! ```
//! use armilla_cdr::{ByteOrder, Decode, Decoder, Encode, Encoder};
//!
//! let names = vec![String::from("Vega"), String::from("Deneb")];
//! let mut out = Encoder::new(ByteOrder::NATIVE);
//! names.encode(&mut out)?;
//! let bytes = out.to_vec();
//! let mut input = Decoder::new(&bytes, ByteOrder::NATIVE);
//! assert_eq!(Vec::<String>::decode(&mut input)?, names);
//! # Ok::<(), armilla_cdr::CdrError>(())
//! ```
//!
//! Input from a peer is never trusted: a decoder never panics, never allocates more than the octets
//! at hand justify, and limits how deep values nest. The format is that of CORBA 3.4 Part 2, 9.3.
//! This crate does no I/O and knows no messages; `armilla-giop` does.
//!
//! The encoder's methods `put_…` may borrow a large payload until the message is sent. Methods
//! `copy_…` always copy, and so does `put_string`; `borrow_string` is its borrowing counterpart.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod any;
mod ascii;
mod bits;
mod buffer;
mod code_set;
mod decimal;
mod decode;
mod decoder;
mod encode;
mod encoder;
mod encoding;
mod error;
mod fixed;
mod key_table;
mod large;
mod large_array;
mod lone_surrogate;
mod long_double;
mod map;
mod order;
mod shared;
mod shared_strings;
mod stack_budget;
pub mod type_code;
pub mod value;
mod value_table;
mod wide;

pub use any::Any;
pub use bits::{get_bits, get_signed_bits, set_bits};
pub use buffer::Buffer;
pub use code_set::{CodeSet, CodeSets, UnknownCodeSet};
pub use decimal::{Decimal, DecimalError};
pub use decode::Decode;
pub use decoder::{Context, DEPTH_LIMIT, Decoder, FragmentedOctets, Number, OwnedInput};
pub use encode::Encode;
pub use encoder::Encoder;
pub use error::{CdrError, CdrErrorKind, CdrResult};
pub use fixed::{Chunk, Fixed};
#[doc(hidden)]
pub use large::{LARGE_MEMORY, reserve_large};
pub use large_array::LargeArray;
pub use lone_surrogate::LoneSurrogate;
pub use long_double::LongDouble;
pub use order::{BigEndian, ByteOrder, LittleEndian, Order};
pub use shared::SharedOctets;
pub use shared_strings::SharedStrings;
pub use type_code::{TypeCode, TypeCodeKind, Typed};
pub use wide::{WString, WideFormat};
