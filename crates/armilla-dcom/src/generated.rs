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
pub use armilla_dcerpc::{Status, Uuid, ndr_interface, ndr_parameters};

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
