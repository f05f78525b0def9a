//! Client interception (CORBA 3.4 Part 1, 16.3.5): the interceptor trait, and the part of a call
//! that runs the interceptors.
//!
//! What both sides share is in [`crate::interception`].

mod client;
mod flow;
mod interruption;
mod registry;
mod steps;

pub use client::{ClientInterceptor, ClientRequestInfo};
pub(crate) use flow::{Attempt, FlowTarget, Intercepted};
pub use interruption::Interruption;
pub(crate) use registry::Interceptors;
pub(crate) use steps::{Ended, user_exception_id};
