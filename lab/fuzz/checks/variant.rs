//! Values of Automation: what is read is written again as what is read again.

use armilla_dcerpc::ByteOrder;
use armilla_dcerpc::ndr::{Ndr, Parameters, from_stub, to_stub};
use armilla_dcom::automation::dispatch::{EnumNextOut, InvokeIn, InvokeOut, NamesIn};
use armilla_dcom::automation::type_info::wire::{
    DocumentationOut, FuncDescOut, LibAttrOut, MemberNamesOut, TypeAttrOut, VarDescOut,
};
use armilla_dcom::automation::{SafeArrayPointer, VariantPointer};

/// The first octet chooses type and byte order, the rest is the stub.
pub(crate) fn check(data: &[u8]) {
    let Some((&choice, stub)) = data.split_first() else { return };
    let order = if choice & 0x80 == 0 { ByteOrder::Little } else { ByteOrder::Big };
    match choice & 0x7f {
        0 => value::<VariantPointer>(stub, order),
        1 => value::<SafeArrayPointer>(stub, order),
        2 => parameters::<InvokeIn>(stub, order),
        3 => parameters::<InvokeOut>(stub, order),
        4 => parameters::<NamesIn>(stub, order),
        6 => parameters::<TypeAttrOut>(stub, order),
        7 => parameters::<FuncDescOut>(stub, order),
        8 => parameters::<VarDescOut>(stub, order),
        9 => parameters::<MemberNamesOut>(stub, order),
        10 => parameters::<DocumentationOut>(stub, order),
        11 => parameters::<LibAttrOut>(stub, order),
        _ => parameters::<EnumNextOut>(stub, order),
    }
}

fn value<T: Ndr + core::fmt::Debug>(stub: &[u8], order: ByteOrder) {
    let Ok(value) = from_stub::<T>(stub, order) else { return };
    let written = to_stub(&value, order).unwrap();
    let read = from_stub::<T>(&written, order).unwrap();
    // Comparing texts: a NaN is not equal to itself, but reads as itself.
    assert_eq!(format!("{read:?}"), format!("{value:?}"));
}

fn parameters<T: Parameters + core::fmt::Debug>(stub: &[u8], order: ByteOrder) {
    let Ok(value) = T::from_stub(stub, order) else { return };
    let written = value.to_stub(order).unwrap();
    let read = T::from_stub(&written, order).unwrap();
    assert_eq!(format!("{read:?}"), format!("{value:?}"));
}
