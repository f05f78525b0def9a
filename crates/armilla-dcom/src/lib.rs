//! What DCOM adds to DCE/RPC on the wire: object references, calls, activation (MS-DCOM 2.2).
//!
//! An [`ObjRef`] denotes an object; its resolver is reached by the bindings of a
//! [`DualStringArray`]. Every call begins with an [`OrpcThis`], every answer with an [`OrpcThat`].
//! A [`Blob`] holds the properties of an activation.
//!
//! Nothing here touches a socket, a thread or a clock. Nothing that a peer sends is trusted: no
//! input panics, and memory grows only with the octets that arrive.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod activation;
mod blob;
mod error;
mod objref;
mod octets;
mod orpc;
mod string_array;

pub use activation::{
    ActivationResults, InstantiationInfo, LocationInfo, RemoteReply, RemoteRequest, ScmReplyInfo,
    ScmRequestInfo, property,
};
pub use blob::{Blob, Property};
pub use error::ObjRefError;
pub use objref::{InterfacePointer, ObjRef, Reference, StandardReference};
pub use orpc::{ComVersion, Extension, Extensions, OrpcThat, OrpcThis};
pub use string_array::{DualStringArray, SecurityBinding, StringArrayUnits, StringBinding};
