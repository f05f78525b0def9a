//! The structures that several interfaces share.

use super::Array;
use armilla_dcerpc::ndr::{Unique, WideString};
use armilla_dcom::automation::VariantPointer;
use std::time::Duration;

/// A `BOOL`.
pub(crate) fn boolean(value: bool) -> u32 {
    u32::from(value)
}

armilla_dcerpc::ndr_struct! {
    /// A moment in units of 100 ns since 1601 (`FILETIME`).
    #[derive(Copy)]
    pub(crate) struct FileTime {
        pub(crate) low: u32,
        pub(crate) high: u32,
    }
    /// `OPCSERVERSTATUS`
    pub(crate) struct ServerStatus {
        pub(crate) start: FileTime,
        pub(crate) current: FileTime,
        pub(crate) last_update: FileTime,
        pub(crate) state: u16,
        pub(crate) groups: u32,
        pub(crate) band_width: u32,
        pub(crate) major: u16,
        pub(crate) minor: u16,
        pub(crate) build: u16,
        pub(crate) reserved: u16,
        pub(crate) vendor: Unique<WideString>,
    }
    /// `OPCITEMDEF`
    pub(crate) struct ItemDefinition {
        pub(crate) access_path: Unique<WideString>,
        pub(crate) id: Unique<WideString>,
        pub(crate) active: u32,
        pub(crate) client_handle: u32,
        pub(crate) blob_size: u32,
        pub(crate) blob: Array<u8>,
        pub(crate) requested: u16,
        pub(crate) reserved: u16,
    }
    /// `OPCITEMRESULT`
    pub(crate) struct ItemResult {
        pub(crate) server_handle: u32,
        pub(crate) canonical: u16,
        pub(crate) reserved: u16,
        pub(crate) rights: u32,
        pub(crate) blob_size: u32,
        pub(crate) blob: Array<u8>,
    }
    /// `OPCITEMSTATE`
    pub(crate) struct ItemState {
        pub(crate) client_handle: u32,
        pub(crate) time: FileTime,
        pub(crate) quality: u16,
        pub(crate) reserved: u16,
        pub(crate) value: VariantPointer,
    }
    /// `OPCITEMATTRIBUTES`
    pub(crate) struct ItemAttributes {
        pub(crate) access_path: Unique<WideString>,
        pub(crate) id: Unique<WideString>,
        pub(crate) active: u32,
        pub(crate) client_handle: u32,
        pub(crate) server_handle: u32,
        pub(crate) rights: u32,
        pub(crate) blob_size: u32,
        pub(crate) blob: Array<u8>,
        pub(crate) requested: u16,
        pub(crate) canonical: u16,
        pub(crate) unit_kind: u16,
        pub(crate) unit: VariantPointer,
    }
}

/// How many seconds 1970 is behind 1601.
const EPOCH: u64 = 11_644_473_600;

impl FileTime {
    /// The moment that long after 1970.
    pub(crate) fn from_unix(since: Duration) -> Self {
        let units = (since.as_secs() + EPOCH) * 10_000_000 + u64::from(since.subsec_nanos() / 100);
        Self { low: units as u32, high: (units >> 32) as u32 }
    }

    /// How long it is after 1970; nothing for what is before.
    pub(crate) fn to_unix(self) -> Duration {
        let units = u64::from(self.high) << 32 | u64::from(self.low);
        let units = units.saturating_sub(EPOCH * 10_000_000);
        Duration::new(units / 10_000_000, (units % 10_000_000) as u32 * 100)
    }
}

impl ItemResult {
    /// The result for an item that was not added.
    pub(crate) const NONE: Self = Self {
        server_handle: 0,
        canonical: 0,
        reserved: 0,
        rights: 0,
        blob_size: 0,
        blob: Unique::NULL,
    };
}
