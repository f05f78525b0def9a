//! Numbers, one by one and in bulk.

use super::Decoder;
use crate::{ByteOrder, CdrResult};
use alloc::vec::Vec;

macro_rules! numbers {
    ($($get:ident $slice:ident $ty:ty),*) => {
        impl<'a> Decoder<'a> {$(
            #[doc = concat!("Reads a `", stringify!($ty), "`, aligned to its size.")]
            ///
            /// # Errors
            /// When the octets end before it does.
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
            /// When the octets end before they do.
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
    };
}

numbers! {
    i8 i8s i8, i16 i16s i16, u16 u16s u16, i32 i32s i32, u32 u32s u32, i64 i64s i64, u64 u64s u64,
    f32 f32s f32, f64 f64s f64
}
