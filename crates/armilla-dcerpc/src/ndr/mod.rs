//! NDR 2, Network Data Representation: the values of calls as octets (C706 chapter 14).
//!
//! A type is described once, by [`ndr_struct!`], [`ndr_union!`], [`ndr_enum!`] or
//! [`ndr_parameters!`], and is then written and read in both byte orders. [`ndr_interface!`] makes
//! the table of an interface. What a type is made of stands for itself: numbers, [`Uuid`], arrays,
//! [`Conformant`], [`Varying`] and [`ConformantVarying`] arrays, [`WideString`] and
//! [`NarrowString`], and three kinds of pointers, [`Unique`], [`Reference`] and [`Full`].
//!
//! Three rules of NDR decide where octets lie, and [`Ndr`] has a part for each of them:
//!
//! - a value is aligned to its size, counted from the start of the stub ([`Ndr::ALIGNMENT`]);
//! - the size of a conformant array that ends a structure stands before the whole structure
//!   ([`Ndr::CONFORMANT`]);
//! - what a pointer within a structure points at follows after the whole structure
//!   ([`Ndr::encode_referents`]).
//!
//! Nothing that is read is trusted: counts are checked against the octets that are there before
//! memory is reserved, and pointers nest 64 deep at most.
//!
//! ```
//! use armilla_dcerpc::ByteOrder;
//! use armilla_dcerpc::ndr::{Conformant, Unique, WideString, from_stub, to_stub};
//!
//! armilla_dcerpc::ndr_struct! {
//!     /// A named list.
//!     pub struct Readings {
//!         /// What it is called, if it is.
//!         pub name: Unique<WideString>,
//!         /// How many there are.
//!         pub count: u32,
//!         /// The list itself.
//!         pub values: Conformant<u16>,
//!     }
//! }
//!
//! let readings = Readings {
//!     name: Unique::new(WideString::from("boiler")),
//!     count: 2,
//!     values: Conformant(vec![17, 18]),
//! };
//! for order in [ByteOrder::Little, ByteOrder::Big] {
//!     let stub = to_stub(&readings, order)?;
//!     assert_eq!(from_stub::<Readings>(&stub, order)?, readings);
//! }
//! # Ok::<(), armilla_dcerpc::ndr::NdrError>(())
//! ```
//!
//! [`Uuid`]: crate::Uuid
//! [`ndr_struct!`]: crate::ndr_struct
//! [`ndr_union!`]: crate::ndr_union
//! [`ndr_enum!`]: crate::ndr_enum
//! [`ndr_parameters!`]: crate::ndr_parameters
//! [`ndr_interface!`]: crate::ndr_interface

mod array;
mod decoder;
mod encoder;
mod error;
mod operation;
mod pointer;
mod primitive;
mod serialized;
mod string;
mod table;
mod value;

pub use array::{Conformant, ConformantVarying, Varying, check_first, check_size};
pub use decoder::Decoder;
pub use encoder::Encoder;
pub use error::{NdrError, NdrErrorKind};
pub use operation::{Operation, Parameters};
pub use pointer::{Full, Reference, Unique};
pub use serialized::{deserialize, serialize};
pub use string::{NarrowString, WideString};
pub use value::{Ndr, from_stub, to_stub};

/// How deep pointers may nest in what is read.
pub const MAX_NESTING: usize = 64;
