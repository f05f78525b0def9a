//! `IOPCItemMgt`

use super::server::PointerOut;
use super::{Array, ItemDefinition, ItemResult};
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::Conformant;

armilla_dcerpc::ndr_interface! {
    /// The items of a group.
    pub(crate) const ITEM_MANAGEMENT = "39c13a54-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => AddItems(AddItemsIn) -> AddItemsOut;
    4 => ValidateItems(ValidateItemsIn) -> AddItemsOut;
    5 => RemoveItems(HandlesIn) -> ErrorsOut;
    6 => SetActiveState(ActiveIn) -> ErrorsOut;
    7 => SetClientHandles(ClientHandlesIn) -> ErrorsOut;
    8 => SetDatatypes(DatatypesIn) -> ErrorsOut;
    9 => CreateEnumerator(EnumeratorIn) -> PointerOut;
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct AddItemsIn {
        pub(crate) count: u32,
        pub(crate) items: Conformant<ItemDefinition>,
    }
    pub(crate) struct AddItemsOut {
        pub(crate) results: Array<ItemResult>,
        pub(crate) errors: Array<u32>,
    }
    pub(crate) struct ValidateItemsIn {
        pub(crate) count: u32,
        pub(crate) items: Conformant<ItemDefinition>,
        pub(crate) update_blobs: u32,
    }
    pub(crate) struct HandlesIn {
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
    }
    pub(crate) struct ErrorsOut {
        pub(crate) errors: Array<u32>,
    }
    pub(crate) struct ActiveIn {
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
        pub(crate) active: u32,
    }
    pub(crate) struct ClientHandlesIn {
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
        pub(crate) client_handles: Conformant<u32>,
    }
    pub(crate) struct DatatypesIn {
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
        pub(crate) types: Conformant<u16>,
    }
    pub(crate) struct EnumeratorIn {
        pub(crate) iid: Uuid,
    }
}
