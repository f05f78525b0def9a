//! Portable interceptors (CORBA 3.4 Part 1, 16): code that sees every request of an ORB, on the
//! client and the server side, and every reference that the ORB creates.
//!
//! A [`ClientInterceptor`] runs before a request is sent and after its reply was received. A
//! [`ServerInterceptor`] runs when a request was received and before its reply is sent. Both can
//! read and add [service contexts](Contexts), which travel beside the arguments, unseen by the
//! calling code. Both can end a request with an exception or forward it ([`Interruption`]). An
//! [`IorInterceptor`] adds components to the references of POAs, or creates the references.
//! [Slots](PiCurrent) carry data of a thread to the interceptors of its calls.
//!
//! Interceptors are registered while the ORB is created, each by itself or by an
//! [`OrbInitializer`]. At the start of a request they run in the order of registration. At its end
//! they run in the opposite order, and only those whose starting point succeeded:
//!
//! - The client starts with [`send_request`] and ends with one of [`receive_reply`],
//!   [`receive_exception`] and [`receive_other`].
//! - The server starts with [`receive_request_service_contexts`] and [`receive_request`], and ends
//!   with one of [`send_reply`], [`send_exception`] and [`send_other`].
//!
//! [`send_request`]: ClientInterceptor::send_request
//! [`receive_reply`]: ClientInterceptor::receive_reply
//! [`receive_exception`]: ClientInterceptor::receive_exception
//! [`receive_other`]: ClientInterceptor::receive_other
//! [`receive_request_service_contexts`]: ServerInterceptor::receive_request_service_contexts
//! [`receive_request`]: ServerInterceptor::receive_request
//! [`send_reply`]: ServerInterceptor::send_reply
//! [`send_exception`]: ServerInterceptor::send_exception
//! [`send_other`]: ServerInterceptor::send_other
//!
//! An interceptor that interrupts at the end changes the outcome for those that run after it. A
//! panic of an interceptor counts as `UNKNOWN` where it could raise an exception. A request that is
//! sent again, after a forward or a failure, starts again with the first point.
//!
//! ```
//! use armilla::interceptor::{ClientInterceptor, ClientRequestInfo, Interruption};
//! use armilla::Orb;
//!
//! /// Identifies the caller to every server.
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
//! An ORB without interceptors pays one test of a pointer per call. Calls within a process, which
//! otherwise go directly to the servant, are encoded and decoded if the [`ProcessingMode`] of any
//! interceptor asks for them.
//!
//! Arguments, results and exceptions are decoded from requests and replies when an interceptor asks
//! for them. The signature comes from IDL, from the program for [dynamic
//! calls](crate::dynamic::Request), or from a [dynamic servant](crate::dynamic::DynamicServant). In
//! the last case the interceptors run only once the servant has declared its arguments. `send_poll`
//! is not offered, because the ORB has no polling.
//!
//! A service that needs options for an object or a call defines [policies](crate::CustomPolicy) of
//! its own. Programs set them on POAs and references, and interceptors read them there.

mod initializer;
mod registry;

pub use crate::client::interception::{ClientInterceptor, ClientRequestInfo, Interruption};
pub use crate::interception::{
    Codec, Contexts, Outcome, PiCurrent, ProcessingMode, ReplyStatus, SlotId,
};
pub use crate::server::interception::{
    IorInfo, IorInterceptor, ObjectReferenceTemplate, ProfileAddresses, ServerInterceptor,
    ServerRequestInfo,
};
pub use crate::server::poa::ObjectReferenceFactory;
pub use initializer::{OrbInitInfo, OrbInitializer};
pub(crate) use registry::Registration;
