//! Armilla, a CORBA object request broker at the cost of the sockets beneath it.
//!
//! An IDL interface becomes a Rust trait. A *servant* implements the trait. A [`Poa`] activates the
//! servant as an object and returns a reference, a [`Ref`]. The reference implements the same
//! trait, so a call is a method call wherever the object lives: within the process it goes directly
//! to the servant, otherwise it is a GIOP message, which any CORBA system understands.
//!
//! The IDL compiler, `armilla-idl`, generates the trait and its types from a build script, and
//! [`include_idl!`] includes the result. The crate `armilla-cos-naming` is generated in this way
//! from the IDL of the naming service. It is the example here: a servant, its reference as a
//! string, and a client that calls it over TCP.
//!
//! ```
//! use armilla_cos_naming::{Binding, BindingIterator, BindingIteratorRef, binding_iterator};
//! use armilla::{Orb, SystemException};
//!
//! /// An iterator over nothing.
//! struct Exhausted;
//!
//! impl BindingIterator for Exhausted {
//!     fn next_one(&self) -> Result<(bool, Binding), SystemException> {
//!         Ok((false, Binding::default()))
//!     }
//!     fn next_n(&self, _how_many: u32) -> Result<(bool, Vec<Binding>), SystemException> {
//!         Ok((false, Vec::new()))
//!     }
//!     fn destroy(&self) -> Result<(), SystemException> {
//!         Ok(())
//!     }
//! }
//!
//! let server = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
//! let served: BindingIteratorRef = server.root_poa().activate(binding_iterator::tie(Exhausted))?;
//! let text = server.object_to_string(&served)?;
//!
//! let client = Orb::new()?;
//! let iterator: BindingIteratorRef = client.resolve(&text)?;
//! let (more, _) = iterator.next_one()?;
//! assert!(!more);
//!
//! server.shutdown();
//! # Ok::<(), SystemException>(())
//! ```
//!
//! # Outcomes of a call
//!
//! Its results; an exception that the IDL declares, as [`Error::User`]; or a [`SystemException`],
//! which says what happened, where, and whether the operation was executed ([`Completion`]). A call
//! ends within its time limit ([`Settings::call_timeout`], [`Ref::with_timeout`]) whatever becomes
//! of the server. Only what was certainly not begun is tried again.
//!
//! # Values
//!
//! What an IDL valuetype declares is passed by value, together with all that it leads to: a
//! [`Value`] is a handle of one, and a graph of values arrives with the same shape.
//!
//! # Logging
//!
//! Warnings, for example about a client that sends malformed GIOP messages, are events of the
//! `tracing` crate. If the program has set no subscriber, the ORB writes them to standard error,
//! one line each.
//!
//! # Threads
//!
//! Any thread may use the public items. The calling thread writes the request and reads the reply,
//! over a connection that carries nothing else meanwhile, or shares one with other calls
//! ([`ConnectionPolicy`]). An asynchronous call returns a [`ReplyFuture`].
//!
//! On the server, the thread that reads a request calls the servant and writes the reply. Several
//! threads may call a servant at the same time, and a servant may block, call other objects, or
//! call itself; [`Concurrency`] selects the threads. A servant that replies later keeps a
//! [`ResponseHandler`].

#![forbid(unsafe_code)]

// Generated code names `::armilla`, also where it is part of this crate.
extern crate self as armilla;

mod client;
pub mod dynamic;
mod imr;
mod interception;
pub mod interceptor;
mod naming;
mod object;
#[cfg(feature = "observe")]
pub mod observe;
mod orb;
pub mod remoting;
mod runtime;
mod server;
mod value;

// The ground stands in a crate of its own; the modules above name it as theirs.
use armilla_core::{
    callbacks, concurrency, exception, log, message_memory, object_key, operations, panics, peer,
};
use armilla_core::{policies, rt_info};
use armilla_core::{settings, signature, sync, threads, wire};

