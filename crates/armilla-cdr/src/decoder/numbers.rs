//! Numbers, one by one and in bulk.

use super::Decoder;
use crate::{ByteOrder, CdrResult, Decode};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A number of one to eight octets. In the byte order of the machine its encoding is its memory, so
/// sequences can be borrowed.
pub trait Number: Copy + for<'a> Decode<'a> + private::Sealed + 'static {
    /// `octets` as a slice of numbers, if they are aligned in memory and their length is a multiple
    /// of the size.
    #[doc(hidden)]
    fn cast_slice(octets: &[u8]) -> Option<&[Self]>;
}

mod private {
    pub trait Sealed {}
}

impl<'a> Decoder<'a> {
    /// Reads a sequence of numbers, of at most `bound` if there is one. They are borrowed if they
    /// are in the byte order of the machine and aligned in memory.
    ///
    /// ```
    /// use armilla_cdr::{ByteOrder, Decoder, Encoder};
    /// use std::borrow::Cow;
    ///
    /// let mut out = Encoder::new(ByteOrder::NATIVE);
    /// out.put_sequence(&[1.5_f32, 2.5])?;
    /// let octets = out.to_vec();
    /// let mut input = Decoder::new(&octets, ByteOrder::NATIVE);
    /// let samples: Cow<'_, [f32]> = input.borrowed_sequence(None)?;
    /// assert_eq!(*samples, [1.5, 2.5]);
    /// # Ok::<(), armilla_cdr::CdrError>(())
    /// ```
    ///
    /// # Errors
    /// When there are more; when the input ends too early.
    #[inline]
    pub fn borrowed_sequence<T: Number>(&mut self, bound: Option<u32>) -> CdrResult<Cow<'a, [T]>> {
        let len = match bound {
            Some(bound) => self.bounded_length(bound)?,
            None => self.length()?,
        };
        self.borrowed_numbers(len)
    }

    /// Reads `len` numbers. They are borrowed as by [`borrowed_sequence`](Self::borrowed_sequence).
    ///
    /// # Errors
    /// When the input ends too early.
    pub fn borrowed_numbers<T: Number>(&mut self, len: usize) -> CdrResult<Cow<'a, [T]>> {
        if len > 0 && self.order == ByteOrder::NATIVE {
            let start = self.position.next_multiple_of(size_of::<T>());
            let octets = self.octets.get(start..).unwrap_or_default();
            let octets = octets.get(..len.saturating_mul(size_of::<T>()));
            if let Some(numbers) = octets.and_then(T::cast_slice) {
                self.position = start + size_of_val(numbers);
                return Ok(Cow::Borrowed(numbers));
            }
        }
        T::decode_vec(self, len).map(Cow::Owned)
    }
}

macro_rules! numbers {
    ($($get:ident $slice:ident $ty:ty),*) => {
        impl<'a> Decoder<'a> {$(
            #[doc = concat!("Reads a `", stringify!($ty), "`, aligned to its size.")]
            ///
            /// # Errors
            /// When the input ends too early.
            #[inline]
            pub fn $get(&mut self) -> CdrResult<$ty> {
                let octets = self.take()?;
                Ok(match self.order {
                    ByteOrder::Little => <$ty>::from_le_bytes(octets),
                    ByteOrder::Big => <$ty>::from_be_bytes(octets),
                })
            }

            #[doc = concat!("Reads `len` values of `", stringify!($ty), "` in bulk.")]
            ///
            /// # Errors
            /// When the input ends too early.
            pub fn $slice(&mut self, len: usize) -> CdrResult<Vec<$ty>> {
                const SIZE: usize = size_of::<$ty>();
                if len == 0 {
                    return Ok(Vec::new());
                }
                self.align(SIZE);
                if self.here() == 0 {
                    self.go_on_behind(SIZE);
                }
                let octets = self.raw(len.saturating_mul(SIZE))?.as_chunks::<SIZE>().0.iter();
                Ok(match self.order {
                    ByteOrder::Little => octets.map(|o| <$ty>::from_le_bytes(*o)).collect(),
                    ByteOrder::Big => octets.map(|o| <$ty>::from_be_bytes(*o)).collect(),
                })
            }
        )*}

        $(
            impl private::Sealed for $ty {}

            impl Number for $ty {
                #[inline]
                fn cast_slice(octets: &[u8]) -> Option<&[Self]> {
                    bytemuck::try_cast_slice(octets).ok()
                }
            }
        )*
    };
}

numbers! {
    i8 i8s i8, i16 i16s i16, u16 u16s u16, i32 i32s i32, u32 u32s u32, i64 i64s i64, u64 u64s u64,
    f32 f32s f32, f64 f64s f64
}
