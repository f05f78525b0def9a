//! Remoting that is extended object by object, while programs run and without a change to callers.
//!
//! A reference says in a tagged component that there is more to know about its object
//! ([`Object::with_component`](crate::Object::with_component)); what is registered at the client's ORB
//! for that component answers. Clients that do not know the component call the object as any other.
//! There are three places for it:
//!
//! - **Above** the stub: [`Orb::register_stub_factory`](crate::Orb::register_stub_factory) names what
//!   makes an implementation of the interface's trait that stands before the object. It may keep
//!   results, collect calls, or choose among servers. The caller has an `AccountRef` as ever.
//! - **Within**: such an implementation may also marshal in its own way, by calling the object with
//!   [`Ref::invoke`](crate::Ref::invoke) and an operation of its own. The server
//!   puts a [`Skeleton`] before the generated one that understands that operation.
//! - **Below**: a [`Transport`](crate::transport::Transport) finds in the component where else the
//!   object can be reached.
//!
//! `examples/remoting-above`, `remoting-within` and `remoting-below` are one of each.

pub use crate::server::{DispatchError, Dispatched, ServerCall, Skeleton};
