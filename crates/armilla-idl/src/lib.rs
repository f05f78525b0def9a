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
pub use diagnostics::Diagnostics;
pub use format::format;
pub use model::Model;
pub use options::Options;

use diagnostics::{Code, Diagnostic};
use session::Session;
use source::{FileId, Sources};
use std::path::{Path, PathBuf};

/// What the front end makes of a source without errors.
#[derive(Debug, Clone)]
pub struct Compilation {
    /// Every declaration of the source and of what it includes.
    pub model: Model,
    /// What is valid but probably not meant.
    pub warnings: Diagnostics,
    /// The warnings that the options silence.
    pub(crate) allowed: Vec<Code>,
}

impl Compilation {
    /// The files that were read, for spans of the model.
    pub fn sources(&self) -> &Sources {
        self.warnings.sources()
    }

    /// The paths of all files that were read, the compiled files first: if one of them changes, the
    /// result may too.
    pub fn dependencies(&self) -> Vec<PathBuf> {
        self.sources().paths().map(Path::to_owned).collect()
    }
}

/// Compiles the file at `path` and all that it includes into a model.
///
/// # Errors
///
/// All errors and warnings of the run if there is at least one error, among them that `path` or a
/// file it includes cannot be read.
pub fn parse(path: impl AsRef<Path>, options: &Options) -> Result<Compilation, Diagnostics> {
    parse_all([path], options)
}

/// Compiles the files at `paths` and all that they include into one model: what several of them
/// include is in it once, and one of them may include another.
///
/// The files are read one behind the other. Each begins at file scope; macros that an earlier one
/// has defined are known to the later ones, as they would be if one file included them all.
///
/// # Errors
///
/// As for [`parse`], and that there are no `paths`.
pub fn parse_all<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    options: &Options,
) -> Result<Compilation, Diagnostics> {
    let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
    let mut session = Session::new(options);
    let opened = session.open_mains(&paths);
    compile(session, opened)
}

/// Compiles `text`, which messages call `name`; files that it includes are read as usual.
///
/// # Errors
///
/// As for [`parse`].
pub fn parse_str(name: &str, text: &str, options: &Options) -> Result<Compilation, Diagnostics> {
    let mut session = Session::new(options);
    let added = session.add(Path::new(name), text.to_owned(), None);
    compile(session, added.map(|file| vec![file]))
}

fn compile(
    mut session: Session<'_>,
    mains: Result<Vec<FileId>, Box<Diagnostic>>,
) -> Result<Compilation, Diagnostics> {
    let model = match mains {
        Ok(mains) => model(&mut session, &mains),
        Err(diagnostic) => {
            session.report(*diagnostic);
            None
        }
    };
    let allowed = session.options.allowed.clone();
    let mut diagnostics = session.diagnostics;
    diagnostics.sort();
    match model {
        Some(model) if diagnostics.error_count() == 0 => {
            Ok(Compilation { model, warnings: diagnostics, allowed })
        }
        _ => Err(diagnostics),
    }
}

/// The model of the source that begins with `mains`; valid if no error was reported.
fn model(session: &mut Session<'_>, mains: &[FileId]) -> Option<Model> {
    let Some(first) = mains.first() else {
        let message = "no file is named that is to be compiled";
        session.report(Diagnostic::without_place(Code::CannotRead, message));
        return None;
    };
    let tokens = preprocess::preprocess(session, mains).ok()?;
    let items = parse::parse(session, &tokens);
    // Without a file that it includes, most names of a source would be reported as not declared.
    let file_is_missing =
        |d: &Diagnostic| matches!(d.code, Code::IncludeNotFound | Code::CannotRead);
    if session.diagnostics.iter().any(file_is_missing) {
        return None;
    }
    Some(check::check(session, *first, &items))
}
