//! The threads of a server: which thread serves which connection, and who leads it.

pub(super) mod connection_slot;
pub(super) mod leadership;
pub(super) mod monitor;
pub(super) mod reactor_connection;
pub(super) mod reactor_pool;
pub(super) mod registry;
pub(super) mod served;
pub(super) mod served_by;
pub(super) mod worker;
pub(super) mod worker_status;
pub(super) mod worker_threads;
pub(super) mod workers;
