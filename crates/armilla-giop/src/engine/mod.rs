//! What an end of a connection has to remember between messages: state machines that are told what
//! came and what the time is, and say what is to be done.
//!
//! A [`Framer`](crate::Framer) makes messages of octets; an [`Initiator`] knows which requests of a
//! client's connection wait for a reply and what became of each; a [`Responder`] knows which requests of a
//! server's connection are in progress and when it may close; an [`IdleMonitor`] tells when a peer has been
//! silent for too long.

mod active_requests;
mod connection_loss;
mod idle_monitor;
mod initiator;
mod pending;
mod responder;

pub use connection_loss::ConnectionLoss;
pub use idle_monitor::{Activity, IdleMonitor, ReadState, TimeoutKind, Timeouts};
pub use initiator::{BeginError, ClientEvent, Initiator, Role};
pub use responder::{ClosingMessage, ReceiveError, RequestAction, Responder, ServerEvent};
