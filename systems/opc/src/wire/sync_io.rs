//! `IOPCSyncIO`

use super::item_management::ErrorsOut;
use super::{Array, ItemState};
use armilla_dcerpc::ndr::Conformant;
use armilla_dcom::automation::VariantPointer;

armilla_dcerpc::ndr_interface! {
    /// Reads and writes that the caller waits for.
    pub(crate) const SYNC_IO = "39c13a52-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => Read(ReadIn) -> ReadOut;
    4 => Write(WriteIn) -> ErrorsOut;
}

/// Where values are read from: the copy that the server keeps.
pub(crate) const CACHE: u16 = 1;
/// Where values are read from: the device.
pub(crate) const DEVICE: u16 = 2;

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct ReadIn {
        pub(crate) source: u16,
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
    }
    pub(crate) struct ReadOut {
        pub(crate) states: Array<ItemState>,
        pub(crate) errors: Array<u32>,
    }
    pub(crate) struct WriteIn {
        pub(crate) count: u32,
        pub(crate) handles: Conformant<u32>,
        pub(crate) values: Conformant<VariantPointer>,
    }
}
