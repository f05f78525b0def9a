//! `IOPCBrowseServerAddressSpace`

use super::server::PointerOut;
use armilla_dcerpc::ndr::{Unique, WideString};

armilla_dcerpc::ndr_interface! {
    /// Which items there are.
    pub(crate) const BROWSE = "39c13a4f-011e-11d0-9675-0020afd8adb3", 0, 0;
    3 => QueryOrganization(()) -> OrganizationOut;
    4 => ChangeBrowsePosition(PositionIn) -> ();
    5 => BrowseItemIds(BrowseIn) -> PointerOut;
    6 => GetItemId(NameIn) -> ItemIdOut;
    7 => BrowseAccessPaths(NameIn) -> PointerOut;
}

/// The items form a tree.
pub(crate) const HIERARCHICAL: u16 = 1;

/// To the branch above.
pub(crate) const UP: u16 = 1;
/// To a branch below.
pub(crate) const DOWN: u16 = 2;
/// To a branch by its whole name.
pub(crate) const TO: u16 = 3;

/// What is below that has something below itself.
pub(crate) const BRANCHES: u16 = 1;
/// The items.
pub(crate) const LEAVES: u16 = 2;
/// The items at all depths.
pub(crate) const FLAT: u16 = 3;

armilla_dcerpc::ndr_parameters! {
    pub(crate) struct OrganizationOut {
        pub(crate) organization: u16,
    }
    pub(crate) struct PositionIn {
        pub(crate) direction: u16,
        pub(crate) name: WideString,
    }
    pub(crate) struct BrowseIn {
        pub(crate) kind: u16,
        pub(crate) filter: WideString,
        pub(crate) data_type: u16,
        pub(crate) rights: u32,
    }
    pub(crate) struct NameIn {
        pub(crate) name: WideString,
    }
    pub(crate) struct ItemIdOut {
        pub(crate) id: Unique<WideString>,
    }
}
