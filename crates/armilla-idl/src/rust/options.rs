//! The settings of the back end.

use crate::compile::Compilation;
use crate::diagnostics::Code;
use crate::source::Sources;
use std::path::Path;

/// The settings of the back end.
#[derive(Debug, Clone)]
pub struct Options {
    pub(super) source: String,
    pub(super) sources: Sources,
    /// The warnings that nobody wants to see.
    pub(super) allowed: Vec<Code>,
    pub(super) sides: Sides,
    pub(super) asynchronous: bool,
    pub(super) replies_later: bool,
    pub(super) externs: Vec<(String, String)>,
    pub(super) derives: Vec<(String, String)>,
    pub(super) shared: Vec<String>,
    pub(super) renames: Vec<(String, String)>,
}

/// Which sides of a call the generated code can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Sides {
    /// Both: references call, and servants are called.
    #[default]
    Both,
    /// References call; there are no skeletons, so nothing here can be activated.
    Client,
    /// Servants are called; references travel, but nothing is called through them.
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
            replies_later: false,
            externs: Vec::new(),
            derives: Vec::new(),
            shared: Vec::new(),
            renames: Vec::new(),
        }
    }
}

impl Options {
    /// Settings for a model of no particular file.
    pub fn new() -> Self {
        Self::default()
    }

    /// Settings for the model of `compilation`: the head of the generated file names its files,
    /// errors quote its sources, and the warnings that its options silence are silenced here too.
    pub fn of(compilation: &Compilation) -> Self {
        Self::new().sources_of(compilation)
    }

    /// The same settings for the model of `compilation`, see [`of`](Self::of).
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

    /// The IDL file as the head of the generated file shall name it.
    #[must_use]
    pub fn source(mut self, name: impl Into<String>) -> Self {
        self.source = name.into();
        self
    }

    /// Which sides of a call the code shall be able to take; both unless this says otherwise.
    #[must_use]
    pub fn sides(mut self, sides: Sides) -> Self {
        self.sides = sides;
        self
    }

    /// Whether each operation that is not oneway shall have an asynchronous form, `withdraw_async`; not
    /// unless this says so.
    #[must_use]
    pub fn asynchronous(mut self, wanted: bool) -> Self {
        self.asynchronous = wanted;
        self
    }

    /// Whether each interface shall have a trait for servants that reply later, `AccountLater`;
    /// not unless this says so.
    #[must_use]
    pub fn replies_later(mut self, wanted: bool) -> Self {
        self.replies_later = wanted;
        self
    }

    /// Takes the Rust of `what` from the module `path` of another crate, or of this one, and makes
    /// none. `what` is an IDL module with all that stands in it, `Outer::Inner`, whose Rust module
    /// is `path`; or a file, `naming.idl`, whose Rust was included into the module `path`.
    ///
    /// The other Rust must have been made by this compiler with the same options of
    /// [`replies_later`](Self::replies_later), [`sides`](Self::sides) and
    /// [`shared`](Self::shared).
    #[must_use]
    pub fn extern_path(mut self, what: impl Into<String>, path: impl Into<String>) -> Self {
        self.externs.push((what.into(), path.into()));
        self
    }

    /// Derives more traits, named by their paths with commas between them, for `what`: a struct,
    /// union, exception, enum, bitmask or bitset, `Bank::Entry`. For a module, or `*`, which is
    /// everything, they are derived for the types in it that are made of nothing but types of the
    /// standard library and one another.
    #[must_use]
    pub fn derive(mut self, what: impl Into<String>, traits: impl Into<String>) -> Self {
        self.derives.push((what.into(), traits.into()));
        self
    }

    /// Keeps the octets of `what` in a shared buffer, `rt::SharedOctets`, clones of which are one
    /// buffer: a typedef of `sequence<octet>`, `Bank::Blob`, or a member of that type,
    /// `Bank::Entry::data`. Of a `sequence<string>` without bounds it keeps all texts in one buffer
    /// likewise, `rt::SharedStrings`.
    #[must_use]
    pub fn shared(mut self, what: impl Into<String>) -> Self {
        self.shared.push(what.into());
        self
    }

    /// Makes the Rust names of `what` of `name`, an identifier of IDL: `Bank::Account` or what is in
    /// it, `Bank::Account::set_x`. For names that meet in Rust this is better than the number that one of
    /// them gets otherwise. Nothing changes on the wire.
    #[must_use]
    pub fn rename(mut self, what: impl Into<String>, name: impl Into<String>) -> Self {
        self.renames.push((what.into(), name.into()));
        self
    }
}
