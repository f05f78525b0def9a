//! The compiler in a `build.rs`: compiles IDL files to Rust files in Cargo's output directory, and
//! declares the files on which the result depends.

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
/// The crate then says `armilla::include_idl!("bank");`. The compiler looks for an included file in
/// the directory of the file that includes it; [`Build`] can add others.
///
/// # Errors
///
/// If the IDL is not valid, or a file cannot be read or written.
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
    /// The defaults: no search path, no macros, output to Cargo's `OUT_DIR`.
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

    /// Writes to `directory` instead of `OUT_DIR`.
    #[must_use]
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// Whether to generate an asynchronous form, such as `withdraw_async`, of each operation that
    /// is not oneway. It returns a `ReplyFuture`. The default is `false`.
    #[must_use]
    pub fn asynchronous(mut self, wanted: bool) -> Self {
        self.rust = self.rust.asynchronous(wanted);
        self
    }

    /// Whether to generate, for each interface, a trait of servants that reply later, such as
    /// `AmhAccount`. The default is `false`.
    #[must_use]
    pub fn amh(mut self, wanted: bool) -> Self {
        self.rust = self.rust.amh(wanted);
        self
    }

    /// Whether a servant may leave out operations and attributes: the methods of the interfaces'
    /// traits then have a body, which raises `NO_IMPLEMENT` and names the operation. The default is
    /// `false`, so that the Rust compiler lists what a servant lacks.
    #[must_use]
    pub fn default_bodies(mut self, wanted: bool) -> Self {
        self.rust = self.rust.default_bodies(wanted);
        self
    }

    /// Omits the code that only servers need. Objects of the interfaces cannot be activated.
    #[must_use]
    pub fn client_only(mut self) -> Self {
        self.rust = self.rust.sides(rust::Sides::Client);
        self
    }

    /// Omits the code that only clients need. References cannot be called.
    #[must_use]
    pub fn servant_only(mut self) -> Self {
        self.rust = self.rust.sides(rust::Sides::Servant);
        self
    }

    /// Uses the module `path` for `what` instead of generating code: see
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

    /// Derives the Rust names of `what` from `name`: see [`rust::Options::rename`].
    #[must_use]
    pub fn rename(mut self, what: impl Into<String>, name: impl Into<String>) -> Self {
        self.rust = self.rust.rename(what, name);
        self
    }

    /// Compiles the file at `path`. The output has the same name with the extension `.rs` and
    /// includes the declarations of included files. An output file that would not change is not
    /// written.
    ///
    /// Warnings are printed to standard error.
    ///
    /// # Errors
    ///
    /// If the IDL or the settings are not valid, or a file cannot be read or written.
    pub fn compile(&self, path: impl AsRef<Path>) -> Result<(), Diagnostics> {
        let path = path.as_ref();
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        self.compile_all(&name, [path])
    }

    /// Compiles several files into one Rust file, `name.rs`, for `armilla::include_idl!("name")`. A
    /// file that several of them include is compiled once, and they may include one another: see
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
        // Before the compilation, so that Cargo reruns the script when a broken file has changed.
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

/// Writes `text` unless the file already holds it: a new modification time would cause a rebuild.
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
