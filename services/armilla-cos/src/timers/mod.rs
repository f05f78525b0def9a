//! Timer events (Time Service 1.1, 2): events that are pushed when it is time.
//!
//! `model` says what is due, `service` waits for it and pushes, `store` keeps timers, `servant` has the
//! objects.

pub mod model;
mod servant;
mod service;
mod store;

/// The interfaces, generated from `idl/CosTimerEvent.idl`.
#[allow(missing_docs)]
pub mod corba {
    pub use crate::idl::time::armilla_timers::KeptTimer;
    pub use crate::idl::time::cos_event_comm::{PushConsumer, PushConsumerRef, push_consumer};
    pub use crate::idl::time::cos_timer_event::*;
}

pub use servant::KEY;
pub use service::{TimerOptions, TimerService};
pub use store::Store;
