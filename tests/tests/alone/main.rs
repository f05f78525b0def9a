//! Tests that need a process of their own, one after another: they count what belongs to a whole
//! process, such as allocations, memory and log lines. Each runs in a child of this process.

mod idle;
mod logs;
mod memory;
mod memory_given_back;
mod steady_state;
mod steady_state_fragments;
mod system_calls;
mod thousand;
mod unreachable_addresses;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;
