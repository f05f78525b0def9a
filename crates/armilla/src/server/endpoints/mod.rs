//! The endpoints at which a server listens, and the connections that it takes in there.

pub(super) mod admit;
pub(super) mod endpoint_group;
pub(super) mod listeners;
