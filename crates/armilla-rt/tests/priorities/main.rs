//! Real-time CORBA: priorities of calls and connections, thread pools and their lanes, schedulers.

mod bands;
mod client_priorities;
mod collocated;
mod common;
mod corpus;
mod ends;
mod forgetting;
mod forwarding;
mod hostile;
mod kinds_of_calls;
mod lanes;
mod local_lanes;
mod measuring;
mod policies;
mod scheduler;
mod standard_names;
mod steady_lane;
mod tao;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

#[path = "../../../../tests/src/alone.rs"]
#[allow(dead_code, unreachable_pub)]
mod alone;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;
