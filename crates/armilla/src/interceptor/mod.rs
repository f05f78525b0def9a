//! Portable interceptors (CORBA 3.4 Part 1, 16): code that sees every request of an ORB on its way,
//! at both ends, and every reference that the ORB makes.
//!
//! A [`ClientInterceptor`] is called before a request is sent and when its answer has come, a
//! [`ServerInterceptor`] when a request has arrived and before its answer leaves. Both may read and
//! add [service contexts](Contexts), which travel beside the arguments and which the code that makes
//! the call knows nothing of; they may end a request with an exception or send it elsewhere
//! ([`Interruption`]). An [`IorInterceptor`] adds components to the references of POAs, or makes them itself. What a service keeps for
//! a thread goes through [slots](PiCurrent) into the interceptors of the calls of that thread.
//!
//! They are registered while the ORB is made, each by itself or by an [`OrbInitializer`], and called
//! in that order at the beginning of a request. At its end they are called in the opposite order,
//! and only those whose beginning succeeded:
//!
//! | | begins with | ends with one of |
//! |---|---|---|
//! | client | [`send_request`](ClientInterceptor::send_request) | [`receive_reply`](ClientInterceptor::receive_reply), [`receive_exception`](ClientInterceptor::receive_exception), [`receive_other`](ClientInterceptor::receive_other) |
//! | server | [`receive_request_service_contexts`](ServerInterceptor::receive_request_service_contexts), then [`receive_request`](ServerInterceptor::receive_request) | [`send_reply`](ServerInterceptor::send_reply), [`send_exception`](ServerInterceptor::send_exception), [`send_other`](ServerInterceptor::send_other) |
//!
//! An interceptor that interrupts at the end changes how the request ends for those that are still to
//! be called; one that panics has raised `UNKNOWN`, where it can raise anything. A request that is tried
//! again, after a forward or a failure, begins again.
//!
//! ```
//! use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
//! use armilla::Orb;
//!
//! /// Tells every server who is calling.
//! struct Badge(String);
//!
//! const BADGE: u32 = 0x4241_4400;
//!
//! impl ClientInterceptor for Badge {
//!     fn send_request(&self, request: &mut ClientRequestInfo<'_>) -> Result<(), Interruption> {
//!         request.add_request_service_context(BADGE, self.0.as_bytes(), false)?;
//!         Ok(())
//!     }
//! }
//!
//! let orb = Orb::builder().client_interceptor(Badge("Vega".into())).build()?;
//! # Ok::<(), armilla::SystemException>(())
//! ```
//!
//! An ORB without interceptors pays one test of a pointer for them. Calls within a process, which
//! else go straight to the servant, are encoded and decoded where any interceptor wants to see them, as
//! its [`ProcessingMode`] says.
//!
//! Arguments, results and exceptions are read from the octets of requests and replies when an
//! interceptor asks for them, by what the IDL says of the operation, or the program that calls
//! [dynamically](crate::dynamic::Request), or the [dynamic](crate::dynamic::DynamicServant) servant, by
//! whose word interceptors wait for that reason. Not offered: `send_poll`, since nothing is polled.
//!
//! A service that wants to be told what to do for an object or a call defines
//! [policies](crate::CustomPolicy) of its own, which programs put on POAs and references, and which
//! interceptors find there.

mod initializer;
mod registry;

pub use crate::client::interception::{ClientInterceptor, ClientRequestInfo, Interruption};
pub use crate::interception::{
    Codec, Contexts, Outcome, PiCurrent, ProcessingMode, ReplyStatus, SlotId,
};
pub use crate::server::interception::{
    IorInfo, IorInterceptor, ObjectReferenceFactory, ObjectReferenceTemplate, ServerInterceptor,
    ServerRequestInfo,
};
pub use initializer::{OrbInitInfo, OrbInitializer};
pub(crate) use registry::Registration;
