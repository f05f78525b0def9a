//! Active objects: what the ORB knows about each, and how their ids lead to them.

pub(super) mod activation;
pub(super) mod ids;
pub(super) mod index;
#[cfg(feature = "demultiplexing-strategies")]
pub(super) mod perfect;
pub(super) mod servants;
#[cfg_attr(not(feature = "demultiplexing-strategies"), path = "one_strategy.rs")]
pub(super) mod strategies;
