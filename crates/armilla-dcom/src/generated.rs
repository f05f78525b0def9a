//! What the code of the IDL compiler for interfaces of COM is written with. It is the only contract
//! between the two, and no concern of users.

pub use crate::automation::dispatch::flags;
pub use crate::automation::type_info::{
    Function, Parameter, Type, TypeDescription, TypeLibrary, passing,
};
pub use crate::automation::{
    Bstr, Currency, Date, Decimal, SafeArray, SafeArrayPointer, Variant, VariantBool,
    VariantPointer,
};
pub use crate::client::{Error, Proxy};
pub use crate::objref::InterfacePointer;
pub use crate::server::{Object, ObjectCall, class_info};
pub use armilla_dcerpc::ndr::{
    Conformant, ConformantVarying, Full, NarrowString, Reference, Unique, WideString, check_first,
    check_size,
};
pub use armilla_dcerpc::{Status, Uuid, ndr_interface, ndr_parameters, ndr_struct};

pub use crate::{com_enum, com_union};
pub use armilla_dcerpc::ndr::{Decoder, Encoder, Ndr, NdrError, NdrErrorKind};

use alloc::sync::Arc;
use alloc::vec::Vec;

/// The IID of `IProvideClassInfo`.
pub const CLASS_INFO: Uuid = crate::automation::type_info::wire::PROVIDE_CLASS_INFO.uuid;

/// Where the numbers begin that the compiler of MIDL gives to methods without any.
const MEMBERS: i32 = 0x6001_0000;

/// A method that is called by its place in the table of its interface.
pub fn function(
    opnum: u16,
    name: &str,
    documentation: &str,
    how: u32,
    parameters: Vec<Parameter>,
) -> Function {
    let documentation = documentation.trim().into();
    let method = Function::method(MEMBERS + i32::from(opnum), name, parameters, Type::HRESULT);
    Function { documentation, how, opnum, ..method }
}

/// A class of objects with one interface, with the interfaces that it inherits.
pub fn library(class: &str, name: &str, mut interfaces: Vec<TypeDescription>) -> Arc<TypeLibrary> {
    let iid = interfaces.first().map_or(Uuid::NIL, |first| first.uuid);
    interfaces.push(TypeDescription::class(class, Uuid::NIL, Vec::from([name.into()])));
    Arc::new(TypeLibrary::new(name, iid, interfaces))
}

/// The most elements of a result of a call that failed.
const MOST_NOTHINGS: usize = 0x1_0000;

/// How many elements an array has, by an expression that may lack a number.
pub fn count(of: impl FnOnce() -> Option<i64>) -> Option<i64> {
    of()
}

/// Whether an array that may be null is: it has no elements, where something says that it has some.
pub fn is_null(elements: usize, says: Option<i64>) -> bool {
    elements == 0 && says != Some(0)
}

/// A full pointer to a value of its own.
pub fn shared<T>(value: T) -> Full<T> {
    Full::new(Arc::new(value))
}

/// The same elements with room for so many.
pub fn with_room<T>(array: ConformantVarying<T>, size: Option<i64>) -> ConformantVarying<T> {
    let size = size.and_then(|size| u32::try_from(size).ok());
    array.with_room(size.unwrap_or_default())
}

/// The same elements, of which the first has that index.
pub fn from_index<T>(array: ConformantVarying<T>, first: Option<i64>) -> ConformantVarying<T> {
    let first = first.and_then(|first| u32::try_from(first).ok());
    array.from_index(first.unwrap_or_default())
}

/// So many elements that say nothing; none where a client asks for too many.
pub fn filled<T: Clone>(count: Option<i64>, nothing: T) -> Vec<T> {
    let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
    alloc::vec![nothing; if count > MOST_NOTHINGS { 0 } else { count }]
}

/// A number that selects the arm of a union, or says how many elements an array has.
pub trait Tag: Copy {
    /// Its number.
    fn number(self) -> i64;
    /// The value with that number; its lower bits if it has no more.
    fn of(number: i64) -> Self;
}

macro_rules! tags {
    ($($type:ty)+) => {$(
        impl Tag for $type {
            fn number(self) -> i64 {
                self as i64
            }

            fn of(number: i64) -> Self {
                number as $type
            }
        }
    )+};
}

tags!(i8 u8 i16 u16 i32 u32 i64 u64);

