//! The interface repository: IDL definitions as data, as CORBA objects, and as the description of
//! dynamic calls (CORBA 3.4 Part 1, 14).
//!
//! A [`Model`](model::Model) holds definitions; [`add_idl`](model::Model::add_idl) loads them from
//! compiled IDL. A [`Store`] keeps a model on disk. [`serve`] publishes it as CORBA objects, which
//! any ORB can query and change. [`Signature::call`](model::Signature::call) calls an operation
//! with arguments in JSON. Its signature comes from a model, or from the repository of a server:
//! [`discover`] reads it from there.
//!
//! The repository holds components and homes as their equivalent interfaces. It has no objects of
//! `CORBA::ComponentIR`.
//!
//! ```
//! use armilla_ifr::model::{Model, Signature};
//!
//! let source = "interface Account { double withdraw(in double amount); };";
//! let options = armilla_idl::Options::new();
//! let compiled = armilla_idl::parse_str("bank.idl", source, &options).unwrap();
//! let mut model = Model::new();
//! model.add_idl(&compiled.model)?;
//! let account = model.lookup_id("IDL:Account:1.0").unwrap();
//! let signatures: Vec<Signature> = model.signatures(account)?;
//! assert_eq!(signatures[0].operation, "withdraw");
//! # Ok::<(), armilla_ifr::model::ModelError>(())
//! ```
//!
//! A client without stubs reads the interface of an object, then calls it. The servant may be a
//! dynamic one, too:
//!
//! ```
//! use armilla::dynamic::{DynamicServant, ParameterMode, ServerRequest, serve};
//! use armilla::{Any, ObjectId, Orb, SystemException, TypeCode};
//! use armilla_ifr::model::Model;
//! use std::borrow::Cow;
//!
//! /// Doubles numbers: the dynamic skeleton interface.
//! struct Doubler;
//!
//! impl DynamicServant for Doubler {
//!     fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
//!         "IDL:Doubler:1.0".into()
//!     }
//!     fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
//!         let arguments = request.arguments([(ParameterMode::In, TypeCode::Long)])?;
//!         let number: Option<i32> = arguments[0].value().map_or(Ok(None), Any::get)?;
//!         request.set_result(Any::new(&(2 * number.unwrap_or_default()))?)
//!     }
//! }
//!
//! let server = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
//! let idl = "interface Doubler { long double_it(in long number); };";
//! let options = armilla_idl::Options::new();
//! let compiled = armilla_idl::parse_str("doubler.idl", idl, &options).unwrap();
//! let mut model = Model::new();
//! model.add_idl(&compiled.model)?;
//! armilla_ifr::serve(&server, model)?;
//! let doubler = server.root_poa().activate(serve(Doubler))?;
//! let url = server.object_to_string(&doubler)?;
//!
//! // The dynamic invocation interface, with a signature from the interface repository.
//! let client = Orb::new()?;
//! let object = client.string_to_object(&url)?;
//! let offered = armilla_ifr::discover(&object)?;
//! assert_eq!(offered[0].to_string(), "long double_it(in long number);");
//! let mut request = offered[0].request(&object)?;
//! request.set_argument(0, Any::new(&21)?);
//! request.invoke()?;
//! assert_eq!(request.return_value().get::<i32>()?, Some(42));
//! # server.shutdown();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod call;
mod differences;
mod discover;
mod files;
mod import;
pub mod model;
mod servant;
mod store;

pub use call::CallError;
pub use discover::{describe, discover, type_named, value_types};
pub use generated::corba;
pub use servant::{REPOSITORY, serve};
pub use store::{ChangeError, Recovered, Saved, Store, StoreError};

/// The code generated from `ir.idl`.
mod generated {
    armilla::include_idl!("ir");
}
