//! The threads of a server: which thread serves which connection, and who leads it.

pub(super) mod connection_slot;
pub(super) mod leadership;
pub(super) mod monitor;
pub(super) mod reactor_pool;
pub(super) mod registry;
pub(super) mod worker_status;
pub(super) mod workers;
