//! `IOPCServer`

use super::ServerStatus;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Unique, WideString};
use armilla_dcom::InterfacePointer;

armilla_dcerpc::ndr_interface! {
    /// A server of items.
    pub(crate) const SERVER = "39c13a4d-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => AddGroup(AddGroupIn) -> AddGroupOut;
    4 => GetErrorString(ErrorStringIn) -> ErrorStringOut;
    5 => GetGroupByName(GroupByNameIn) -> PointerOut;
    6 => GetStatus(()) -> GetStatusOut;
    7 => RemoveGroup(RemoveGroupIn) -> ();
    8 => CreateGroupEnumerator(GroupEnumeratorIn) -> PointerOut;
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct AddGroupIn {
        pub(crate) name: WideString,
        pub(crate) active: u32,
        pub(crate) rate: u32,
        pub(crate) client_handle: u32,
        pub(crate) bias: Unique<i32>,
        pub(crate) dead_band: Unique<f32>,
        pub(crate) locale: u32,
        pub(crate) iid: Uuid,
    }
    pub(crate) struct AddGroupOut {
        pub(crate) server_handle: u32,
        pub(crate) rate: u32,
        pub(crate) group: Unique<InterfacePointer>,
    }
    pub(crate) struct ErrorStringIn {
        pub(crate) error: u32,
        pub(crate) locale: u32,
    }
    pub(crate) struct ErrorStringOut {
        pub(crate) text: Unique<WideString>,
    }
    pub(crate) struct GroupByNameIn {
        pub(crate) name: WideString,
        pub(crate) iid: Uuid,
    }
    pub(crate) struct PointerOut {
        pub(crate) pointer: Unique<InterfacePointer>,
    }
    pub(crate) struct GetStatusOut {
        pub(crate) status: Unique<ServerStatus>,
    }
    pub(crate) struct RemoveGroupIn {
        pub(crate) server_handle: u32,
        pub(crate) force: u32,
    }
    pub(crate) struct GroupEnumeratorIn {
        pub(crate) scope: u16,
        pub(crate) iid: Uuid,
    }
}
