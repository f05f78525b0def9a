//! Values in NDR: what is read is written again as what is read again.

use armilla_dcerpc::ByteOrder;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{
    Conformant, ConformantVarying, Full, NarrowString, Ndr, Parameters, Reference, Unique, Varying,
    WideString, deserialize, from_stub, to_stub,
};

armilla_dcerpc::ndr_struct! {
    struct Tail { head: u8, id: Uuid, values: Conformant<Unique<NarrowString>> }
    struct Link { text: Unique<WideString>, next: Unique<Link> }
    struct Everything {
        flag: bool,
        small: Varying<i16, 5>,
        fixed: [u64; 2],
        tail: Reference<Tail>,
        list: Unique<Link>,
        shared: [Full<u32>; 2],
        window: Unique<ConformantVarying<Arm>>,
    }
}
armilla_dcerpc::ndr_enum! {
    enum Kind: u16 { One = 1, Two = 2 }
}
armilla_dcerpc::ndr_union! {
    enum Arm: u16 { 0 => Kind(Kind), 1 => Large(u64), 2 => Text(Unique<WideString>); default => Nothing }
}
armilla_dcerpc::ndr_parameters! {
    struct Given { everything: Everything, arm: Arm, last: Unique<Tail> }
}

/// The first octet chooses type and byte order, the rest is the stub.
pub(crate) fn check(data: &[u8]) {
    let Some((&choice, stub)) = data.split_first() else { return };
    let order = if choice & 0x80 == 0 { ByteOrder::Little } else { ByteOrder::Big };
    match choice & 0x7f {
        0 => again::<Everything>(stub, order),
        1 => again::<Link>(stub, order),
        2 => again::<Tail>(stub, order),
        3 => again::<Arm>(stub, order),
        4 => again::<Conformant<Unique<ConformantVarying<u16>>>>(stub, order),
        5 => {
            if let Ok(given) = Given::from_stub(stub, order) {
                let written = given.to_stub(order).unwrap();
                // Comparing texts: a NaN is not equal to itself, but reads as itself.
                let read = Given::from_stub(&written, order).unwrap();
                assert_eq!(format!("{read:?}"), format!("{given:?}"));
            }
        }
        _ => {
            let _ = deserialize::<Link>(stub);
        }
    }
}

fn again<T: Ndr + core::fmt::Debug>(stub: &[u8], order: ByteOrder) {
    let Ok(value) = from_stub::<T>(stub, order) else { return };
    let written = to_stub(&value, order).unwrap();
    let read = from_stub::<T>(&written, order).unwrap();
    assert_eq!(format!("{read:?}"), format!("{value:?}"));
}
