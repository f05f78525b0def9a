//! The kinds of TypeCodes, by their numbers.

use super::TypeCode;

macro_rules! kinds {
    ($($number:literal $kind:ident)*) => {
        /// The kind of a TypeCode: `TCKind`, by its number on the wire (CORBA 3.4 Part 2, 9.3.5.1).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u32)]
        #[allow(missing_docs)] // The names of the specification without `tk_`.
        pub enum TypeCodeKind {
            $($kind = $number,)*
        }

        impl TypeCodeKind {
            /// The kind with this number.
            pub const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$kind),)*
                    _ => None,
                }
            }
        }
    };
}

kinds! {
    0 Null 1 Void 2 Short 3 Long 4 UShort 5 ULong 6 Float 7 Double 8 Boolean 9 Char 10 Octet 11 Any
    12 TypeCode 13 Principal 14 ObjectReference 15 Struct 16 Union 17 Enum 18 String 19 Sequence
    20 Array 21 Alias 22 Exception 23 LongLong 24 ULongLong 25 LongDouble 26 WChar 27 WString
    28 Fixed 29 Value 30 ValueBox 31 Native 32 AbstractInterface 33 LocalInterface 34 Component
    35 Home 36 Event
}

impl TypeCode {
    /// The kind. `None` for a [`Recursive`](Self::Recursive) code, whose kind is unknown.
    pub const fn kind(&self) -> Option<TypeCodeKind> {
        Some(match self {
            Self::Null => TypeCodeKind::Null,
            Self::Void => TypeCodeKind::Void,
            Self::Short => TypeCodeKind::Short,
            Self::Long => TypeCodeKind::Long,
            Self::UShort => TypeCodeKind::UShort,
            Self::ULong => TypeCodeKind::ULong,
            Self::Float => TypeCodeKind::Float,
            Self::Double => TypeCodeKind::Double,
            Self::Boolean => TypeCodeKind::Boolean,
            Self::Char => TypeCodeKind::Char,
            Self::Octet => TypeCodeKind::Octet,
            Self::Any => TypeCodeKind::Any,
            Self::TypeCode => TypeCodeKind::TypeCode,
            Self::Principal => TypeCodeKind::Principal,
            Self::LongLong => TypeCodeKind::LongLong,
            Self::ULongLong => TypeCodeKind::ULongLong,
            Self::LongDouble => TypeCodeKind::LongDouble,
            Self::WChar => TypeCodeKind::WChar,
            Self::String(_) => TypeCodeKind::String,
            Self::WString(_) => TypeCodeKind::WString,
            Self::Fixed { .. } => TypeCodeKind::Fixed,
            Self::ObjectReference(_) => TypeCodeKind::ObjectReference,
            Self::AbstractInterface(_) => TypeCodeKind::AbstractInterface,
            Self::LocalInterface(_) => TypeCodeKind::LocalInterface,
            Self::Component(_) => TypeCodeKind::Component,
            Self::Home(_) => TypeCodeKind::Home,
            Self::Native(_) => TypeCodeKind::Native,
            Self::Struct(_) => TypeCodeKind::Struct,
            Self::Exception(_) => TypeCodeKind::Exception,
            Self::Union(_) => TypeCodeKind::Union,
            Self::Enum(_) => TypeCodeKind::Enum,
            Self::Sequence(..) => TypeCodeKind::Sequence,
            Self::Array(..) => TypeCodeKind::Array,
            Self::Alias(_) => TypeCodeKind::Alias,
            Self::Value(_) => TypeCodeKind::Value,
            Self::Event(_) => TypeCodeKind::Event,
            Self::ValueBox(_) => TypeCodeKind::ValueBox,
            Self::Recursive(_) => return None,
        })
    }

    /// The type of this kind, if the kind has no parameters.
    pub(super) const fn simple(kind: TypeCodeKind) -> Option<Self> {
        Some(match kind {
            TypeCodeKind::Null => Self::Null,
            TypeCodeKind::Void => Self::Void,
            TypeCodeKind::Short => Self::Short,
            TypeCodeKind::Long => Self::Long,
            TypeCodeKind::UShort => Self::UShort,
            TypeCodeKind::ULong => Self::ULong,
            TypeCodeKind::Float => Self::Float,
            TypeCodeKind::Double => Self::Double,
            TypeCodeKind::Boolean => Self::Boolean,
            TypeCodeKind::Char => Self::Char,
            TypeCodeKind::Octet => Self::Octet,
            TypeCodeKind::Any => Self::Any,
            TypeCodeKind::TypeCode => Self::TypeCode,
            TypeCodeKind::Principal => Self::Principal,
            TypeCodeKind::LongLong => Self::LongLong,
            TypeCodeKind::ULongLong => Self::ULongLong,
            TypeCodeKind::LongDouble => Self::LongDouble,
            TypeCodeKind::WChar => Self::WChar,
            _ => return None,
        })
    }
}
