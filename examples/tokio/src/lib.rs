//! Armilla under tokio: a servant that answers from a task, calls that are awaited, and a stream of
//! `armilla-ipc` that a task reads. `docs/tokio.md` explains each.

#![forbid(unsafe_code)]

pub mod line;
pub mod station;

armilla::include_idl!("weather");