/// How a union of COM travels: its tag, then the arm that the tag selects, aligned to the largest one.
#[doc(hidden)]
#[macro_export]
macro_rules! com_union {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident: $tag:ty {
            $($(#[$arm_attribute:meta])* $label:pat => $arm:ident($($value:ident: $type:ty)?)),+ $(,)?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, PartialEq)]
        pub enum $name {
            $($(#[$arm_attribute])* $arm($tag $(, $type)?)),+
        }

        impl $name {
            const ARMS: usize = {
                let mut largest = 1;
                $($(
                    const { assert!(!<$type as $crate::generated::Ndr>::CONFORMANT) }
                    if <$type as $crate::generated::Ndr>::ALIGNMENT > largest {
                        largest = <$type as $crate::generated::Ndr>::ALIGNMENT;
                    }
                )?)+
                largest
            };

            /// An arm that another tag selects cannot be read again.
            fn check(
                &self,
                out: &$crate::generated::Encoder,
            ) -> ::core::result::Result<(), $crate::generated::NdrError> {
                let tag = match self {
                    $(Self::$arm(tag, ..) => $crate::generated::Tag::number(*tag)),+
                };
                #[allow(unreachable_patterns)]
                let fits = match tag {
                    $($label => ::core::matches!(self, Self::$arm(..)),)+
                    _ => false,
                };
                match fits {
                    true => ::core::result::Result::Ok(()),
                    false => ::core::result::Result::Err(Self::unknown(tag, out.position())),
                }
            }

            fn unknown(tag: i64, position: usize) -> $crate::generated::NdrError {
                let type_name = ::core::stringify!($name);
                let kind = $crate::generated::NdrErrorKind::InvalidDiscriminant {
                    type_name,
                    value: tag as _,
                };
                $crate::generated::NdrError { kind, position }
            }
        }

        impl $crate::generated::Ndr for $name {
            const ALIGNMENT: usize = {
                let tag = <$tag as $crate::generated::Ndr>::ALIGNMENT;
                if tag > Self::ARMS { tag } else { Self::ARMS }
            };

            fn encode(
                &self,
                out: &mut $crate::generated::Encoder,
            ) -> ::core::result::Result<(), $crate::generated::NdrError> {
                self.check(out)?;
                match self {
                    $(Self::$arm(tag $(, $value)?) => {
                        $crate::generated::Ndr::encode(tag, out)?;
                        out.align(Self::ARMS);
                        $(<$type as $crate::generated::Ndr>::encode($value, out)?;)?
                    })+
                }
                ::core::result::Result::Ok(())
            }

            fn encode_referents(
                &self,
                out: &mut $crate::generated::Encoder,
            ) -> ::core::result::Result<(), $crate::generated::NdrError> {
                match self {
                    $(Self::$arm(_ $(, $value)?) => {
                        $(<$type as $crate::generated::Ndr>::encode_referents($value, out)?;)?
                    })+
                }
                ::core::result::Result::Ok(())
            }

            fn decode(
                input: &mut $crate::generated::Decoder<'_>,
            ) -> ::core::result::Result<Self, $crate::generated::NdrError> {
                let tag = <$tag as $crate::generated::Ndr>::decode(input)?;
                #[allow(unreachable_patterns)]
                match $crate::generated::Tag::number(tag) {
                    $($label => {
                        input.align(Self::ARMS)?;
                        $(let $value = <$type as $crate::generated::Ndr>::decode(input)?;)?
                        ::core::result::Result::Ok(Self::$arm(tag $(, $value)?))
                    })+
                    other => ::core::result::Result::Err(Self::unknown(other, input.position())),
                }
            }

            fn decode_referents(
                &mut self,
                input: &mut $crate::generated::Decoder<'_>,
            ) -> ::core::result::Result<(), $crate::generated::NdrError> {
                match self {
                    $(Self::$arm(_ $(, $value)?) => {
                        $(<$type as $crate::generated::Ndr>::decode_referents($value, input)?;)?
                    })+
                }
                ::core::result::Result::Ok(())
            }
        }
    };
}

/// How an enum of COM travels: as 16 bits (`u16`), or as 32 (`i32`).
#[doc(hidden)]
#[macro_export]
macro_rules! com_enum {
    ($name:ident, $number:ty) => {
        impl $crate::generated::Ndr for $name {
            const ALIGNMENT: usize = <$number as $crate::generated::Ndr>::ALIGNMENT;

            fn encode(
                &self,
                out: &mut $crate::generated::Encoder,
            ) -> ::core::result::Result<(), $crate::generated::NdrError> {
                let ::core::result::Result::Ok(number) = <$number>::try_from(self.0) else {
                    let (type_name, value) = (::core::stringify!($name), self.0 as u32);
                    let kind = $crate::generated::NdrErrorKind::InvalidEnum { type_name, value };
                    let position = out.position();
                    return ::core::result::Result::Err($crate::generated::NdrError {
                        kind,
                        position,
                    });
                };
                $crate::generated::Ndr::encode(&number, out)
            }

            fn decode(
                input: &mut $crate::generated::Decoder<'_>,
            ) -> ::core::result::Result<Self, $crate::generated::NdrError> {
                <$number as $crate::generated::Ndr>::decode(input).map(|number| Self(number.into()))
            }
        }

        impl $crate::generated::Tag for $name {
            fn number(self) -> i64 {
                self.0.into()
            }

            fn of(number: i64) -> Self {
                Self(number as i32)
            }
        }
    };
}
