//! The interface repository: IDL as data, as objects, and as what a call can learn from (CORBA 3.4
//! Part 1, 14).
//!
//! A [`Model`](model::Model) holds definitions; [`add_idl`](model::Model::add_idl) fills it from what the IDL
//! compiler has checked. [`serve`] makes CORBA objects of it, which any ORB can ask and change.
//! [`Signature::call`](model::Signature::call) calls an operation with JSON, by a signature from a model or from a
//! repository somewhere else.
//!
//! ```
//! use armilla_ifr::model::{Model, Signature};
//!
//! let source = "interface Account { double withdraw(in double amount); };";
//! let compiled = armilla_idl::parse_str("bank.idl", source, &armilla_idl::Options::new()).unwrap();
//! let mut model = Model::new();
//! model.add_idl(&compiled.model)?;
//! let account = model.lookup_id("IDL:Account:1.0").unwrap();
//! let signatures: Vec<Signature> = model.signatures(account)?;
//! assert_eq!(signatures[0].operation, "withdraw");
//! # Ok::<(), armilla_ifr::model::ModelError>(())
//! ```

#![forbid(unsafe_code)]

mod call;
mod discover;
mod feed;
pub mod model;
mod servant;

pub use call::CallError;
pub use discover::{describe, discover};
pub use generated::corba;
pub use servant::{REPOSITORY, serve};

/// What the IDL compiler makes of `ir.idl`.
mod generated {
    armilla::include_idl!("ir");
}
