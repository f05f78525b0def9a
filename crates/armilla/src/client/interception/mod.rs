//! The interception points of the client (CORBA 3.4 Part 1, 16.3.5): the interceptors of requests
//! that leave, and the way of a call that they see.

mod client;
mod client_flow;
mod interruption;
mod registry;
mod suspended;

pub use client::{ClientInterceptor, ClientRequestInfo};
pub(crate) use client_flow::{ClientFlow, FlowTarget};
pub use interruption::Interruption;
pub(crate) use registry::Interceptors;
pub(crate) use suspended::{Attempt, Suspended};
