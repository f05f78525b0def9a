//! The POAs of an ORB, from the root down: creating and finding them.

pub(super) mod adapters;
pub(super) mod builder;
pub(super) mod tree;
