//! The interception points of the server (CORBA 3.4 Part 1, 16.3.8 and 16.5): interceptors of
//! requests that arrive, and interceptors of POAs and the references that they make.

mod ior;
mod registry;
mod server;
mod server_flow;
mod template;

pub use super::addresses::publications::ProfileAddresses;
pub use ior::{IorInfo, IorInterceptor};
pub(crate) use registry::ServerInterceptors;
pub use server::{ServerInterceptor, ServerRequestInfo};
pub(crate) use server_flow::{Requester, ServerFlow};
pub use template::ObjectReferenceTemplate;
