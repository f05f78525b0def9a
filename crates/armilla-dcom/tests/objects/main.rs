//! Clients and servers of objects over TCP.

#[path = "../../examples/study/adder.rs"]
mod adder;
mod by_name;
mod calls;
mod described;
mod failures;
mod lifetime;
mod plant;
mod quotas;
mod remoting;
mod strangers;
#[path = "../../examples/remoting/strings.rs"]
mod strings;
#[path = "../../examples/study/interface.rs"]
#[allow(dead_code)]
mod study;
