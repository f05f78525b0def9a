//! Whether a call may begin: POA managers, thread policies, servers that start, and circles of
//! threads that wait for one another.

pub(super) mod gate;
pub(super) mod manager;
pub(super) mod managers;
pub(super) mod startup;
pub(super) mod waits;
