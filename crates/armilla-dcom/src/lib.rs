//! DCOM: what it adds to DCE/RPC on the wire, and clients and servers of objects (MS-DCOM).
//!
//! An [`ObjRef`] denotes an object; its resolver is reached by the bindings of a
//! [`DualStringArray`]. Every call begins with an [`OrpcThis`], every answer with an [`OrpcThat`].
//! A [`Blob`] holds the properties of an activation.
//!
//! [`remote`] has the interfaces of every server as tables, and an [`Exporter`] the objects that a
//! process has given away, with pings and counts of references. [`automation`] has the values of
//! Automation. Nothing of that touches a socket, a thread or a clock.
//!
//! The feature `driver` adds the servers of objects (`server`) and their clients (`client`).
//!
//! Nothing that a peer sends is trusted: no input panics, and memory grows only with the octets
//! that arrive.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(feature = "driver")]
extern crate std;

// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod activation;
pub mod automation;
mod blob;
#[cfg(feature = "driver")]
mod causality;
#[cfg(feature = "driver")]
pub mod client;
#[cfg(feature = "driver")]
mod clock;
#[cfg(feature = "driver")]
mod connection_points;
mod error;
mod error_info;
mod exporter;
#[cfg(feature = "driver")]
#[doc(hidden)]
pub mod generated;
mod objref;
mod octets;
mod orpc;
pub mod remote;
#[cfg(feature = "driver")]
pub mod server;
mod string_array;

pub use activation::{
    ACTIVATION_PROPERTIES_IN, ACTIVATION_PROPERTIES_OUT, ActivationResults, ContextInfo,
    InstantiationInfo, LocationInfo, RemoteReply, RemoteRequest, ScmReplyInfo, ScmRequestInfo,
    property,
};
pub use blob::{Blob, Property};
#[cfg(feature = "driver")]
pub use causality::current_causality;
#[cfg(feature = "driver")]
pub use clock::{Clock, ClockHand};
#[cfg(feature = "driver")]
pub use connection_points::ConnectionPoint;
pub use error::ObjRefError;
pub use error_info::ErrorInfo;
pub use exporter::{Exporter, ExporterLimits};
pub use objref::{InterfacePointer, ObjRef, Reference, StandardReference};
pub use orpc::{ComVersion, Extension, Extensions, OrpcThat, OrpcThis};
pub use string_array::{DualStringArray, SecurityBinding, StringArrayUnits, StringBinding};
