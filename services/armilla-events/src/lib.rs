//! The real-time event channel: suppliers and consumers that do not know one another.
//!
//! An [`EventChannel`] runs in an ORB of any program. Consumers [connect](EventChannel::connect)
//! with a [`Subscription`]: events by source and type, conjunctions and disjunctions of them, and
//! timers. Each consumer has a bounded queue and a thread of its own at its CORBA priority, so that
//! a slow consumer holds nobody else. What is lost is counted.
//!
//! Remote suppliers and consumers use the interfaces of [`corba`]. The channel is a CosEvent channel
//! too (Event Service 1.2), so that plain event clients of any vendor push and pull. A [`Gateway`]
//! passes the events of a channel on to another one; a [`MulticastGateway`] joins all channels of a
//! multicast group.
//!
//! ```
//! use armilla::Orb;
//! use armilla_events::corba::Event;
//! use armilla_events::{ConsumerOptions, EventChannel, Subscription};
//! use armilla_rt::RtOrb;
//! use std::sync::mpsc;
//!
//! let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
//! let channel = EventChannel::builder(&RtOrb::new(&orb)).build()?;
//! let (send, receive) = mpsc::channel();
//! let consumer = move |events: &[Event]| send.send(events[0].value::<f64>()).unwrap();
//! channel.connect(consumer, ConsumerOptions::new(Subscription::of_type(20)))?;
//! channel.push(Event::new(1, 20, &0.5_f64)?);
//! assert_eq!(receive.recv()??, Some(0.5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A service of channels is the feature `server`: channels with names, made by a factory, which
//! outlive the process with their clients (feature `disk`). `armilla events serve` is such a service.
//!
//! `docs/events.md` in the repository has the whole.

#![forbid(unsafe_code)]

mod channel;
mod connection;
mod consumer;
mod correlation;
mod datagram;
mod entry;
mod error;
mod event;
mod farewell;
mod gateway;
mod hub;
mod kept;
mod multicast;
mod options;
mod places;
mod presence;
mod queue;
mod senders;
mod servant;
#[cfg(feature = "server")]
pub mod server;
mod store;
mod subscription;
mod sweep;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("EventChannelFactory");
}

/// The interfaces of the channel and of its factory, generated from `idl/RtEvents.idl` and
/// `idl/EventChannelFactory.idl`.
pub mod corba {
    pub use crate::idl::rt_events::*;

    /// The module `EventService`: the factory of channels.
    pub use crate::idl::event_service as factory;

    /// The module `CosNaming`, as far as the keys of a factory need it.
    pub use crate::idl::cos_naming as naming;

    /// The module `CosLifeCycle` (Life Cycle Service 1.2), as far as a factory needs it.
    pub use crate::idl::cos_life_cycle as life_cycle;

    /// The module `CosEventChannelAdmin` (Event Service 1.2).
    pub use crate::idl::cos_event_channel_admin as admin;

    /// The module `CosEventComm` (Event Service 1.2).
    pub use crate::idl::cos_event_comm as comm;
}

pub use channel::{ConsumerConnection, EventChannel, EventChannelBuilder};
pub use consumer::{Consumer, ConsumerError};
pub use datagram::EventDatagram;
pub use error::EventError;
pub use gateway::{Gateway, GatewayOptions};
pub use multicast::{MulticastCounts, MulticastGateway, MulticastOptions};
pub use options::{ChannelLimits, ConsumerOptions};
#[cfg(feature = "disk")]
pub use store::Saved;
pub use store::{Recovered, Store, StoreError};
pub use subscription::Subscription;

/// Compiles the examples of the page on events.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/events.md")]
struct EventsPage;
