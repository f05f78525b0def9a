//! The Rust types that have a TypeCode.

use super::TypeCode;
use crate::Decimal;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// A type with a TypeCode. Its values can be stored in an [`Any`](crate::Any).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is the Rust of no IDL type",
    note = "IDL has integers of 8 to 64 bits (`i32`, `u64` …), `f32`, `f64`, `bool`, `String`, \
            `WString`, sequences (`Vec`) and what the IDL compiler generates"
)]
pub trait Typed {
    /// The TypeCode.
    fn type_code() -> TypeCode;

    /// The TypeCode of this value. A valuetype returns that of its most derived type, which may
    /// inherit from `Self`.
    fn dynamic_type_code(&self) -> TypeCode {
        Self::type_code()
    }
}

macro_rules! typed {
    ($($ty:ty => $code:expr),* $(,)?) => {$(
        impl Typed for $ty {
            fn type_code() -> TypeCode {
                $code
            }
        }
    )*};
}

typed! {
    () => TypeCode::Void,
    bool => TypeCode::Boolean,
    // An IDL `char` is a `u8` too; in an `Any` a `u8` is an octet.
    u8 => TypeCode::Octet,
    // TypeCodes have no kind for signed 8-bit integers.
    i8 => TypeCode::Octet,
    i16 => TypeCode::Short,
    u16 => TypeCode::UShort,
    i32 => TypeCode::Long,
    u32 => TypeCode::ULong,
    i64 => TypeCode::LongLong,
    u64 => TypeCode::ULongLong,
    f32 => TypeCode::Float,
    f64 => TypeCode::Double,
    char => TypeCode::WChar,
    crate::LongDouble => TypeCode::LongDouble,
    crate::WString => TypeCode::WString(0),
    str => TypeCode::String(0),
    String => TypeCode::String(0),
    TypeCode => TypeCode::TypeCode,
    crate::Any => TypeCode::Any,
}

impl<const DIGITS: u16, const SCALE: u16> Typed for Decimal<DIGITS, SCALE> {
    fn type_code() -> TypeCode {
        // At most 31 digits.
        TypeCode::Fixed { digits: DIGITS, scale: SCALE as i16 }
    }
}

impl<K: Typed, V: Typed> Typed for BTreeMap<K, V> {
    fn type_code() -> TypeCode {
        TypeCode::map(K::type_code(), V::type_code(), 0)
    }
}

impl<T: Typed> Typed for [T] {
    fn type_code() -> TypeCode {
        TypeCode::sequence(T::type_code(), 0)
    }
}

impl<T: Typed> Typed for Vec<T> {
    fn type_code() -> TypeCode {
        TypeCode::sequence(T::type_code(), 0)
    }
}

impl<T: Typed, const N: usize> Typed for [T; N] {
    fn type_code() -> TypeCode {
        // IDL lengths have 32 bits.
        TypeCode::array(T::type_code(), u32::try_from(N).unwrap_or(u32::MAX))
    }
}
