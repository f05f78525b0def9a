//! Clients and servers of objects over TCP.

mod calls;
mod failures;
mod lifetime;
mod plant;
#[path = "../../examples/study/interface.rs"]
#[allow(dead_code)]
mod study;
