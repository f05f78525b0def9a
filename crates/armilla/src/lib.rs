//! Armilla, a CORBA object request broker at the cost of the sockets beneath it.
#![forbid(unsafe_code)]

// Generated code names `::armilla`, also where it is part of this crate.
extern crate self as armilla;

mod client;
mod exception;
pub mod naming;
mod object;
mod operations;
mod orb;
mod poa;
mod server;
mod settings;
mod wire;

pub use armilla_cdr::CodeSet;
pub use armilla_giop::Version;
pub use armilla_giop::ior::Ior;
pub use exception::{Completion, Error, ExceptionKind, Minor, SystemException, UserException};
pub use object::{Object, Ref};
pub use orb::{Orb, OrbBuilder};
pub use poa::{IdAssignment, Lifespan, ObjectId, Poa, PoaBuilder};
pub use settings::Settings;

/// The repository id of the interface that every object has.
const OBJECT_ID: &str = "IDL:omg.org/CORBA/Object:1.0";

/// What generated code uses, and nothing else does.
#[doc(hidden)]
pub mod rt {
    pub use crate::exception::{Error, Raises, SystemException, UserException, encode_exception};
    pub use crate::object::{Interface, IsA, Object, Ref, Upcast};
    pub use crate::operations::Operations;
    pub use crate::server::{DispatchError, Dispatched, ServerCall};
    pub use armilla_cdr::{CdrError, CdrResult, Decode, Decoder, Encode, Encoder, Fixed, Order};
}

/// Includes the Rust that `armilla_idl::build("idl/NAME.idl")` made in the build script.
///
/// ```ignore
/// armilla::include_idl!("bank");
/// ```
#[macro_export]
macro_rules! include_idl {
    ($name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $name, ".rs"));
    };
}
