//! Extension of remoting for single objects, at run time and transparently for callers.
//!
//! A tagged component of a reference ([`Object::with_component`](crate::Object::with_component))
//! selects an extension that is registered at the client's ORB. Clients that do not know the
//! component call the object as usual. There are three places for an extension:
//!
//! - **Above** the stub: [`Orb::register_stub_factory`](crate::Orb::register_stub_factory)
//!   registers a factory of smart proxies. A proxy implements the trait of the interface. It may
//!   cache results, batch calls, or choose among servers. The caller has an `AccountRef` as usual.
//! - **Within**: a smart proxy may also use its own marshalling, by calling an additional operation
//!   of the object with [`Ref::invoke`](crate::Ref::invoke). The server puts a [`Skeleton`] that
//!   understands the operation before the generated one.
//! - **Below**: a [`Transport`](crate::transport::Transport) reads another address of the object
//!   from the component.
//!
//! `examples/remoting-above`, `remoting-within` and `remoting-below` show one each.

pub use crate::server::{DispatchError, Dispatched, ServerCall, Skeleton};
