//! The state machines of the two ends of a connection. They have no sockets, threads or clocks: the
//! caller reports messages and the time, and carries out what they return.
//!
//! An [`Initiator`] tracks the requests of a client's connection: which of them wait for a reply,
//! and what became of each. A [`Responder`] tracks the requests of a server's connection: which are
//! in progress, which were cancelled, and when the connection may close. An [`IdleMonitor`] detects
//! peers that exceed their timeouts. A connection that carries requests in both directions has an
//! initiator and a responder. Octets become messages elsewhere, in a [`Framer`](crate::Framer).

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
