//! The open documents and their compilations.

use super::diagnostics;
use super::position::Lines;
use super::uri;
use armilla_idl::{Compilation, Diagnostics, Options};
use lsp_types::{
    Diagnostic, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    Uri,
};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The texts of open documents by path. The compiler reads these in place of the files.
type Texts = Arc<Mutex<HashMap<PathBuf, String>>>;

pub(super) struct Documents {
    options: Options,
    texts: Texts,
    open: BTreeMap<PathBuf, Document>,
}

struct Document {
    id: VersionedUri,
    /// The last compilation without errors.
    compilation: Option<Compilation>,
}

/// The identity of a document in the editor.
#[derive(Clone)]
pub(super) struct VersionedUri {
    pub(super) uri: Uri,
    pub(super) version: i32,
}

impl Documents {
    pub(super) fn new(options: Options) -> Self {
        let texts = Texts::default();
        let open = Arc::clone(&texts);
        let options = options.read_with(move |path| match lock(&open).get(&uri::normal(path)) {
            Some(text) => Ok(text.clone().into_bytes()),
            None => armilla_idl::read_file(path),
        });
        Documents { options, texts, open: BTreeMap::new() }
    }

    pub(super) fn open(&mut self, parameters: DidOpenTextDocumentParams) {
        let document = parameters.text_document;
        let path = path(&document.uri);
        lock(&self.texts).insert(path.clone(), document.text);
        let id = VersionedUri { uri: document.uri, version: document.version };
        self.open.insert(path, Document { id, compilation: None });
    }

    pub(super) fn change(&mut self, parameters: DidChangeTextDocumentParams) {
        let path = path(&parameters.text_document.uri);
        let Some(document) = self.open.get_mut(&path) else { return };
        document.id.version = parameters.text_document.version;
        let mut texts = lock(&self.texts);
        let Some(text) = texts.get_mut(&path) else { return };
        for change in parameters.content_changes {
            let Some(range) = change.range else {
                *text = change.text;
                continue;
            };
            let lines = Lines::new(text);
            let (start, end) = (lines.offset(range.start), lines.offset(range.end));
            text.replace_range(start..end.max(start), &change.text);
        }
    }

    /// Closes a document; returns its URI if it was open.
    pub(super) fn close(&mut self, parameters: DidCloseTextDocumentParams) -> Option<Uri> {
        let path = path(&parameters.text_document.uri);
        lock(&self.texts).remove(&path);
        self.open.remove(&path).map(|document| document.id.uri)
    }

    /// Compiles all documents, and returns the diagnostics of each.
    pub(super) fn compile(&mut self) -> Vec<(VersionedUri, Vec<Diagnostic>)> {
        let mut all = Vec::new();
        for (path, document) in &mut self.open {
            let found = document.compile(path, &self.options);
            all.push((document.id.clone(), diagnostics::of(&found)));
        }
        all
    }

    /// Compiles all documents and discards the diagnostics.
    pub(super) fn refresh(&mut self) {
        for (path, document) in &mut self.open {
            document.compile(path, &self.options);
        }
    }

    /// The text of the document that is open under `uri`, and its last compilation.
    pub(super) fn get(&self, uri: &Uri) -> Option<(String, Option<&Compilation>)> {
        let path = path(uri);
        let text = lock(&self.texts).get(&path)?.clone();
        Some((text, self.open.get(&path)?.compilation.as_ref()))
    }
}

impl Document {
    fn compile(&mut self, path: &Path, options: &Options) -> Diagnostics {
        match armilla_idl::parse(path, options) {
            Ok(compilation) => {
                let warnings = compilation.warnings.clone();
                self.compilation = Some(compilation);
                warnings
            }
            Err(errors) => errors,
        }
    }
}

/// The path of a document; the URI itself if it is no file URI.
fn path(uri: &Uri) -> PathBuf {
    uri::to_path(uri).unwrap_or_else(|| PathBuf::from(uri.as_str()))
}

/// Locks the texts. They are consistent even if a thread panicked with the lock.
fn lock(texts: &Texts) -> MutexGuard<'_, HashMap<PathBuf, String>> {
    texts.lock().unwrap_or_else(PoisonError::into_inner)
}
