//! Dynamic interfaces: calls, servants and values of types that a program learns at run time.
//!
//! - [`Request`], from [`Object::request`](crate::Object::request): calls an operation by its name,
//!   with arguments that are [`Any`](crate::Any)s. The dynamic invocation interface (CORBA 3.4 Part
//!   1, 10).
//! - [`DynamicServant`]: serves an interface without a generated skeleton. The dynamic skeleton
//!   interface (CORBA 3.4 Part 1, 11).
//! - `DynAny`: builds and inspects values of any type (CORBA 3.4 Part 1, 9). Needs the feature
//!   `dynamic-any`.
//!
//! ```
//! use armilla::dynamic::{DynamicServant, ServerRequest, serve};
//! use armilla::{Any, ObjectId, Orb, SystemException, TypeCode};
//! use std::borrow::Cow;
//!
//! /// Answers every operation with its name.
//! struct Parrot;
//!
//! impl DynamicServant for Parrot {
//!     fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
//!         "IDL:Parrot:1.0".into()
//!     }
//!     fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
//!         let name = request.operation().to_owned();
//!         request.arguments([])?;
//!         request.set_result(Any::new(&name)?)
//!     }
//! }
//!
//! let server = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
//! let parrot = server.root_poa().activate(serve(Parrot))?;
//! let mut request = parrot.object().request("say_hello");
//! request.set_return_type(TypeCode::String(0));
//! request.invoke()?;
//! assert_eq!(request.return_value().get::<String>()?.as_deref(), Some("say_hello"));
//! # server.shutdown();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod context;
#[cfg(feature = "dynamic-any")]
mod dyn_any;
mod exception;
mod request;
mod servant;
mod server_request;

#[doc(hidden)]
pub use crate::signature::Signature;
pub use crate::signature::{NamedValue, ParameterMode};
pub use armilla_cdr::TypeCodeKind;
pub use armilla_cdr::type_code::{
    TYPE_CODE_DEPTH_LIMIT, TypeCodeError, TypeCodeErrorKind, TypeCodeFactory, UnionMember,
};
pub use context::Context;
#[cfg(feature = "dynamic-any")]
pub use dyn_any::{
    Component, DynAny, DynAnyError, DynArray, DynEnum, DynFixed, DynSequence, DynStruct, DynUnion,
    DynValue, ValueIdentity,
};
pub use exception::UnknownUserException;
pub use request::{Request, Response};
pub use servant::{DynamicServant, serve};
pub use server_request::ServerRequest;
