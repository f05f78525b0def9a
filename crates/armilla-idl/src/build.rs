//! The compiler in a `build.rs`: IDL files in, Rust files in Cargo's output directory out, and
//! Cargo told when to do it again.

use crate::diagnostics::{Code, Diagnostic};
use crate::{Diagnostics, Options, rust};
use std::path::{Path, PathBuf};

/// Compiles one IDL file for `armilla::include_idl!`. This is all that a `build.rs` needs:
///
/// ```no_run
/// armilla_idl::build("idl/bank.idl").unwrap_or_else(|errors| errors.exit());
/// ```
///
/// The crate then says `armilla::include_idl!("bank");`. Included files are looked for beside the
/// files that include them; [`Build`] has settings for more.
///
/// # Errors
///
/// What is wrong with the IDL, or that a file cannot be read or written.
pub fn build(path: impl AsRef<Path>) -> Result<(), Diagnostics> {
    Build::new().compile(path)
}

/// Compiles IDL files from a `build.rs`, with settings.
///
/// ```no_run
/// armilla_idl::Build::new()
///     .include("../idl")
///     .define("WITH_AUDIT", "1")
///     .compile("../idl/bank.idl")
///     .unwrap_or_else(|errors| errors.exit());
/// ```
#[derive(Debug, Clone, Default)]
pub struct Build {
    options: Options,
    out_dir: Option<PathBuf>,
}

impl Build {
    /// No search path, no macros, Cargo's `OUT_DIR`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a directory to the search path of `#include`.
    #[must_use]
    pub fn include(mut self, directory: impl Into<PathBuf>) -> Self {
        self.options = self.options.include(directory);
        self
    }

    /// Defines a macro of the preprocessor.
    #[must_use]
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.options = self.options.define(name, value);
        self
    }

    /// Writes to `directory` and not to `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// Compiles the file at `path`. The result has the same name with the ending `.rs`, and holds
    /// the declarations of included files too. A file that would not change is left alone.
    ///
    /// Warnings are printed to standard error.
    ///
    /// # Errors
    ///
    /// What is wrong with the IDL, or that a file cannot be read or written.
    pub fn compile(&self, path: impl AsRef<Path>) -> Result<(), Diagnostics> {
        let path = path.as_ref();
        // If it is missing or wrong, Cargo shall look at it again when it has changed.
        println!("cargo::rerun-if-changed={}", path.display());
        let compilation = crate::parse(path, &self.options)?;
        for read in compilation.dependencies().iter().skip(1) {
            println!("cargo::rerun-if-changed={}", read.display());
        }
        let text = rust::generate(&compilation.model, &rust::Options::of(&compilation))?;
        if !compilation.warnings.is_empty() {
            compilation.warnings.print();
        }
        let target = self.target(path)?;
        write_if_changed(&target, &text).map_err(|error| {
            failure(Code::CannotWrite, format!("cannot write `{}`: {error}", target.display()))
        })
    }

    fn target(&self, path: &Path) -> Result<PathBuf, Diagnostics> {
        let directory = match &self.out_dir {
            Some(directory) => directory.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                let what =
                    "there is no `OUT_DIR`, so this is no build script: set `Build::out_dir`";
                failure(Code::CannotWrite, what)
            })?,
        };
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        Ok(directory.join(stem).with_extension("rs"))
    }
}

/// Writes `text` unless the file holds it already, so that nothing is rebuilt for no change.
fn write_if_changed(path: &Path, text: &str) -> std::io::Result<()> {
    match std::fs::read(path) {
        Ok(present) if present == text.as_bytes() => Ok(()),
        _ => std::fs::write(path, text),
    }
}

fn failure(code: Code, message: impl Into<String>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic::without_place(code, message));
    diagnostics
}
