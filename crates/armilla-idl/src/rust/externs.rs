//! Declarations that another crate or module has the Rust for: nothing is generated for them, and
//! what refers to them uses the path that the options give.

use super::names;
use super::options::Options;
use super::queries;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Model};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashMap;
use std::path::Path;

/// The Rust modules that foreign declarations stand in.
#[derive(Debug, Default)]
pub(super) struct Externs {
    paths: HashMap<DeclId, TokenStream>,
}

/// What an option maps to a Rust module.
struct Mapping<'o> {
    what: &'o str,
    path: TokenStream,
}

impl Externs {
    /// What the options say of the declarations of `model`.
    ///
    /// # Errors
    /// A path that is none, and a mapping of nothing.
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

    /// The path of the module that holds the Rust of a declaration, if that is elsewhere.
    pub(super) fn path_of(&self, id: DeclId) -> Option<&TokenStream> {
        self.paths.get(&id)
    }

    /// Whether nothing is to be generated for a declaration, because it is elsewhere.
    pub(super) fn contains(&self, id: DeclId) -> bool {
        self.paths.contains_key(&id)
    }

    /// Applies a mapping; says whether there was anything to apply it to.
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
            // Whether a module is elsewhere depends on its members, which may be of several files.
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

    /// Notes the modules that hold nothing but foreign declarations.
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

/// How many modules lead to the module `name` and into it, if `id` is that module or stands in it.
fn depth_within(model: &Model, id: DeclId, name: &str) -> Option<usize> {
    let wanted: Vec<&str> = name.trim_start_matches("::").split("::").collect();
    let path = model.path(id);
    let is_below = path.len() > wanted.len()
        || path.len() == wanted.len() && matches!(model.get(id).kind, DeclKind::Module(_));
    (is_below && path.starts_with(&wanted) && is_module(model, id, path.len() - wanted.len()))
        .then_some(wanted.len())
}

/// Whether what stands `levels` above `id` is a module.
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
