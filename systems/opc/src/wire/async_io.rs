//! `IOPCAsyncIO2`

use super::Array;
use armilla_dcerpc::ndr::Conformant;
use armilla_dcom::automation::VariantPointer;

armilla_dcerpc::ndr_interface! {
    /// Reads and writes whose results a sink is told.
    pub(crate) const ASYNC_IO = "39c13a71-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => Read(ReadIn) -> StartedOut;
    4 => Write(WriteIn) -> StartedOut;
    5 => Refresh(RefreshIn) -> CancelId;
    6 => Cancel(CancelId) -> ();
    7 => SetEnable(Enable) -> ();
    8 => GetEnable(()) -> Enable;
}

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct ReadIn {
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
        pub(crate) transaction: u32,
    }
    pub(crate) struct WriteIn {
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
        pub(crate) values: Conformant<VariantPointer>,
        pub(crate) transaction: u32,
    }
    pub(crate) struct StartedOut {
        pub(crate) cancel: u32,
        pub(crate) errors: Array<u32>,
    }
    pub(crate) struct RefreshIn {
        pub(crate) source: u16,
        pub(crate) transaction: u32,
    }
    pub(crate) struct CancelId {
        pub(crate) cancel: u32,
    }
    pub(crate) struct Enable {
        pub(crate) enabled: u32,
    }
}
