//! `IOPCGroupStateMgt`

use super::server::PointerOut;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Unique, WideString};

armilla_dcerpc::ndr_interface! {
    /// How a group behaves.
    pub(crate) const GROUP_STATE = "39c13a50-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => GetState(()) -> State;
    4 => SetState(SetStateIn) -> SetStateOut;
    5 => SetName(SetNameIn) -> ();
    6 => CloneGroup(CloneIn) -> PointerOut;
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct State {
        pub(crate) rate: u32,
        pub(crate) active: u32,
        pub(crate) name: Unique<WideString>,
        pub(crate) bias: i32,
        pub(crate) dead_band: f32,
        pub(crate) locale: u32,
        pub(crate) client_handle: u32,
        pub(crate) server_handle: u32,
    }
    pub(crate) struct SetStateIn {
        pub(crate) rate: Unique<u32>,
        pub(crate) active: Unique<u32>,
        pub(crate) bias: Unique<i32>,
        pub(crate) dead_band: Unique<f32>,
        pub(crate) locale: Unique<u32>,
        pub(crate) client_handle: Unique<u32>,
    }
    pub(crate) struct SetStateOut {
        pub(crate) rate: u32,
    }
    pub(crate) struct SetNameIn {
        pub(crate) name: WideString,
    }
    pub(crate) struct CloneIn {
        pub(crate) name: WideString,
        pub(crate) iid: Uuid,
    }
}
