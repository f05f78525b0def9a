//! The state that all phases of one compilation share: the options, the sources and the
//! diagnostics.

use crate::diagnostics::{Code, Diagnostic, Diagnostics, Severity};
use crate::options::Options;
use crate::read::MAX_FILE_SIZE;
use crate::source::{FileId, Sources, Span};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

pub(crate) struct Session<'o> {
    pub(crate) options: &'o Options,
    pub(crate) diagnostics: Diagnostics,
    /// The files that are MIDL.
    pub(crate) midl: HashSet<FileId>,
    /// What was reported since [`hold`](Self::hold).
    held: Option<Vec<Diagnostic>>,
}

impl<'o> Session<'o> {
    pub(crate) fn new(options: &'o Options) -> Self {
        Session { options, diagnostics: Diagnostics::default(), midl: HashSet::new(), held: None }
    }

    /// Opens the files to be compiled, each once.
    pub(crate) fn open_mains(&mut self, paths: &[PathBuf]) -> Result<Vec<FileId>, Box<Diagnostic>> {
        let mut mains = Vec::new();
        for path in paths {
            let file = self.open(path, None).unwrap_or_else(|| {
                let message = format!("cannot find the file `{}`", path.display());
                Err(Box::new(Diagnostic::without_span(Code::CannotRead, message)))
            })?;
            if !mains.contains(&file) {
                mains.push(file);
            }
        }
        Ok(mains)
    }

    pub(crate) fn sources(&self) -> &Sources {
        self.diagnostics.sources()
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        let silenced = diagnostic.severity == Severity::Warning
            && self.options.allowed.contains(&diagnostic.code);
        // What a file of MIDL imports may have more than travels: only what is used matters.
        let imported = diagnostic.primary.as_ref().is_some_and(|it| self.is_imported(it.span.file));
        match &mut self.held {
            _ if silenced => {}
            Some(held) => held.push(diagnostic),
            None if imported => {}
            None => self.diagnostics.push(diagnostic),
        }
    }

    /// Reports what is wrong wherever it is: two files contradict each other.
    pub(crate) fn insist(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Whether what is reported of this file now reaches nobody yet.
    pub(crate) fn keeps(&self, file: FileId) -> bool {
        self.held.is_some() || self.is_imported(file)
    }

    /// Keeps what is reported from now on, if `wanted`; returns whether that is new.
    pub(crate) fn hold(&mut self, wanted: bool) -> bool {
        let new = wanted && self.held.is_none();
        if new {
            self.held = Some(Vec::new());
        }
        new
    }

    /// What was reported since [`hold`](Self::hold) returned `new`.
    pub(crate) fn release(&mut self, new: bool) -> Vec<Diagnostic> {
        if new { self.held.take().unwrap_or_default() } else { Vec::new() }
    }

    /// Whether a file is MIDL that another one imports.
    pub(crate) fn is_imported(&self, file: FileId) -> bool {
        self.midl.contains(&file) && !self.sources().is_main(file)
    }

    /// Opens `path` for the `#include` directive at `included_at`. Returns `None` if there is no
    /// such file.
    pub(crate) fn open(
        &mut self,
        path: &Path,
        included_at: Option<Span>,
    ) -> Option<Result<FileId, Box<Diagnostic>>> {
        if let Some(file) = self.sources().find(path) {
            return Some(Ok(file));
        }
        match self.options.read(path, included_at.is_some()) {
            Ok(bytes) => Some(self.add(path, decode(bytes), included_at)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", path.display());
                Some(Err(at(included_at, Code::CannotRead, message)))
            }
        }
    }

    /// Adds a file that is part of this crate.
    pub(crate) fn add_built_in(&mut self, path: &Path, text: &str, included_at: Span) {
        let sources = self.diagnostics.sources_mut();
        sources.add_built_in(path.to_owned(), text.to_owned(), included_at);
    }

    pub(crate) fn add(
        &mut self,
        path: &Path,
        text: String,
        included_at: Option<Span>,
    ) -> Result<FileId, Box<Diagnostic>> {
        if text.len() > MAX_FILE_SIZE {
            let limit = MAX_FILE_SIZE >> 20;
            let message = format!("`{}` is larger than {limit} MiB", path.display());
            return Err(at(included_at, Code::TooLarge, message));
        }
        Ok(self.diagnostics.sources_mut().add(path.to_owned(), text, included_at))
    }
}

fn at(span: Option<Span>, code: Code, message: String) -> Box<Diagnostic> {
    Box::new(match span {
        Some(span) => Diagnostic::error(code, span, message),
        None => Diagnostic::without_span(code, message),
    })
}

/// The specification defines IDL as ISO 8859-1, but today's files are UTF-8: a file that is not
/// valid UTF-8 is read as ISO 8859-1. A file that begins with the byte order mark of UTF-16, which
/// some editors write, is read as that.
fn decode(bytes: Vec<u8>) -> String {
    match &bytes[..] {
        [0xff, 0xfe, text @ ..] => return utf16(text, u16::from_le_bytes),
        [0xfe, 0xff, text @ ..] => return utf16(text, u16::from_be_bytes),
        _ => {}
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

/// The characters of `text` in UTF-16; what is no character becomes U+FFFD, which IDL refuses.
fn utf16(text: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units: Vec<u16> = text.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    let rest = text.len() % 2;
    String::from_utf16_lossy(&units) + &char::REPLACEMENT_CHARACTER.to_string().repeat(rest)
}
