//! Event channels: in a process, between processes, and of a multicast group.

mod channel;
mod common;
mod corpus;
mod gone;
mod multicast;
mod remote;
mod service;
mod shares;

#[path = "../../../../tests/src/alone.rs"]
#[allow(dead_code, unreachable_pub)]
mod alone;
