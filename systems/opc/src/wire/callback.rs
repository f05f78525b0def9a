//! `IOPCDataCallback` and `IOPCShutdown`, which clients implement

use super::FileTime;
use armilla_dcerpc::ndr::{Conformant, WideString};
use armilla_dcom::automation::VariantPointer;

armilla_dcerpc::ndr_interface! {
    /// A client that is told of values.
    pub(crate) const DATA_CALLBACK = "39c13a70-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => OnDataChange(DataIn) -> ();
    4 => OnReadComplete(DataIn) -> ();
    5 => OnWriteComplete(WrittenIn) -> ();
    6 => OnCancelComplete(CancelledIn) -> ();
}

armilla_dcerpc::ndr_interface! {
    /// A client that is told that a server ends.
    pub(crate) const SHUTDOWN = "f31dfde1-07b6-11d2-b2d8-0060083ba1fb", 0, 0;
    3 => ShutdownRequest(ShutdownIn) -> ();
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct DataIn {
        pub(crate) transaction: u32,
        pub(crate) group: u32,
        pub(crate) master_quality: u32,
        pub(crate) master_error: u32,
        pub(crate) count: u32,
        pub(crate) client_handles: Conformant<u32>,
        pub(crate) values: Conformant<VariantPointer>,
        pub(crate) qualities: Conformant<u16>,
        pub(crate) times: Conformant<FileTime>,
        pub(crate) errors: Conformant<u32>,
    }
    pub(crate) struct WrittenIn {
        pub(crate) transaction: u32,
        pub(crate) group: u32,
        pub(crate) master_error: u32,
        pub(crate) count: u32,
        pub(crate) client_handles: Conformant<u32>,
        pub(crate) errors: Conformant<u32>,
    }
    pub(crate) struct CancelledIn {
        pub(crate) transaction: u32,
        pub(crate) group: u32,
    }
    pub(crate) struct ShutdownIn {
        pub(crate) reason: WideString,
    }
}
