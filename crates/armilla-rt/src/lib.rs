//! Real-time CORBA over Armilla: priorities kept from end to end (Real-Time CORBA 1.2).
//!
//! A [`Priority`] is a number that every host understands; a [`PriorityMapping`] turns it into a
//! class and a priority of the operating system. [`Platform`] says what of real time this host
//! grants, and does what can be done.
//!
//! A [`RtOrb`] makes [thread pools](Threadpool) with a lane for each priority, and
//! [POAs](RtPoa) whose servants run at the priority of the client, or at one that the server
//! declares. Calls go to the lane of their thread's priority ([`RtCurrent`]), and carry it.
//! `docs/real-time.md` in the repository has the whole.
//!
//! A [`Scheduler`] decides by deadlines or by criticality which request of a pool runs next: earliest
//! deadline first, or maximum urgency first, which cancels late work that is not critical.
//!
//! Nothing here is silent: a priority without a native one, two lanes on one native priority, a
//! privilege that is missing, is an [`RtError`] that names the object, the policy, its value and
//! the remedy.

mod banded;
mod client;
mod current;
mod dispatch;
mod error;
mod measure;
mod orb;
mod platform;
mod poa;
mod policy;
mod priority;
mod protocol;
mod scheduler;
mod shared_pools;
mod standard;
mod tasks;
mod threadpool;
mod wire;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("RTCORBA");
}

pub use armilla_ipc::real_time::{PiMutex, PiMutexGuard, Scheduling};
pub use client::ClientPolicies;
pub use current::RtCurrent;
pub use error::{RtError, RtErrorKind};
#[doc(inline)]
pub use idl::rtcorba;
pub use measure::Measurement;
pub use orb::RtOrb;
pub use platform::{Finding, Grant, Platform, PlatformReport};
pub use poa::{RtPoa, RtPoaBuilder};
pub use policy::RtPolicy;
pub use priority::{
    ContinuousMapping, DirectMapping, LinearMapping, NativeRange, Priority, PriorityMapping,
    PriorityTransform, TableMapping,
};
pub use protocol::{Protocol, ProtocolProperties, ProtocolType, network_priority};
pub use scheduler::{OperationStatistics, Scheduler, SchedulerOptions};
pub use standard::PolicyObject;
pub use tasks::tasks_of;
pub use threadpool::{
    BelowHighest, LaneOptions, LaneReport, RequestBuffering, Threadpool, ThreadpoolOptions,
};
pub use wire::{
    BIND_PRIORITY_BAND, ExposedPolicies, LaneLocalEndpoint, PriorityModel,
    RT_CORBA_PRIORITY_CONTEXT, RT_CORBA_PRIORITY_RANGE_CONTEXT, TAG_LANE_LOCAL_ENDPOINT,
    TAG_POLICIES, TAO_TAG_ENDPOINTS, TaoEndpoint, TaoEndpoints, decode_priority,
    decode_priority_range, encode_priority, encode_priority_range,
};

/// Compiles the examples of the page on real time.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/real-time.md")]
struct RealTimePage;

/// Compiles the example of the page on scheduling.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/scheduling.md")]
struct SchedulingPage;
