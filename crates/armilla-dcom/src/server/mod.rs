//! A server of objects: resolver, activation, and the objects themselves. (Feature `driver`.)
//!
//! One process does all of it, at one address or two: clients find the resolver at port 135 of a
//! host, unless a reference names another one.

mod activation;
mod builder;
mod dispatch;
mod exports;
mod object;
mod references;
mod resolver;
mod service;
mod type_info;
mod users;

pub use builder::{Server, ServerBuilder, ServerOptions};
pub use dispatch::{Dispatched, Enumerator, Failure, Invocation, Scriptable};
pub use exports::Exports;
pub use object::{Caller, Factory, Marshalling, Object, ObjectCall};
pub use type_info::class_info;
pub use users::{Usage, UserQuotas, UserUse};
