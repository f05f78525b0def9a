//! External declarations, whose Rust another crate or module has. Nothing is generated for them;
//! references use the path from the options.

use super::names;
use super::options::Options;
use super::queries;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Model};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashMap;
use std::path::Path;

/// The Rust modules of external declarations.
#[derive(Debug, Default)]
pub(super) struct Externs {
    paths: HashMap<DeclId, TokenStream>,
}

/// An option that maps IDL to a Rust module.
struct Mapping<'o> {
    what: &'o str,
    path: TokenStream,
}

impl Externs {
    /// Applies the options to the declarations of `model`.
    ///
    /// # Errors
    /// If a path is not valid, or an option names neither a module nor a file.
    pub(super) fn of(model: &Model, options: &Options) -> Result<Self, Vec<Diagnostic>> {
        let mut externs = Self::default();
        let mut problems = Vec::new();
        for (what, path) in &options.externs {
            let parsed = syn::parse_str::<syn::Path>(path).ok().and_then(|_| path.parse().ok());
            let Some(path) = parsed else {
                problems.push(problem(format!("`{path}` is not the path of a Rust module")));
                continue;
            };
            let mapping = Mapping { what, path };
            if !externs.map(model, options, &mapping) {
                let message = format!("`{what}` is neither a module nor a file of this IDL");
                problems.push(problem(message).help(
                    "name a module as `Outer::Inner`, or a file that is included as `name.idl`",
                ));
            }
        }
        externs.mark_modules(model, model.roots());
        if problems.is_empty() { Ok(externs) } else { Err(problems) }
    }

    /// The path of the module of a declaration, if it is external.
    pub(super) fn path_of(&self, id: DeclId) -> Option<&TokenStream> {
        self.paths.get(&id)
    }

    /// Whether a declaration is external.
    pub(super) fn contains(&self, id: DeclId) -> bool {
        self.paths.contains_key(&id)
    }

    /// Applies a mapping. Returns whether it matched a declaration.
    fn map(&mut self, model: &Model, options: &Options, mapping: &Mapping<'_>) -> bool {
        let is_file = mapping.what.contains(['.', '/', '\\']);
        let mut found = false;
        for (id, declaration) in model.iter() {
            let depth = if is_file {
                let path = options.sources.path(declaration.span.file);
                path.ends_with(Path::new(mapping.what)).then_some(0)
            } else {
                depth_within(model, id, mapping.what)
            };
            let Some(depth) = depth else { continue };
            found = true;
            // A module may be in several files, so its members decide; see `mark_modules`.
            let is_module = matches!(declaration.kind, DeclKind::Module(_));
            if is_module || self.contains(id) {
                continue;
            }
            let path = &mapping.path;
            let modules = queries::enclosing_modules(model, id);
            let below = modules.iter().skip(depth).map(|module| names::ident(module));
            self.paths.insert(id, quote!(#path #(::#below)*));
        }
        found
    }

    /// Marks the modules with external declarations only.
    fn mark_modules(&mut self, model: &Model, ids: &[DeclId]) {
        for id in ids {
            let DeclKind::Module(members) = &model.get(*id).kind else { continue };
            self.mark_modules(model, members);
            if !members.is_empty() && members.iter().all(|member| self.contains(*member)) {
                self.paths.insert(*id, TokenStream::new());
            }
        }
    }
}

/// The number of modules of the path `name`, if `id` is that module or in it.
fn depth_within(model: &Model, id: DeclId, name: &str) -> Option<usize> {
    let wanted: Vec<&str> = name.trim_start_matches("::").split("::").collect();
    let path = model.path(id);
    let is_below = path.len() > wanted.len()
        || path.len() == wanted.len() && matches!(model.get(id).kind, DeclKind::Module(_));
    (is_below && path.starts_with(&wanted) && is_module(model, id, path.len() - wanted.len()))
        .then_some(wanted.len())
}

/// Whether the scope `levels` above `id` is a module.
fn is_module(model: &Model, id: DeclId, levels: usize) -> bool {
    let mut at = Some(id);
    for _ in 0..levels {
        at = at.and_then(|id| model.get(id).scope);
    }
    at.is_some_and(|id| matches!(model.get(id).kind, DeclKind::Module(_)))
}

fn problem(message: String) -> Diagnostic {
    Diagnostic::without_span(Code::BadOption, message)
}
