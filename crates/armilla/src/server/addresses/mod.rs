//! Where the ORB is reached: its own addresses, and what references say about its endpoints.

pub(super) mod own_addresses;
pub(super) mod publications;
