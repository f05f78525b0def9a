//! Sensors at 10, 20, 50 and 100 Hz, a navigation, a head-up display and a recorder, over the
//! real-time event channel. The timing stands in `idl/avionics.idl`.

pub mod flight;
pub mod instruments;
pub mod page;
pub mod plan;
pub mod view;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("avionics");
}

pub use idl::avionics;
