//! The compiler for OMG IDL, the language in which CORBA interfaces are written.
//!
//! IDL declares what a distributed object can do, not how. This crate compiles IDL to Rust in two
//! halves, which share one data structure:
//!
//! - The *front end* turns source files into a checked [`Model`]: it preprocesses, parses, resolves
//!   every name, evaluates every constant and gives every declaration its repository id. It reports
//!   as many errors as it finds in one run. Each error has a span, one sentence and, where the
//!   compiler knows one, a fix.
//! - A *back end* walks the model and emits code. It never sees source text, and it need not
//!   validate its input: a model exists only if there was no error.
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
//! Errors are returned as [`Diagnostics`], which a program can render or inspect:
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
//! All IDL of CORBA 3.4, and the parts of IDL 4.2 that matter to a CORBA system: sized integers,
//! maps, bitmasks, bitsets, structs that extend structs, port types, connectors, template modules,
//! and annotations: those of the timing and the roles of operations are in the model, the others have no
//! effect.
//! The front end replaces components, homes and event types by their equivalent IDL and expands
//! instances of template modules, so that a back end sees only interfaces, valuetypes and modules.
//! The preprocessor is that of C. An unsupported construct is an error that names it. The back end
//! supports less: see [`rust::generate`].
//!
//! Sources need not be trusted: every compilation ends in bounded time, with a model or with
//! errors. The depth of inclusion, macros and nesting is limited, and so is the size of a file and
//! of the whole source. An error names the limit that was exceeded.

#![forbid(unsafe_code)]

mod build;
mod check;
mod compile;
pub mod diagnostics;
#[cfg(feature = "tools")]
pub mod diff;
#[cfg(feature = "tools")]
pub mod dump;
#[cfg(feature = "tools")]
mod format;
#[cfg(feature = "tools")]
mod json;
mod lex;
pub mod model;
mod options;
#[cfg(feature = "tools")]
pub mod outline;
mod parse;
mod preprocess;
mod read;
pub mod rust;
mod session;
pub mod source;

pub use build::{Build, build};
pub use compile::{Compilation, parse, parse_all, parse_str};
pub use diagnostics::Diagnostics;
#[cfg(feature = "tools")]
pub use format::format;
pub use model::Model;
pub use options::Options;
pub use read::read_file;
