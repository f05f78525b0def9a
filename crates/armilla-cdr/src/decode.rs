//! The trait of types that can be read from CDR, and its implementations for numbers, strings and
//! sequences.

use crate::{CdrResult, Decoder};
use alloc::string::String;
use alloc::vec::Vec;

/// A type that can be read from CDR. The IDL compiler implements it for IDL types.
///
/// ```
/// use armilla_cdr::{ByteOrder, CdrResult, Decode, Decoder};
///
/// struct Point(i16, i32);
///
/// impl<'a> Decode<'a> for Point {
///     fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
///         Ok(Self(input.i16()?, input.i32()?))
///     }
/// }
///
/// let point = Point::decode(&mut Decoder::new(&[0, 1, 0, 0, 0, 0, 0, 2], ByteOrder::Big))?;
/// assert_eq!((point.0, point.1), (1, 2));
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be decoded",
    note = "values that are sent have the Rust of an IDL type, such as `i32`, `String` or what the \
            IDL compiler generates"
)]
pub trait Decode<'a>: Sized {
    /// Whether values take no octets, like structs without members.
    const ZERO_SIZED: bool = false;

    /// Reads one value.
    ///
    /// # Errors
    /// When the octets end too early or hold no value of the type.
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self>;

    /// Reads `len` elements of a sequence or array, without a length before them.
    ///
    /// # Errors
    /// As [`decode`](Self::decode).
    fn decode_vec(input: &mut Decoder<'a>, len: usize) -> CdrResult<Vec<Self>> {
        input.elements(len, Self::decode)
    }
}

macro_rules! scalar {
    ($($get:ident $slice:ident $ty:ty),*) => {$(
        impl<'a> Decode<'a> for $ty {
            #[inline]
            fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
                input.$get()
            }

            #[inline]
            fn decode_vec(input: &mut Decoder<'a>, len: usize) -> CdrResult<Vec<Self>> {
                input.$slice(len)
            }
        }
    )*};
}

scalar! {
    u8 u8s u8, bool bools bool, i8 i8s i8, i16 i16s i16, u16 u16s u16, i32 i32s i32, u32 u32s u32,
    i64 i64s i64, u64 u64s u64, f32 f32s f32, f64 f64s f64
}

impl<'a> Decode<'a> for String {
    #[inline]
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.string().map(Into::into)
    }
}

impl<'a, T: Decode<'a>> Decode<'a> for Vec<T> {
    #[inline]
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.sequence()
    }
}

impl<'a, T: Decode<'a>, const N: usize> Decode<'a> for [T; N] {
    #[inline]
    fn decode(input: &mut Decoder<'a>) -> CdrResult<Self> {
        input.array_with(T::decode)
    }
}

impl<'a> Decode<'a> for () {
    #[inline]
    fn decode(_input: &mut Decoder<'a>) -> CdrResult<Self> {
        Ok(())
    }
}
