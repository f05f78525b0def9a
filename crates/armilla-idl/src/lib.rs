//! The compiler for OMG IDL, the language in which CORBA interfaces are written.
//!
//! IDL says what a distributed object can do and nothing about how. This crate reads it and makes
//! Rust of it, in two halves that share one data structure:
//!
//! - The *front end* turns source files into a checked [`Model`]: it preprocesses, parses, resolves
//!   every name, evaluates every constant and gives every declaration its repository id. It
//!   reports as many errors as it can find in one run, each with its place, a plain sentence and,
//!   where it knows one, what to write instead.
//! - A *back end* walks the model and writes code. It never sees source text and never has to doubt
//!   what it reads: a model exists only if there was no error.
//!
//! ```
//! use armilla_idl::model::DeclKind;
//! use armilla_idl::{Options, parse_str};
//!
//! let source = r#"
//!     #pragma prefix "example.com"
//!     module Bank {
//!         exception InsufficientFunds { double missing; };
//!         interface Account {
//!             readonly attribute double balance;
//!             void withdraw(in double amount) raises (InsufficientFunds);
//!         };
//!     };
//! "#;
//! let compilation = parse_str("bank.idl", source, &Options::new()).unwrap();
//! let model = &compilation.model;
//! let (_, account) = model.iter().find(|(_, d)| d.name == "Account").unwrap();
//! assert_eq!(account.repository_id, "IDL:example.com/Bank/Account:1.0");
//! let DeclKind::Interface(interface) = &account.kind else { panic!() };
//! assert_eq!(interface.exports.len(), 2);
//! ```
//!
//! What is wrong comes back as [`Diagnostics`], which can be shown to a person or looked through:
//!
//! ```
//! use armilla_idl::{Options, parse_str};
//!
//! let source = "interface Account { void close() raises (Closed); };";
//! let errors = parse_str("bank.idl", source, &Options::new()).unwrap_err();
//! assert!(errors.render().contains("error[E0401]: `Closed` is not declared"));
//! assert!(errors.render().contains("--> bank.idl:1:42"));
//! ```
//!
//! # What it understands
//!
//! All IDL of CORBA 3.4, and of IDL 4.2 what a CORBA system can meet: the sized integers, maps,
//! bitmasks, bitsets, structs that extend structs, port types, connectors, template modules, and
//! annotations, which have no effect. Components, homes and event types become what they stand for,
//! their equivalent IDL, and instances of template modules are written out, so that a back end sees
//! interfaces and modules. The preprocessor is that of C. What is not understood is reported by its
//! name and at its place. The back end does less than that: see [`rust::generate`].
//!
//! Sources may come from anywhere: whatever they hold, a compilation ends in bounded time with a
//! model or with errors. Inclusion, macros and nesting are limited in depth, files and the whole
//! source in size; an error says which limit was hit.

#![forbid(unsafe_code)]

mod build;
mod check;
mod compile;
pub mod diagnostics;
pub mod diff;
pub mod dump;
mod format;
mod json;
mod lex;
pub mod model;
mod options;
pub mod outline;
mod parse;
mod preprocess;
pub mod rust;
mod session;
pub mod source;

pub use build::{Build, build};
pub use compile::{Compilation, parse, parse_all, parse_str};
pub use diagnostics::Diagnostics;
pub use format::format;
pub use model::Model;
pub use options::Options;
