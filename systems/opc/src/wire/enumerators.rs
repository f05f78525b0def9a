//! The enumerators: strings, GUIDs, objects, and the items of a group

use super::server::PointerOut;
use super::{Array, ItemAttributes};
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{ConformantVarying, Unique, WideString};
use armilla_dcom::InterfacePointer;

armilla_dcerpc::ndr_interface! {
    /// `IEnumString`
    pub(crate) const ENUM_STRING = "00000101-0000-0000-c000-000000000046", 0, 0;
    3 => NextStrings(CountIn) -> StringsOut;
}

armilla_dcerpc::ndr_interface! {
    /// `IEnumGUID`
    pub(crate) const ENUM_GUID = "0002e000-0000-0000-c000-000000000046", 0, 0;
    3 => NextGuids(CountIn) -> GuidsOut;
}

armilla_dcerpc::ndr_interface! {
    /// `IOPCEnumGUID`: the same with a name of its own.
    pub(crate) const OPC_ENUM_GUID = "55c382c8-21c7-4e88-96c1-becfb1e3f483", 0, 0;
}

armilla_dcerpc::ndr_interface! {
    /// `IEnumUnknown`
    pub(crate) const ENUM_UNKNOWN = "00000100-0000-0000-c000-000000000046", 0, 0;
    3 => NextObjects(CountIn) -> ObjectsOut;
}

armilla_dcerpc::ndr_interface! {
    /// `IEnumOPCItemAttributes`
    pub(crate) const ENUM_ATTRIBUTES = "39c13a55-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => NextAttributes(CountIn) -> AttributesOut;
    // What follows is the same for all enumerators.
    4 => Skip(CountIn) -> ();
    5 => Reset(()) -> ();
    6 => CloneEnumerator(()) -> PointerOut;
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct CountIn {
        pub(crate) count: u32,
    }
    pub(crate) struct StringsOut {
        pub(crate) elements: ConformantVarying<Unique<WideString>>,
        pub(crate) count: u32,
    }
    pub(crate) struct GuidsOut {
        pub(crate) elements: ConformantVarying<Uuid>,
        pub(crate) count: u32,
    }
    pub(crate) struct ObjectsOut {
        pub(crate) elements: ConformantVarying<Unique<InterfacePointer>>,
        pub(crate) count: u32,
    }
    pub(crate) struct AttributesOut {
        pub(crate) elements: Array<ItemAttributes>,
        pub(crate) count: u32,
    }
}
