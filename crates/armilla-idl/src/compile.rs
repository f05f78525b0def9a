//! The front end from files to a model: one compilation.

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::model::Model;
use crate::options::Options;
use crate::session::Session;
use crate::source::{FileId, Sources};
use crate::{check, parse as syntax, preprocess};
use std::path::{Path, PathBuf};

/// The result of the front end for a source without errors.
#[derive(Debug, Clone)]
pub struct Compilation {
    /// Every declaration of the source and of what it includes.
    pub model: Model,
    /// Valid constructs that are probably mistakes.
    pub warnings: Diagnostics,
    /// The warnings that the options silence.
    pub(crate) allowed: Vec<Code>,
}

impl Compilation {
    /// The files that were read. Spans of the model point into them.
    pub fn sources(&self) -> &Sources {
        self.warnings.sources()
    }

    /// The paths of all files that were read, the compiled files first. The result can change only
    /// if one of them does.
    pub fn dependencies(&self) -> Vec<PathBuf> {
        self.sources().paths().map(Path::to_owned).collect()
    }
}

/// Compiles the file at `path` and the files that it includes into a model.
///
/// # Errors
///
/// All errors and warnings of the run if there is at least one error. A file that cannot be read is
/// one.
pub fn parse(path: impl AsRef<Path>, options: &Options) -> Result<Compilation, Diagnostics> {
    parse_all([path], options)
}

/// Compiles the files at `paths` and the files that they include into one model. A file that
/// several of them include is compiled once, and one of `paths` may include another.
///
/// The files are read in order, each at file scope. Macros that one file defines are visible in the
/// later ones, as if one file included them all.
///
/// ```
/// use armilla_idl::{Options, parse_all};
/// use std::path::Path;
///
/// let options = Options::new().read_with(|path| match path.to_str() {
///     Some("a.idl") => Ok(b"#include \"b.idl\"\nstruct A { B member; };".to_vec()),
///     Some("b.idl") => Ok(b"typedef long B;".to_vec()),
///     _ => Err(std::io::ErrorKind::NotFound.into()),
/// });
/// let compilation = parse_all(["a.idl", "b.idl"], &options).unwrap();
/// assert_eq!(compilation.model.roots().len(), 2);
/// assert_eq!(compilation.dependencies(), [Path::new("a.idl"), Path::new("b.idl")]);
/// ```
///
/// # Errors
///
/// As for [`parse`]; also if `paths` is empty.
pub fn parse_all<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
    options: &Options,
) -> Result<Compilation, Diagnostics> {
    let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
    let mut session = Session::new(options);
    let opened = session.open_mains(&paths);
    compile(session, opened)
}

/// Compiles `text`; diagnostics call it `name`. Files that it includes are read as usual.
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

/// The model of the compiled files `mains`. It is valid only if no error was reported.
fn model(session: &mut Session<'_>, mains: &[FileId]) -> Option<Model> {
    let Some(first) = mains.first() else {
        let message = "there is no file to compile";
        session.report(Diagnostic::without_span(Code::CannotRead, message));
        return None;
    };
    let tokens = preprocess::preprocess(session, mains).ok()?;
    let items = syntax::parse(session, &tokens);
    // Stop here: without the missing file most names would be reported as not declared.
    let file_is_missing =
        |d: &Diagnostic| matches!(d.code, Code::IncludeNotFound | Code::CannotRead);
    if session.diagnostics.iter().any(file_is_missing) {
        return None;
    }
    Some(check::check(session, *first, &items))
}
