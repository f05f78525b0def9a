//! Valuetypes on the wire (CORBA 3.4 Part 2, 9.3.4): tags, repository ids, indirections, chunks.
//!
//! A value is written once in a message; later occurrences are indirections to its position. So
//! graphs keep shared values and cycles. This module does not know what a value *is*: a program
//! passes it as an `Arc`, whose address identifies it.
//!
//! Encoder and decoder record values in tables (`value_table`). The state of a value may be in
//! chunks, so that a receiver that does not know its type can skip the rest; reading chunk by chunk
//! is the decoder's task.
//!
//! ```
//! use armilla_cdr::value::{ValueHandle, ValueHead};
//! use armilla_cdr::{ByteOrder, CdrResult, Decoder, Encoder, TypeCode};
//! use std::sync::Arc;
//!
//! /// Writes `number` as a value whose state is a `long`.
//! fn write(out: &mut Encoder<'_>, number: &Arc<i32>) -> CdrResult {
//!     let value: ValueHandle = number.clone();
//!     let declared = "IDL:omg.org/CORBA/ValueBase:1.0";
//!     match out.begin_value(&value, declared, &["IDL:N:1.0"], false, || TypeCode::Null)? {
//!         Some(mut state) => {
//!             state.put_i32(**number);
//!             out.end_value(state, Ok(()))
//!         }
//!         None => Ok(()), // An indirection was written.
//!     }
//! }
//!
//! let number = Arc::new(7);
//! let mut out = Encoder::new(ByteOrder::NATIVE);
//! write(&mut out, &number)?;
//! write(&mut out, &number)?;
//! let octets = out.to_vec();
//!
//! let mut input = Decoder::new(&octets, ByteOrder::NATIVE);
//! let ValueHead::New(head) = input.value_head()? else { panic!("the first is written whole") };
//! assert_eq!(head.ids(), [b"IDL:N:1.0"]);
//! let read = input.value_state(&head, false, |state| state.i32())?;
//! input.register_value(&head, Arc::new(read));
//! let ValueHead::Known(second) = input.value_head()? else { panic!("the second is shared") };
//! assert_eq!(second.downcast_ref(), Some(&7));
//! # Ok::<(), armilla_cdr::CdrError>(())
//! ```

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
