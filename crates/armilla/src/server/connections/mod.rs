//! The connections of a server: reading requests, sending replies, and ending.

pub(super) mod bidirectional;
pub(super) mod closing;
pub(super) mod connection;
pub(super) mod listen_points;
#[cfg(test)]
mod offers_model;
pub(super) mod output;
pub(super) mod reactor;
pub(super) mod receiving;
pub(super) mod refusals;
pub(super) mod served;
pub(super) mod slowness;
