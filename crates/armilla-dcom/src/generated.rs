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
pub use armilla_dcerpc::ndr::{Conformant, ConformantVarying, Unique, WideString};
pub use armilla_dcerpc::{Status, Uuid, ndr_interface, ndr_parameters, ndr_struct};

pub use crate::com_enum;
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
    };
}
