//! The trait of types with a CDR encoding, and its implementations for numbers, strings and
//! sequences.

use crate::{CdrResult, Encoder};
use alloc::string::String;
use alloc::vec::Vec;

/// A type with a CDR encoding. The IDL compiler implements it for IDL types.
///
/// ```
/// use armilla_cdr::{ByteOrder, CdrResult, Encode, Encoder};
///
/// struct Point(i16, i32);
///
/// impl Encode for Point {
///     fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
///         self.0.encode(out)?;
///         self.1.encode(out)
///     }
/// }
///
/// let mut out = Encoder::new(ByteOrder::Big);
/// Point(1, 2).encode(&mut out)?;
/// assert_eq!(out.to_vec(), [0, 1, 0, 0, 0, 0, 0, 2], "the second is aligned to its size");
/// # Ok::<(), armilla_cdr::CdrError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be encoded",
    note = "values that are sent have the Rust of an IDL type, such as `i32`, `String` or what the \
            IDL compiler generates"
)]
pub trait Encode {
    /// Appends the value to `out`, which may borrow large payloads from it until it is sent.
    ///
    /// # Errors
    /// When the value breaks a rule of its IDL type (a bound, a discriminator) or cannot be
    /// expressed in the code set of the connection.
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult;

    /// Appends the elements of a sequence or array, without a length.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    fn encode_slice<'p>(items: &'p [Self], out: &mut Encoder<'p>) -> CdrResult
    where
        Self: Sized,
    {
        items.iter().try_for_each(|item| item.encode(out))
    }
}

macro_rules! scalar {
    ($($put:ident $slice:ident $ty:ty),*) => {$(
        impl Encode for $ty {
            #[inline]
            fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
                out.$put(*self);
                Ok(())
            }

            #[inline]
            fn encode_slice<'p>(items: &'p [Self], out: &mut Encoder<'p>) -> CdrResult {
                out.$slice(items);
                Ok(())
            }
        }
    )*};
}

scalar! {
    put_u8 put_raw u8, put_bool put_bools bool, put_i8 put_i8s i8, put_i16 put_i16s i16,
    put_u16 put_u16s u16, put_i32 put_i32s i32, put_u32 put_u32s u32, put_i64 put_i64s i64,
    put_u64 put_u64s u64, put_f32 put_f32s f32, put_f64 put_f64s f64
}

impl Encode for str {
    #[inline]
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.borrow_string(self)
    }
}

impl Encode for String {
    #[inline]
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.borrow_string(self)
    }
}

impl<T: Encode> Encode for [T] {
    #[inline]
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(self)
    }
}

impl<T: Encode> Encode for Vec<T> {
    #[inline]
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        out.put_sequence(self)
    }
}

impl<T: Encode, const N: usize> Encode for [T; N] {
    #[inline]
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        T::encode_slice(self, out)
    }
}

impl Encode for () {
    #[inline]
    fn encode<'p>(&'p self, _out: &mut Encoder<'p>) -> CdrResult {
        Ok(())
    }
}

impl<T: Encode + ?Sized> Encode for &T {
    #[inline]
    fn encode<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult {
        T::encode(self, out)
    }
}
