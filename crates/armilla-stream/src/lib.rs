//! Stream endpoints: octets that flow beside GIOP.
//!
//! An operation that would carry much data hands over an endpoint instead. The call is the
//! signalling: who listens, over which transports, with which token; how large, how fast, from where
//! on, checked how. The octets then flow over a connection of their own, as they are: from a file to
//! a socket and from a socket to a file without a copy, where the transport allows that.
//!
//! - The called side: [`Listener::agree`] turns a [`FlowRequest`] into a [`FlowAgreement`] and hands
//!   its end to a closure.
//! - The calling side: [`FlowRequest::connecting`] is the argument, [`FlowAgreement::collect`] makes
//!   its end of the result.
//! - The ends: a [`FlowProducer`] is a [`Write`](std::io::Write), a [`FlowConsumer`] a
//!   [`Read`](std::io::Read). With the feature `futures-io` either becomes an end for tasks
//!   (`FlowConsumer::into_async`, `FlowProducer::into_async`).
//! - From anywhere: a [`FlowControl`] tells how far a flow is, holds it back and cancels it;
//!   [`activate_control`] makes it an object.
//!
//! A flow that is cut says how far it came ([`StreamError::resumes_at`]); the next call asks for the
//! rest. An end of a flow is never silent: a consumer reads "end" only when everything has come and
//! its checksum is right, and a producer's [`finish`](FlowProducer::finish) returns only when the
//! consumer has said so.
//!
//! ```
//! use armilla_stream::{
//!     Checksum, FlowConsumer, FlowOptions, FlowProducer, FlowRequest, FlowSpec, Listener,
//! };
//! use std::io::{Read, Write};
//!
//! let listener = Listener::builder().tcp("127.0.0.1", 0).unix().start()?;
//!
//! // The servant of an operation `FlowAgreement fetch(in FlowRequest request)`:
//! let request = FlowRequest::connecting(0).with_checksum(Checksum::Sha256);
//! let serve = |producer: Result<FlowProducer, _>| {
//!     let sent = producer.and_then(|mut producer| {
//!         producer.write_all(b"pixels").expect("the consumer reads to the end");
//!         producer.finish()
//!     });
//!     assert_eq!(sent.unwrap().octets, 6);
//! };
//! let (agreement, _control) = listener.agree(&request, FlowSpec::sized(6), serve)?;
//!
//! // Its caller:
//! let mut consumer: FlowConsumer = agreement.collect(&FlowOptions::default())?;
//! let mut pixels = Vec::new();
//! consumer.read_to_end(&mut pixels)?;
//! assert_eq!(pixels, b"pixels");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/streams.md` has the protocol and says which words of A/V Streams are used.

#![forbid(unsafe_code)]

mod carrier;
mod checksum;
mod connect;
mod control;
mod error;
mod flow;
mod idle;
mod limits;
mod listener;
mod negotiate;
mod protected;
mod reach;
mod reactor;
mod servant;
mod token;
pub mod wire;

#[cfg(feature = "futures-io")]
mod asynchronous;

mod generated {
    armilla::include_idl!("Streams");
}
use generated::streams as idl;

#[cfg(feature = "futures-io")]
pub use asynchronous::{AsyncFlowConsumer, AsyncFlowProducer};
pub use checksum::RunningChecksum;
pub use connect::connect;
pub use control::FlowControl;
pub use error::StreamError;
pub use flow::{FlowConsumer, FlowEnd, FlowProducer, FlowSummary};
pub use generated::streams::*;
pub use limits::FlowOptions;
pub use listener::{Listener, ListenerBuilder, Offer};
pub use protected::Protected;
pub use reach::Reach;
pub use servant::activate_control;
pub use token::Token;
