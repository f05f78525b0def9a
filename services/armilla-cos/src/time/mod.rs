//! Time (Time Service 1.1): times that say how inaccurate they are, and intervals.
//!
//! `model` compares them, `clock` tells the time, `servant` has the objects.

mod clock;
pub mod model;
mod servant;

/// The interfaces, generated from `idl/CosTime.idl`.
#[allow(missing_docs)]
pub mod corba {
    pub use crate::idl::time::cos_time::*;
    pub use crate::idl::time::time_base::{InaccuracyT, IntervalT, TdfT, TimeT, UtcT};
}

pub use clock::{Clock, Reading, SystemClock};
pub use servant::{KEY, TimeOptions, TimeService};
pub(crate) use servant::{told, utc, wire};
