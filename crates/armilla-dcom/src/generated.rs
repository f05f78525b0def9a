//! What the code of the IDL compiler for interfaces of COM is written with. It is the only contract
//! between the two, and no concern of users.

pub use crate::automation::{
    Bstr, Currency, Date, Decimal, SafeArray, SafeArrayPointer, Variant, VariantBool,
    VariantPointer,
};
pub use crate::client::{Error, Proxy};
pub use crate::objref::InterfacePointer;
pub use crate::server::{Object, ObjectCall};
pub use armilla_dcerpc::ndr::{Conformant, ConformantVarying, Unique, WideString};
pub use armilla_dcerpc::{Status, Uuid, ndr_interface, ndr_parameters};
