//! Arrays with bounds (MS-OAUT 2.2.30).

use super::bstr::Bstr;
use super::numbers::{Currency, Date};
use super::variant::{Variant, vt};
use crate::objref::InterfacePointer;
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::{Status, Uuid};

/// An array of one or more dimensions whose elements have one type (`SAFEARRAY`).
#[derive(Debug, Clone, PartialEq)]
pub struct SafeArray {
    /// Flags that the other side may look at; see [`SafeArray::HAS_TYPE`]. Those of the type of the
    /// elements are added when it is written.
    pub features: u16,
    /// The dimensions, in the order in which they travel.
    pub bounds: Vec<Bound>,
    /// The elements, the first index fastest.
    pub elements: Elements,
}

/// A dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound {
    /// How many indices there are.
    pub count: u32,
    /// The first index.
    pub lower: i32,
}

/// The elements of an array.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Elements {
    /// 8 bits.
    I1(Vec<i8>),
    /// 8 bits without a sign.
    U1(Vec<u8>),
    /// 16 bits.
    I2(Vec<i16>),
    /// 16 bits without a sign.
    U2(Vec<u16>),
    /// 32 bits.
    I4(Vec<i32>),
    /// 32 bits without a sign.
    U4(Vec<u32>),
    /// 32 bits that a program calls `int`.
    Int(Vec<i32>),
    /// 32 bits without a sign that a program calls `unsigned`.
    Uint(Vec<u32>),
    /// 64 bits.
    I8(Vec<i64>),
    /// 64 bits without a sign.
    U8(Vec<u64>),
    /// Floating-point numbers of 32 bits.
    R4(Vec<f32>),
    /// Floating-point numbers of 64 bits.
    R8(Vec<f64>),
    /// True or false.
    Bool(Vec<bool>),
    /// HRESULTs.
    Error(Vec<Status>),
    /// Moments.
    Date(Vec<Date>),
    /// Money.
    Currency(Vec<Currency>),
    /// Strings.
    String(Vec<Bstr>),
    /// Values of any type.
    Variant(Vec<Variant>),
    /// Objects.
    Unknown(Vec<Option<InterfacePointer>>),
    /// Objects that are called by name.
    Dispatch(Vec<Option<InterfacePointer>>),
    /// Objects of one interface.
    Interface(Uuid, Vec<Option<InterfacePointer>>),
}

/// How elements travel (`SF_TYPE`).
pub(super) mod kind {
    pub(crate) const I1: u32 = 0x10;
    pub(crate) const I2: u32 = 2;
    pub(crate) const I4: u32 = 3;
    pub(crate) const I8: u32 = 0x14;
    pub(crate) const BSTR: u32 = 8;
    pub(crate) const DISPATCH: u32 = 9;
    pub(crate) const VARIANT: u32 = 12;
    pub(crate) const UNKNOWN: u32 = 13;
    pub(crate) const HAVE_IID: u32 = 0x800d;
}

/// Runs an expression with `$values` for the vector of whatever type the elements have.
macro_rules! each {
    ($elements:expr, $values:ident => $result:expr) => {
        match $elements {
            Elements::I1($values) => $result,
            Elements::U1($values) => $result,
            Elements::I2($values) => $result,
            Elements::U2($values) => $result,
            Elements::I4($values) => $result,
            Elements::U4($values) => $result,
            Elements::Int($values) => $result,
            Elements::Uint($values) => $result,
            Elements::I8($values) => $result,
            Elements::U8($values) => $result,
            Elements::R4($values) => $result,
            Elements::R8($values) => $result,
            Elements::Bool($values) => $result,
            Elements::Error($values) => $result,
            Elements::Date($values) => $result,
            Elements::Currency($values) => $result,
            Elements::String($values) => $result,
            Elements::Variant($values) => $result,
            Elements::Unknown($values) => $result,
            Elements::Dispatch($values) => $result,
            Elements::Interface(_, $values) => $result,
        }
    };
}

