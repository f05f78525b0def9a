//! `IOPCItemProperties`

use super::Array;
use armilla_dcerpc::ndr::{Conformant, Unique, WideString};
use armilla_dcom::automation::VariantPointer;

armilla_dcerpc::ndr_interface! {
    /// What is known of an item.
    pub(crate) const PROPERTIES = "39c13a72-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => QueryAvailableProperties(AvailableIn) -> AvailableOut;
    4 => GetItemProperties(PropertiesIn) -> PropertiesOut;
    5 => LookupItemIds(PropertiesIn) -> LookupOut;
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct AvailableIn {
        pub(crate) id: WideString,
    }
    pub(crate) struct AvailableOut {
        pub(crate) count: u32,
        pub(crate) properties: Array<u32>,
        pub(crate) descriptions: Array<Unique<WideString>>,
        pub(crate) types: Array<u16>,
    }
    pub(crate) struct PropertiesIn {
        pub(crate) id: WideString,
        pub(crate) count: u32,
        pub(crate) properties: Conformant<u32>,
    }
    pub(crate) struct PropertiesOut {
        pub(crate) values: Array<VariantPointer>,
        pub(crate) errors: Array<u32>,
    }
    pub(crate) struct LookupOut {
        pub(crate) ids: Array<Unique<WideString>>,
        pub(crate) errors: Array<u32>,
    }
}
