//! What the interfaces of OPC have in common on the wire.

use crate::data_access::Filetime;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::ndr::{Unique, WideString};
use std::time::Duration;

/// The class of `OpcEnum`, which every host with OPC servers has.
pub(crate) const OPC_ENUM: Uuid = Uuid::literal("13486d51-4821-11d2-a494-3cb306c10000");
/// The category of servers of Data Access 1.
pub(crate) const DATA_ACCESS_1: Uuid = Uuid::literal("63d5f430-cfe4-11d1-b2c8-0060083ba1fb");
/// The category of servers of Data Access 2.
pub(crate) const DATA_ACCESS_2: Uuid = Uuid::literal("63d5f432-cfe4-11d1-b2c8-0060083ba1fb");
/// The category of servers of Data Access 3.
pub(crate) const DATA_ACCESS_3: Uuid = Uuid::literal("cc603642-66d7-48f1-b69a-b625e73652d7");

/// A text as a result, or as a member.
pub(crate) fn text(text: &str) -> Unique<WideString> {
    Unique::new(text.into())
}

/// How many seconds 1970 is behind 1601.
const EPOCH: u64 = 11_644_473_600;

/// It counts units of 100 ns since 1601.
impl Filetime {
    /// The moment that long after 1970.
    pub(crate) fn from_unix(since: Duration) -> Self {
        let units = (since.as_secs() + EPOCH) * 10_000_000 + u64::from(since.subsec_nanos() / 100);
        Self { dw_low_date_time: units as u32, dw_high_date_time: (units >> 32) as u32 }
    }

    /// How long it is after 1970; nothing for what is before.
    pub(crate) fn to_unix(&self) -> Duration {
        let units = u64::from(self.dw_high_date_time) << 32 | u64::from(self.dw_low_date_time);
        let units = units.saturating_sub(EPOCH * 10_000_000);
        Duration::new(units / 10_000_000, (units % 10_000_000) as u32 * 100)
    }
}