impl Elements {
    /// How many there are.
    pub fn len(&self) -> usize {
        each!(self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of their type (`VARENUM`).
    pub fn vt(&self) -> u16 {
        match self {
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
            Self::String(_) => vt::BSTR,
            Self::Variant(_) => vt::VARIANT,
            Self::Unknown(_) | Self::Interface(..) => vt::UNKNOWN,
            Self::Dispatch(_) => vt::DISPATCH,
        }
    }

    /// How they travel, how many octets an element has in a program, and the flags of the type.
    pub(super) fn layout(&self) -> (u32, u32, u16) {
        match self {
            Self::I1(_) | Self::U1(_) => (kind::I1, 1, SafeArray::HAS_TYPE),
            Self::I2(_) | Self::U2(_) | Self::Bool(_) => (kind::I2, 2, SafeArray::HAS_TYPE),
            Self::I8(_) | Self::U8(_) | Self::R8(_) | Self::Date(_) | Self::Currency(_) => {
                (kind::I8, 8, SafeArray::HAS_TYPE)
            }
            Self::String(_) => (kind::BSTR, 4, SafeArray::HAS_TYPE | 0x100),
            Self::Variant(_) => (kind::VARIANT, 16, SafeArray::HAS_TYPE | 0x800),
            Self::Unknown(_) => (kind::UNKNOWN, 4, SafeArray::HAS_IID | 0x200),
            Self::Dispatch(_) => (kind::DISPATCH, 4, SafeArray::HAS_IID | 0x400),
            Self::Interface(..) => (kind::HAVE_IID, 4, SafeArray::HAS_IID | 0x200),
            _ => (kind::I4, 4, SafeArray::HAS_TYPE),
        }
    }

    /// Each element as a value.
    pub fn to_variants(&self) -> Vec<Variant> {
        fn all<T: Clone>(values: &[T], make: impl Fn(T) -> Variant) -> Vec<Variant> {
            values.iter().cloned().map(make).collect()
        }
        match self {
            Self::I1(values) => all(values, Variant::I1),
            Self::U1(values) => all(values, Variant::U1),
            Self::I2(values) => all(values, Variant::I2),
            Self::U2(values) => all(values, Variant::U2),
            Self::I4(values) => all(values, Variant::I4),
            Self::U4(values) => all(values, Variant::U4),
            Self::Int(values) => all(values, Variant::Int),
            Self::Uint(values) => all(values, Variant::Uint),
            Self::I8(values) => all(values, Variant::I8),
            Self::U8(values) => all(values, Variant::U8),
            Self::R4(values) => all(values, Variant::R4),
            Self::R8(values) => all(values, Variant::R8),
            Self::Bool(values) => all(values, Variant::Bool),
            Self::Error(values) => all(values, Variant::Error),
            Self::Date(values) => all(values, Variant::Date),
            Self::Currency(values) => all(values, Variant::Currency),
            Self::String(values) => all(values, Variant::String),
            Self::Variant(values) => values.clone(),
            Self::Unknown(values) | Self::Interface(_, values) => all(values, Variant::Unknown),
            Self::Dispatch(values) => all(values, Variant::Dispatch),
        }
    }
}

impl SafeArray {
    /// The feature of arrays that know the type of their elements.
    pub const HAS_TYPE: u16 = 0x80;
    /// The feature of arrays that know the interface of their elements.
    pub const HAS_IID: u16 = 0x40;

    /// An array of one dimension whose first index is 0.
    pub fn new(elements: Elements) -> Self {
        // The encoder refuses what 32 bits do not count.
        let count = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        Self { features: 0, bounds: vec![Bound { count, lower: 0 }], elements }
    }

    /// How many elements the bounds need; `None` if 32 bits do not count them.
    pub(super) fn cells(bounds: &[Bound]) -> Option<u32> {
        bounds.iter().try_fold(1u32, |cells, bound| cells.checked_mul(bound.count))
    }
}

macro_rules! from {
    ($($type:ty => $case:ident),* $(,)?) => {$(
        impl From<Vec<$type>> for SafeArray {
            fn from(values: Vec<$type>) -> Self {
                Self::new(Elements::$case(values))
            }
        }
    )*};
}

from! {
    i8 => I1, u8 => U1, i16 => I2, u16 => U2, i32 => I4, u32 => U4, i64 => I8, u64 => U8,
    f32 => R4, f64 => R8, bool => Bool, Status => Error, Date => Date, Currency => Currency,
    Bstr => String, Variant => Variant,
}
