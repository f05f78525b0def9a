//! Clients and servers of objects over TCP.

mod by_name;
mod calls;
mod failures;
mod lifetime;
mod plant;
#[path = "../../examples/study/interface.rs"]
#[allow(dead_code)]
mod study;
