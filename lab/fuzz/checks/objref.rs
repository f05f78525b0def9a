//! Object references of DCOM, and the bindings in them.

use armilla_dcerpc::ByteOrder;
use armilla_dcerpc::ndr::from_stub;
use armilla_dcom::{DualStringArray, InterfacePointer, ObjRef, StringArrayUnits};

pub(crate) fn check(data: &[u8]) {
    if let Ok(reference) = ObjRef::decode(data) {
        let again = reference.encode().unwrap();
        assert_eq!(ObjRef::decode(&again).unwrap(), reference);
    }
    for order in [ByteOrder::Little, ByteOrder::Big] {
        if let Ok(units) = from_stub::<StringArrayUnits>(data, order)
            && let Ok(array) = DualStringArray::from_units(&units)
        {
            let again = array.to_units().unwrap();
            assert_eq!(DualStringArray::from_units(&again).unwrap(), array);
        }
        if let Ok(pointer) = from_stub::<InterfacePointer>(data, order) {
            let _ = pointer.reference();
        }
    }
}
