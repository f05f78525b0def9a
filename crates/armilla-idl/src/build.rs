//! The compiler in a `build.rs`: IDL files in, Rust files in Cargo's output directory out, and
//! Cargo told when to do it again.

use crate::diagnostics::{Code, Diagnostic, Diagnostics};
use crate::options::Options;
use crate::{compile, rust};
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
    rust: rust::Options,
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

    /// Whether each operation that is not oneway gets an asynchronous form, `withdraw_async`, which
    /// returns a `ReplyFuture`. Without this it does not.
    #[must_use]
    pub fn asynchronous(mut self, wanted: bool) -> Self {
        self.rust = self.rust.asynchronous(wanted);
        self
    }

    /// Whether each interface gets a trait for servants that reply later, `AccountLater`. Without
    /// this it does not.
    #[must_use]
    pub fn replies_later(mut self, wanted: bool) -> Self {
        self.rust = self.rust.replies_later(wanted);
        self
    }

    /// Leaves out what only servers need: there is nothing then that could be activated.
    #[must_use]
    pub fn client_only(mut self) -> Self {
        self.rust = self.rust.sides(rust::Sides::Client);
        self
    }

    /// Leaves out what only clients need: nothing can be called through references then.
    #[must_use]
    pub fn servant_only(mut self) -> Self {
        self.rust = self.rust.sides(rust::Sides::Servant);
        self
    }

    /// Takes the Rust of `what` from the module `path` and makes none: see
    /// [`rust::Options::extern_path`].
    ///
    /// ```no_run
    /// // `CosNaming.idl` is part of the crate `naming`, which says `include_idl!("CosNaming")`.
    /// armilla_idl::Build::new()
    ///     .include("../idl")
    ///     .extern_path("CosNaming.idl", "::naming")
    ///     .compile("idl/directory.idl")
    ///     .unwrap_or_else(|errors| errors.exit());
    /// ```
    #[must_use]
    pub fn extern_path(mut self, what: impl Into<String>, path: impl Into<String>) -> Self {
        self.rust = self.rust.extern_path(what, path);
        self
    }

    /// Derives more traits for generated types: see [`rust::Options::derive`].
    ///
    /// ```no_run
    /// armilla_idl::Build::new()
    ///     .derive("*", "serde::Serialize, serde::Deserialize")
    ///     .compile("idl/bank.idl")
    ///     .unwrap_or_else(|errors| errors.exit());
    /// ```
    #[must_use]
    pub fn derive(mut self, what: impl Into<String>, traits: impl Into<String>) -> Self {
        self.rust = self.rust.derive(what, traits);
        self
    }

    /// Keeps the octets of `what` in a shared buffer: see [`rust::Options::shared`].
    #[must_use]
    pub fn shared(mut self, what: impl Into<String>) -> Self {
        self.rust = self.rust.shared(what);
        self
    }

    /// Makes the Rust names of `what` of `name`: see [`rust::Options::rename`].
    #[must_use]
    pub fn rename(mut self, what: impl Into<String>, name: impl Into<String>) -> Self {
        self.rust = self.rust.rename(what, name);
        self
    }

    /// Compiles the file at `path`. The result has the same name with the ending `.rs`, and holds
    /// the declarations of included files too. A file that would not change is left alone.
    ///
    /// Warnings are printed to standard error.
    ///
    /// # Errors
    ///
    /// What is wrong with the IDL or the settings, or that a file cannot be read or written.
    pub fn compile(&self, path: impl AsRef<Path>) -> Result<(), Diagnostics> {
        let path = path.as_ref();
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        self.compile_all(&name, [path])
    }

    /// Compiles several files into one Rust file, `name.rs`, for `armilla::include_idl!("name")`.
    /// What several of them include is in it once, and they may include one another: see
    /// [`parse_all`](crate::parse_all).
    ///
    /// ```no_run
    /// armilla_idl::Build::new()
    ///     .compile_all("mtnm", ["idl/performance.idl", "idl/protection.idl"])
    ///     .unwrap_or_else(|errors| errors.exit());
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn compile_all<P: AsRef<Path>>(
        &self,
        name: &str,
        paths: impl IntoIterator<Item = P>,
    ) -> Result<(), Diagnostics> {
        let paths: Vec<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        // If it is missing or wrong, Cargo shall look at it again when it has changed.
        paths.iter().for_each(|path| rerun_if_changed(path));
        let compilation = compile::parse_all(&paths, &self.options)?;
        compilation.dependencies().iter().skip(paths.len()).for_each(|path| rerun_if_changed(path));
        let options = self.rust.clone().sources_of(&compilation);
        let generated = rust::generate(&compilation.model, &options)?;
        compilation.warnings.print();
        generated.warnings.print();
        let target = self.target(name)?;
        write_if_changed(&target, &generated.text).map_err(|error| {
            failure(Code::CannotWrite, format!("cannot write `{}`: {error}", target.display()))
        })
    }

    fn target(&self, name: &str) -> Result<PathBuf, Diagnostics> {
        let directory = match &self.out_dir {
            Some(directory) => directory.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
                let what =
                    "there is no `OUT_DIR`, so this is no build script: set `Build::out_dir`";
                failure(Code::CannotWrite, what)
            })?,
        };
        Ok(directory.join(format!("{name}.rs")))
    }
}

fn rerun_if_changed(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
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
    diagnostics.push(Diagnostic::without_span(code, message));
    diagnostics
}
