//! Calls to objects of the same process: they stay in the process, and have the limits of others.

mod asynchronous_local;
mod local_forwards;
mod local_limits;
mod local_limits_asking;
mod own_addresses;