pub use armilla_cdr::CodeSet;
pub use armilla_cdr::{
    Any, Decimal, DecimalError, LargeArray, LoneSurrogate, LongDouble, SharedOctets, SharedStrings,
    TypeCode, Typed, WString,
};
pub use armilla_cdr::{
    ByteOrder, CdrError, CdrErrorKind, CdrResult, Decode, Decoder, Encode, Encoder,
};
#[doc(inline)]
pub use armilla_core::transport;
pub use armilla_giop::Version;
pub use armilla_giop::ior::Ior;
pub use client::{AddedContext, CallChoice, CallSelector, ClientExtension};
pub use client::{
    ConnectionPool, Greeting, Object, PollableSet, ReplyFuture, calls_with_derived_identity,
    with_derived_identity,
};
#[doc(inline)]
pub use concurrency::Concurrency;
#[doc(inline)]
pub use exception::{Completion, Error, ExceptionKind, Minor, SystemException, UserException};
pub use object::{LocalRef, Native, Ref, Tied};
#[cfg(feature = "demultiplexing-strategies")]
pub use operations::OperationLookup;
pub use orb::OrbBuilder;
#[doc(inline)]
pub use policies::{
    ConnectionPolicy, CustomPolicy, Heartbeat, OnewayBuffer, Policies, PolicyCurrent, PolicyError,
    PolicyFactory, PolicyGuard, PolicyType, Rebind, Retries, SyncScope,
};
#[doc(inline)]
pub use rt_info::{RtCall, RtInfo, RtLevel, RtSection};
pub use runtime::Orb;
#[cfg(feature = "demultiplexing-strategies")]
pub use server::poa::ObjectLookup;
pub use server::poa::{
    AdapterActivator, Bidirectional, CallServant, Cookie, Current, EncodedReply, IdAssignment,
    IdUniqueness, ImplicitActivation, KeptRequest, Lifespan, ManagerState, ObjectAddresses,
    ObjectId, Poa, PoaBuilder, PoaError, PoaExtension, PoaManager, Policy, RequestProcessing,
    ServantActivator, ServantLocator, ServantManager, ServantManagerError, ServantRetention,
    Threading, UpcallInfo,
};
pub use server::{
    AnyServant, Caller, ConnectionExtension, ConnectionSlot, LocationReply, ResponseHandler,
    ServantBase, SoughtKey,
};
pub use server::{EndpointGroup, EndpointGroupOptions, SettingsChange};
#[doc(inline)]
pub use settings::{
    AcceptBidirectional, Collocation, LocalAccess, Network, OrbOption, PublishAs, Queues, SameHost,
    Settings, TcpUserTimeout,
};
#[doc(inline)]
pub use threads::blocking;
pub use value::{Abstract, CustomMarshal, Snapshot, Value, ValueBase, ValueBaseRef};

/// The interface between generated code and the ORB. Programs do not use it directly.
#[doc(hidden)]
pub mod codegen {
    pub use crate::client::Object;
    pub use crate::client::ReplyFuture;
    pub use crate::dynamic::Context;
    pub use crate::exception::{Error, Raises, SystemException, UserException, encode_exception};
    pub use crate::object::{LocalRef, Native, Ref};
    pub use crate::operations::Operations;
    pub use crate::rt_info::{RtCall, RtInfo, RtLevel, RtSection};
    pub use crate::server::ServerCall;
    pub use crate::server::{DispatchError, Dispatched, EncodeResults, ResponseHandler, Scratch};
    pub use crate::server::{Interface, IsA, ServantBase};
    pub use crate::server::{Upcast, WhichObject};
    pub use crate::signature::Signature;
    pub use crate::value::{
        Abstract, CustomMarshal, Extends, Kind, State, Value, ValueBase, ValueBaseRef, Valuetype,
    };
    pub use armilla_cdr::{Any, Decimal, LargeArray, LongDouble, SharedOctets, SharedStrings};
    pub use armilla_cdr::{CdrError, CdrResult, Decode, Decoder, Encode, Encoder, Fixed, Order};
    pub use armilla_cdr::{TypeCode, Typed, WString};

    pub use armilla_cdr::{get_bits, get_signed_bits, set_bits};

    /// What an operation raises that the servant does not implement.
    pub fn not_implemented(operation: &str) -> SystemException {
        let what = format!("the servant does not implement {operation}");
        crate::exception::ExceptionKind::NoImplement.because(what)
    }

    /// A time of an annotation.
    pub const fn nanos(nanos: u64) -> std::time::Duration {
        std::time::Duration::from_nanos(nanos)
    }

    /// The TypeCode of a type, created on first use.
    pub type SharedTypeCode = std::sync::LazyLock<TypeCode>;
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
