//! Additional derived traits of generated types.

use super::options::Options;
use super::scope::Scope;
use crate::diagnostics::{Code, Diagnostic};
use crate::model::{DeclId, DeclKind, Model, Type};
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

/// The attribute that derives the traits that the options name and that the declaration does not
/// derive `already`; nothing if there are none.
pub(super) fn wanted(scope: &Scope<'_>, id: DeclId, already: &TokenStream) -> TokenStream {
    let already: Vec<String> = already.clone().into_iter().map(|token| token.to_string()).collect();
    let is_new = |path: &syn::Path| {
        let name = path.segments.last().map(|segment| segment.ident.to_string());
        name.is_some_and(|name| !already.contains(&name))
    };
    let name = scope.idl.scoped_name(id);
    let is_plain = scope.properties.of_type(&Type::Named(id)).plain;
    let traits = scope.options.derives.iter().filter(|(what, _)| {
        let what = what.trim_start_matches("::");
        what == name || is_plain && (what == "*" || name.strip_prefix(what).is_some_and(is_below))
    });
    let traits = traits.filter_map(|(_, traits)| paths(traits).ok()).flatten().filter(is_new);
    let traits: Vec<syn::Path> = traits.collect();
    if traits.is_empty() { TokenStream::new() } else { quote!(#[derive(#(#traits),*)]) }
}

fn paths(list: &str) -> syn::Result<impl Iterator<Item = syn::Path>> {
    let paths = Punctuated::<syn::Path, syn::Token![,]>::parse_terminated.parse_str(list)?;
    Ok(paths.into_iter())
}

fn is_below(rest: &str) -> bool {
    rest.starts_with("::")
}

/// The errors in the options.
pub(super) fn check(model: &Model, options: &Options) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for (what, traits) in &options.derives {
        if paths(traits).is_err() {
            let message = format!("`{traits}` is not a list of traits");
            problems.push(Diagnostic::without_span(Code::BadOption, message));
        }
        let wanted = what.trim_start_matches("::");
        let is_there = wanted == "*"
            || model.iter().any(|(id, declaration)| {
                can_derive(&declaration.kind) && model.scoped_name(id) == wanted
            });
        if !is_there {
            let message = format!("`{what}` is no type or module of this IDL that can derive");
            let help = "name a struct, union, exception, enum or module as `Outer::Inner`, or `*`";
            problems.push(Diagnostic::without_span(Code::BadOption, message).help(help));
        }
    }
    problems
}

fn can_derive(kind: &DeclKind) -> bool {
    use DeclKind::*;
    matches!(
        kind,
        Module(_) | Struct(_) | Exception(_) | Union(_) | Enum(_) | Bitmask(_) | Bitset(_)
    )
}
