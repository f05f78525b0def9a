//! A value of any type (MS-OAUT 2.2.29).

use super::bstr::Bstr;
use super::numbers::{Currency, Date, Decimal};
use super::safe_array::SafeArray;
use crate::objref::InterfacePointer;
use alloc::boxed::Box;
use alloc::string::String;
use armilla_dcerpc::Status;

/// A value of any type (`VARIANT`). Records are not among them.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub enum Variant {
    /// No value: a variable that was never set.
    #[default]
    Empty,
    /// A value that says that there is none, as in a database.
    Null,
    /// 8 bits.
    I1(i8),
    /// 8 bits without a sign.
    U1(u8),
    /// 16 bits.
    I2(i16),
    /// 16 bits without a sign.
    U2(u16),
    /// 32 bits.
    I4(i32),
    /// 32 bits without a sign.
    U4(u32),
    /// 32 bits that a program calls `int`.
    Int(i32),
    /// 32 bits without a sign that a program calls `unsigned`.
    Uint(u32),
    /// 64 bits.
    I8(i64),
    /// 64 bits without a sign.
    U8(u64),
    /// A floating-point number of 32 bits.
    R4(f32),
    /// A floating-point number of 64 bits.
    R8(f64),
    /// True or false.
    Bool(bool),
    /// An HRESULT. [`Status::PARAMETER_NOT_FOUND`] stands for an argument that was left out.
    Error(Status),
    /// A moment.
    Date(Date),
    /// Money.
    Currency(Currency),
    /// A decimal number.
    Decimal(Decimal),
    /// A string.
    String(Bstr),
    /// An object; `None` is null.
    Unknown(Option<InterfacePointer>),
    /// An object that is called by name; `None` is null.
    Dispatch(Option<InterfacePointer>),
    /// An array.
    Array(SafeArray),
    /// An array that is null, of elements of this type: one of [`Variant::vt`].
    NullArray(u16),
    /// A value that the callee may change, but not its type.
    Reference(Box<Variant>),
    /// A value that the callee may change, and its type.
    VariantReference(Box<Variant>),
}

/// The numbers of types.
pub(super) mod vt {
    pub(crate) const I2: u16 = 2;
    pub(crate) const I4: u16 = 3;
    pub(crate) const R4: u16 = 4;
    pub(crate) const R8: u16 = 5;
    pub(crate) const CY: u16 = 6;
    pub(crate) const DATE: u16 = 7;
    pub(crate) const BSTR: u16 = 8;
    pub(crate) const DISPATCH: u16 = 9;
    pub(crate) const ERROR: u16 = 10;
    pub(crate) const BOOL: u16 = 11;
    pub(crate) const VARIANT: u16 = 12;
    pub(crate) const UNKNOWN: u16 = 13;
    pub(crate) const DECIMAL: u16 = 14;
    pub(crate) const I1: u16 = 16;
    pub(crate) const UI1: u16 = 17;
    pub(crate) const UI2: u16 = 18;
    pub(crate) const UI4: u16 = 19;
    pub(crate) const I8: u16 = 20;
    pub(crate) const UI8: u16 = 21;
    pub(crate) const INT: u16 = 22;
    pub(crate) const UINT: u16 = 23;
    pub(crate) const VOID: u16 = 24;
    pub(crate) const HRESULT: u16 = 25;
    pub(crate) const PTR: u16 = 26;
    pub(crate) const SAFEARRAY: u16 = 27;
    pub(crate) const CARRAY: u16 = 28;
    pub(crate) const USERDEFINED: u16 = 29;
    pub(crate) const LPSTR: u16 = 30;
    pub(crate) const LPWSTR: u16 = 31;
    pub(crate) const CLSID: u16 = 72;
    pub(crate) const ARRAY: u16 = 0x2000;
    pub(crate) const BYREF: u16 = 0x4000;
    /// What is the type in a number with flags.
    pub(crate) const TYPE: u16 = 0x0fff;
}

impl Variant {
    /// The number of its type (`VARENUM`), with the flags of arrays and references.
    pub fn vt(&self) -> u16 {
        match self {
            Self::Empty => 0,
            Self::Null => 1,
            Self::I1(_) => vt::I1,
            Self::U1(_) => vt::UI1,
            Self::I2(_) => vt::I2,
            Self::U2(_) => vt::UI2,
            Self::I4(_) => vt::I4,
            Self::U4(_) => vt::UI4,
            Self::Int(_) => vt::INT,
            Self::Uint(_) => vt::UINT,
            Self::I8(_) => vt::I8,
            Self::U8(_) => vt::UI8,
            Self::R4(_) => vt::R4,
            Self::R8(_) => vt::R8,
            Self::Bool(_) => vt::BOOL,
            Self::Error(_) => vt::ERROR,
            Self::Date(_) => vt::DATE,
            Self::Currency(_) => vt::CY,
            Self::Decimal(_) => vt::DECIMAL,
            Self::String(_) => vt::BSTR,
            Self::Unknown(_) => vt::UNKNOWN,
            Self::Dispatch(_) => vt::DISPATCH,
            Self::Array(array) => vt::ARRAY | array.elements.vt(),
            Self::NullArray(element) => vt::ARRAY | element,
            Self::VariantReference(_) => vt::BYREF | vt::VARIANT,
            // A reference to a reference, or to a value without a type, can only be that.
            Self::Reference(value) => match value.vt() {
                0 | 1 => vt::BYREF | vt::VARIANT,
                inner if inner & vt::BYREF != 0 => vt::BYREF | vt::VARIANT,
                inner => vt::BYREF | inner,
            },
        }
    }

    /// The value itself, if it is a reference to one.
    pub fn value(&self) -> &Self {
        match self {
            Self::Reference(value) | Self::VariantReference(value) => value.value(),
            value => value,
        }
    }

    /// As text, if it is a string or a reference to one.
    pub fn as_text(&self) -> Option<String> {
        match self.value() {
            Self::String(text) => Some(text.to_text()),
            _ => None,
        }
    }

    /// As a whole number, if it is one, or a reference to one.
    pub fn as_i64(&self) -> Option<i64> {
        Some(match self.value() {
            Self::I1(number) => (*number).into(),
            Self::U1(number) => (*number).into(),
            Self::I2(number) => (*number).into(),
            Self::U2(number) => (*number).into(),
            Self::I4(number) | Self::Int(number) => (*number).into(),
            Self::U4(number) | Self::Uint(number) => (*number).into(),
            Self::I8(number) => *number,
            Self::U8(number) => return i64::try_from(*number).ok(),
            _ => return None,
        })
    }

    /// As a floating-point number, if it is any number, or a reference to one.
    pub fn as_f64(&self) -> Option<f64> {
        match self.value() {
            Self::R4(number) => Some((*number).into()),
            Self::R8(number) => Some(*number),
            Self::U8(number) => Some(*number as f64),
            other => other.as_i64().map(|number| number as f64),
        }
    }

    /// As true or false, if it is that, or a reference to it.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value() {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

macro_rules! from {
    ($($type:ty => $case:ident),* $(,)?) => {$(
        impl From<$type> for Variant {
            fn from(value: $type) -> Self {
                Self::$case(value)
            }
        }
    )*};
}

from! {
    i8 => I1, u8 => U1, i16 => I2, u16 => U2, i32 => I4, u32 => U4, i64 => I8, u64 => U8,
    f32 => R4, f64 => R8, bool => Bool, Date => Date, Currency => Currency, Decimal => Decimal,
    Bstr => String, SafeArray => Array,
}

impl From<&str> for Variant {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}
