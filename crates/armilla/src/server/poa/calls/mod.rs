//! The calls in progress: which objects are being called, and what each thread is serving.

pub(super) mod active_calls;
pub(super) mod current;
#[cfg(test)]
mod model;
