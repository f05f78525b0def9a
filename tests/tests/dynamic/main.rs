//! What is known only at run time: TypeCodes, anys, dynamic values, requests and servants.

mod anys;
mod dynamic_calls;
mod dynamic_components;
mod dynamic_cycles;
mod dynamic_depth;
mod dynamic_inheritance;
mod dynamic_requests;
mod dynamic_servants;
mod dynamic_servants_intercepted;
mod dynamic_values;
#[path = "../../../crates/armilla-cdr/tests/random/mod.rs"]
mod random;
