//! The front end from files to a model: one compilation.

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::model::Model;
use crate::options::Options;
use crate::session::Session;
use crate::source::{FileId, Sources};
use crate::{check, parse as syntax, preprocess};
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
        session.report(Diagnostic::without_span(Code::CannotRead, message));
        return None;
    };
    let tokens = preprocess::preprocess(session, mains).ok()?;
    let items = syntax::parse(session, &tokens);
    // Without a file that it includes, most names of a source would be reported as not declared.
    let file_is_missing =
        |d: &Diagnostic| matches!(d.code, Code::IncludeNotFound | Code::CannotRead);
    if session.diagnostics.iter().any(file_is_missing) {
        return None;
    }
    Some(check::check(session, *first, &items))
}
