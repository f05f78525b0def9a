//! Uses of types, and the values of constants.

use super::fixed::Fixed;
use super::id::DeclId;
use super::long_double::LongDouble;

/// A constant.
#[derive(Debug, Clone)]
pub struct Const {
    /// Its declared type.
    pub ty: Type,
    /// Its value, which is in the range of that type.
    pub value: ConstValue,
}

/// The value of a constant expression or of a union label.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstValue {
    /// An integer or an octet.
    Integer(i128),
    /// A `float` or a `double`.
    Float(f64),
    /// A `long double`.
    LongDouble(LongDouble),
    /// A boolean.
    Boolean(bool),
    /// A character as its ISO 8859-1 octet.
    Char(u8),
    /// A string.
    String(String),
    /// A wide character as its UTF-16 code unit.
    WChar(u16),
    /// A wide string as its UTF-16 code units; they need not be valid UTF-16.
    WString(Vec<u16>),
    /// A fixed-point number.
    Fixed(Fixed),
    /// An enumerator: its enum and its index.
    Enumerator(DeclId, u32),
}

/// A use of a type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// A basic type.
    Primitive(Primitive),
    /// A string, with its bound.
    String(Option<u32>),
    /// A sequence, with its bound.
    Sequence(Box<Type>, Option<u32>),
    /// An array with its dimensions, the outermost first.
    Array(Box<Type>, Vec<u32>),
    /// `Object`: a reference to an object of any interface.
    Object,
    /// `any`: a value of any type, with its type.
    Any,
    /// `CORBA::TypeCode`: a type as a value.
    TypeCode,
    /// `CORBA::Principal`, which is obsolete.
    Principal,
    /// `ValueBase`: a value of any valuetype.
    ValueBase,
    /// A wide string, with its bound.
    WString(Option<u32>),
    /// `fixed<digits, scale>`: a decimal number with so many digits in all and after the point. The
    /// type of a `fixed` constant is that of its value.
    Fixed(u16, u16),
    /// A map of IDL 4 from a key to a value, with its bound.
    Map(Box<Type>, Box<Type>, Option<u32>),
    /// A sequence of octets, with its bound, that is kept in a shared buffer. The front end never
    /// produces it; a back end may substitute it for a [`Sequence`](Self::Sequence).
    SharedOctets(Option<u32>),
    /// A sequence of strings, both without bounds, in a shared buffer. Also only for back ends.
    SharedStrings,
    /// A type declared elsewhere: a struct, union, enum, typedef, interface (an object reference),
    /// valuetype, boxed value, native type, bitmask or bitset.
    Named(DeclId),
}

/// The basic types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `short`, 16 bits.
    Short,
    /// `unsigned short`, 16 bits.
    UShort,
    /// `long`, 32 bits.
    Long,
    /// `unsigned long`, 32 bits.
    ULong,
    /// `long long`, 64 bits.
    LongLong,
    /// `unsigned long long`, 64 bits.
    ULongLong,
    /// `float`, IEEE 754 binary32.
    Float,
    /// `double`, IEEE 754 binary64.
    Double,
    /// `char`, one octet of the transmission code set.
    Char,
    /// `boolean`.
    Boolean,
    /// `octet`, 8 bits that are never converted.
    Octet,
    /// `wchar`, a character of the wide transmission code set.
    WChar,
    /// `long double`, IEEE 754 binary128.
    LongDouble,
    /// `int8` of IDL 4.
    Int8,
    /// `uint8` of IDL 4.
    UInt8,
}

impl Primitive {
    /// Whether it is a floating-point type.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Primitive::Float | Primitive::Double | Primitive::LongDouble)
    }
}
