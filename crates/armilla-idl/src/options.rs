//! The options of the front end: the search path of `#include`, predefined macros, silenced
//! warnings, and how files are read.

use crate::diagnostics::Code;
use crate::read::{read_file, read_limited};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The options of one compilation.
///
/// ```
/// use armilla_idl::Options;
///
/// let options = Options::new().include("idl").define("WITH_AUDIT", "1");
/// ```
#[derive(Clone)]
pub struct Options {
    pub(crate) include_paths: Vec<PathBuf>,
    pub(crate) defines: Vec<(String, String)>,
    pub(crate) undefines: Vec<String>,
    pub(crate) allowed: Vec<Code>,
    /// Instead of the disk.
    reader: Option<Arc<Reader>>,
}

type Reader = dyn Fn(&Path) -> io::Result<Vec<u8>> + Send + Sync;

/// The macros that are defined in every compilation.
const PREDEFINED: &[(&str, &str)] = &[("__ARMILLA_IDL__", "1"), ("__OMNIIDL__", "0x2630")];

fn own(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

impl Options {
    /// The defaults: no search path, files read from disk, and two macros: `__ARMILLA_IDL__` and
    /// `__OMNIIDL__`. The IDL files of omniORB use newer constructs only if the latter is defined.
    pub fn new() -> Self {
        Options {
            include_paths: Vec::new(),
            defines: PREDEFINED.iter().map(|(name, value)| own(name, value)).collect(),
            undefines: Vec::new(),
            allowed: Vec::new(),
            reader: None,
        }
    }

    /// Appends a directory to the search path of `#include`. A file named in quotes is first looked
    /// for in the directory of the file that includes it.
    pub fn include(mut self, directory: impl Into<PathBuf>) -> Self {
        self.include_paths.push(directory.into());
        self
    }

    /// Defines the macro `name`, as `#define name value` would: `name` may be `LIST(T)`.
    pub fn define(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.defines.push((name.into(), value.into()));
        self
    }

    /// Removes the macro `name`, be it predefined or defined with [`define`](Self::define).
    pub fn undefine(mut self, name: impl Into<String>) -> Self {
        self.undefines.push(name.into());
        self
    }

    /// Silences the warning `code`. An error cannot be silenced.
    ///
    /// ```
    /// use armilla_idl::diagnostics::Code;
    /// use armilla_idl::{Options, parse_str};
    ///
    /// let options = Options::new().allow(Code::EmptyStruct);
    /// assert!(parse_str("t.idl", "struct S {};", &options).unwrap().warnings.is_empty());
    /// ```
    pub fn allow(mut self, code: Code) -> Self {
        self.allowed.push(code);
        self
    }

    /// Reads files through `reader` instead of from disk, where [`read_file`](crate::read_file)
    /// reads what is included. If `reader` returns an error of the kind
    /// [`NotFound`](io::ErrorKind::NotFound), the search for an included file continues.
    pub fn read_with(
        mut self,
        reader: impl Fn(&Path) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        self.reader = Some(Arc::new(reader));
        self
    }

    /// Reads a file that the caller names, or one that another file includes.
    pub(crate) fn read(&self, path: &Path, is_included: bool) -> io::Result<Vec<u8>> {
        match &self.reader {
            Some(reader) => reader(path),
            None if is_included => read_file(path),
            None => read_limited(std::fs::File::open(path)?),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("include_paths", &self.include_paths)
            .field("defines", &self.defines)
            .field("undefines", &self.undefines)
            .field("allowed", &self.allowed)
            .finish_non_exhaustive()
    }
}
