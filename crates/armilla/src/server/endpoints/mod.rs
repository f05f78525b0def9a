//! The endpoints at which a server listens, the connections that it takes in there,
//! and the references that lead there.

pub(super) mod admit;
pub(super) mod endpoint_group;
pub(super) mod listeners;
mod references;
mod unasked;
