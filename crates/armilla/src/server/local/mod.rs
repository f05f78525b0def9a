//! Calls of this process to its own objects.

pub(super) mod collocated;
pub(super) mod in_process;
pub(super) mod local_objects;
