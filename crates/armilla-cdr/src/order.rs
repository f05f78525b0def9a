//! Byte orders, as a value and as a type.

/// The byte order of a message or encapsulation (CORBA 3.4 Part 2, 9.3.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Most significant octet first.
    Big,
    /// Least significant octet first.
    Little,
}

impl ByteOrder {
    /// The order of this machine, which is the cheapest.
    pub const NATIVE: Self = if cfg!(target_endian = "big") { Self::Big } else { Self::Little };

    /// The order for the flag octet of a header or encapsulation, given by its lowest bit.
    pub const fn from_flag(flag: u8) -> Self {
        if flag & 1 == 0 { Self::Big } else { Self::Little }
    }

    /// The flag octet for this order.
    pub const fn flag(self) -> u8 {
        match self {
            Self::Big => 0,
            Self::Little => 1,
        }
    }
}

macro_rules! order {
    ($($put:ident $get:ident $ty:ty, $bits:ty);*) => {
        /// A byte order as a type, so that a loop over many values selects it once.
        ///
        /// Each function reads a value at the offset `at` of `chunk`, or writes one into a place
        /// there: the value at the beginning, and zeros behind it. A place has at most eight
        /// octets.
        ///
        /// # Panics
        /// When the value is not within `chunk`. [`Fixed`](crate::Fixed) provides chunks of the
        /// size for which the generated offsets were computed.
        pub trait Order: private::Sealed {
            $(
                #[doc = concat!("Writes one `", stringify!($ty), "`.")]
                fn $put(chunk: &mut [u8], place: Range<usize>, value: $ty);
                #[doc = concat!("Reads one `", stringify!($ty), "`.")]
                fn $get(chunk: &[u8], at: usize) -> $ty;
            )*

            /// Writes one boolean.
            #[inline(always)]
            fn put_bool(chunk: &mut [u8], place: Range<usize>, value: bool) {
                Self::put_u8(chunk, place, u8::from(value));
            }

            /// Reads one boolean.
            ///
            /// # Errors
            /// When the octet is neither 0 nor 1.
            #[inline(always)]
            fn bool(chunk: &[u8], at: usize) -> CdrResult<bool> {
                match chunk[at] {
                    0 => Ok(false),
                    1 => Ok(true),
                    octet => Err(CdrError::new(CdrErrorKind::InvalidBoolean(octet))),
                }
            }
        }

        impl Order for LittleEndian {
            $(order!(@one $put $get $ty, $bits, to_le_bytes, from_le_bytes);)*
        }

        impl Order for BigEndian {
            $(order!(@one $put $get $ty, $bits, to_be_bytes, from_be_bytes);)*
        }
    };
    (@one $put:ident $get:ident $ty:ty, $bits:ty, $to:ident, $from:ident) => {
        #[inline(always)]
        fn $put(chunk: &mut [u8], place: Range<usize>, value: $ty) {
            // As one number, so that one store writes the value and the padding.
            let octets = u64::from(<$bits>::from_le_bytes(value.$to())).to_le_bytes();
            let place = &mut chunk[place];
            place.copy_from_slice(&octets[..place.len()]);
        }
        #[inline(always)]
        fn $get(chunk: &[u8], at: usize) -> $ty {
            let mut octets = [0; size_of::<$ty>()];
            octets.copy_from_slice(&chunk[at..at + size_of::<$ty>()]);
            <$ty>::$from(octets)
        }
    };
}

use crate::{CdrError, CdrErrorKind, CdrResult};
use core::ops::Range;

order! {
    put_u8 u8 u8, u8; put_i8 i8 i8, u8; put_i16 i16 i16, u16; put_u16 u16 u16, u16;
    put_i32 i32 i32, u32; put_u32 u32 u32, u32; put_i64 i64 i64, u64; put_u64 u64 u64, u64;
    put_f32 f32 f32, u32; put_f64 f64 f64, u64
}

/// [`ByteOrder::Little`] as a type.
#[derive(Debug, Clone, Copy)]
pub struct LittleEndian;

/// [`ByteOrder::Big`] as a type.
#[derive(Debug, Clone, Copy)]
pub struct BigEndian;

mod private {
    pub trait Sealed {}
    impl Sealed for super::LittleEndian {}
    impl Sealed for super::BigEndian {}
}
