//! The options of the back end.

use crate::compile::Compilation;
use crate::diagnostics::Code;
use crate::source::Sources;
use std::path::Path;

/// The options of the back end.
///
/// ```
/// use armilla_idl::rust::{Options, Sides};
///
/// let options = Options::new().sides(Sides::Client).asynchronous(true);
/// ```
#[derive(Debug, Clone)]
pub struct Options {
    pub(super) source: String,
    pub(super) sources: Sources,
    /// The silenced warnings.
    pub(super) allowed: Vec<Code>,
    pub(super) sides: Sides,
    pub(super) asynchronous: bool,
    pub(super) amh: bool,
    pub(super) default_bodies: bool,
    pub(super) externs: Vec<(String, String)>,
    pub(super) derives: Vec<(String, String)>,
    pub(super) shared: Vec<String>,
    pub(super) renames: Vec<(String, String)>,
}

/// The sides of a call that the generated code supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Sides {
    /// Both: references can be called, and servants can be activated.
    #[default]
    Both,
    /// Only clients: references can be called. There are no skeletons, so servants cannot be
    /// activated.
    Client,
    /// Only servants: servants can be activated. References can be marshalled but not called.
    Servant,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            source: String::new(),
            sources: Sources::default(),
            allowed: Vec::new(),
            sides: Sides::Both,
            asynchronous: false,
            amh: false,
            default_bodies: false,
            externs: Vec::new(),
            derives: Vec::new(),
            shared: Vec::new(),
            renames: Vec::new(),
        }
    }
}

impl Options {
    /// Options for a model without source files.
    pub fn new() -> Self {
        Self::default()
    }

    /// Options for the model of `compilation`: the generated file names its source files, errors
    /// quote its sources, and the warnings that it silences are silenced here too.
    pub fn of(compilation: &Compilation) -> Self {
        Self::new().sources_of(compilation)
    }

    /// These options for the model of `compilation`; see [`of`](Self::of).
    #[must_use]
    pub fn sources_of(mut self, compilation: &Compilation) -> Self {
        let sources = compilation.sources().clone();
        let names = sources.mains().filter_map(Path::file_name);
        let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        self.source = names.join(", ");
        self.sources = sources;
        self.allowed.clone_from(&compilation.allowed);
        self
    }

    /// The name of the IDL file in the head of the generated file.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>) -> Self {
        self.source = name.into();
        self
    }

    /// Selects the sides of a call that the code supports. The default is both.
    #[must_use]
    pub fn sides(mut self, sides: Sides) -> Self {
        self.sides = sides;
        self
    }

    /// Whether to generate an asynchronous form, such as `withdraw_async`, of each operation that
    /// is not oneway. The default is `false`.
    #[must_use]
    pub fn asynchronous(mut self, wanted: bool) -> Self {
        self.asynchronous = wanted;
        self
    }

    /// Whether to generate, for each interface, a trait of servants that reply later, such as
    /// `AmhAccount`. The default is `false`.
    #[must_use]
    pub fn amh(mut self, wanted: bool) -> Self {
        self.amh = wanted;
        self
    }

    /// Whether a servant may leave out operations and attributes: the methods of the interfaces'
    /// traits then have a body, which raises `NO_IMPLEMENT` and names the operation. The default is
    /// `false`, so that the Rust compiler lists what a servant lacks.
    #[must_use]
    pub fn default_bodies(mut self, wanted: bool) -> Self {
        self.default_bodies = wanted;
        self
    }

    /// Uses the Rust module `path`, of this or another crate, for `what` instead of generating
    /// code. `what` is an IDL module with its contents, `Outer::Inner`, whose Rust module is
    /// `path`; or a file, `naming.idl`, whose Rust is included into the module `path`.
    ///
    /// This compiler must have generated that Rust, with the same
    /// [`amh`](Self::amh), [`sides`](Self::sides) and [`shared`](Self::shared).
    #[must_use]
    pub fn extern_path(mut self, what: impl Into<String>, path: impl Into<String>) -> Self {
        self.externs.push((what.into(), path.into()));
        self
    }

    /// Derives additional traits, a list of paths separated by commas, for `what`: a struct, union,
    /// exception, enum, bitmask or bitset, `Bank::Entry`. `what` may also be a module, or `*` for
    /// all modules: then the traits are derived for its types that contain only types of the
    /// standard library and one another.
    #[must_use]
    pub fn derive(mut self, what: impl Into<String>, traits: impl Into<String>) -> Self {
        self.derives.push((what.into(), traits.into()));
        self
    }

    /// Keeps the octets of `what` in a shared buffer, `codegen::SharedOctets`, whose clones share one
    /// allocation. `what` is a typedef of `sequence<octet>`, `Bank::Blob`, or a member of that
    /// type, `Bank::Entry::data`. A `sequence<string>` without bounds becomes `codegen::SharedStrings`,
    /// one buffer with all strings.
    #[must_use]
    pub fn shared(mut self, what: impl Into<String>) -> Self {
        self.shared.push(what.into());
        self
    }

    /// Derives the Rust names of `what` from `name`, an identifier of IDL. `what` is a declaration,
    /// `Bank::Account`, or a part of one, `Bank::Account::set_x`. Use this if names collide in
    /// Rust; otherwise one of them gets a number. The wire format does not change.
    ///
    /// ```
    /// use armilla_idl::{Options, parse_str, rust};
    ///
    /// let idl = "struct type { long it; };";
    /// let compilation = parse_str("bank.idl", idl, &Options::new()).unwrap();
    /// let options = rust::Options::of(&compilation).rename("type::it", "number");
    /// let generated = rust::generate(&compilation.model, &options).unwrap();
    /// assert!(generated.text.contains("pub number: i32"));
    /// ```
    #[must_use]
    pub fn rename(mut self, what: impl Into<String>, name: impl Into<String>) -> Self {
        self.renames.push((what.into(), name.into()));
        self
    }
}
