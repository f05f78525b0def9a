//! The traits that a program implements for a valuetype: its operations and attributes, implemented
//! for handles, and its initializers, implemented for the state.

use super::docs::docs;
use super::lints;
use super::module::Module;
use super::names;
use super::operation::{self, Callable};
use super::raises;
use super::scope::{self, Scope};
use crate::model::{DeclId, DeclKind, Declaration, Model, Value};
use proc_macro2::TokenStream;
use quote::quote;

/// Emits the traits that are not empty. Their exceptions go to `within`, the module of the
/// valuetype.
pub(super) fn generate<'m>(
    scope: &Scope<'m>,
    id: DeclId,
    declaration: &Declaration,
    data: &'m Value,
    within: &mut Module,
    module: &mut Module,
) {
    let inner = scope.child(&names::module(&declaration.name));
    let callables = callables(scope, id);
    if !callables.is_empty() {
        module.push(operations(scope, id, declaration, &callables));
    }
    let initializers = initializers(scope, id, data);
    if !initializers.is_empty() {
        module.push(factory(scope, declaration, &initializers));
    }
    let all: Vec<_> = callables.iter().chain(&initializers).collect();
    raises::generate(&inner, &all, &[], true, within);
}

/// The callables of a valuetype, without inherited ones.
pub(super) fn callables<'m>(scope: &Scope<'m>, id: DeclId) -> Vec<Callable<'m>> {
    let mut callables = operation::callables(scope, id);
    for callable in &mut callables {
        callable.method = names::method_of_values(&callable.method);
    }
    callables
}

/// The initializers of a valuetype.
pub(super) fn initializers<'m>(
    scope: &Scope<'m>,
    id: DeclId,
    data: &'m Value,
) -> Vec<Callable<'m>> {
    let DeclKind::Value(idl) = &scope.idl.get(id).kind else { return Vec::new() };
    let pairs = data.initializers.iter().zip(&idl.initializers);
    pairs.map(|(initializer, idl)| Callable::initializer(initializer, &idl.name)).collect()
}

fn operations(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    callables: &[Callable<'_>],
) -> TokenStream {
    let state = names::ident(&scope::name(declaration));
    let name = names::ident(&scope::operations_name(declaration));
    let companion = names::ident(&names::module(&declaration.name));
    let bases = bases(scope.model, id).into_iter().filter(|base| scope.makes(*base));
    let bases: Vec<TokenStream> = bases.map(|base| scope.operations(base)).collect();
    let bases = (!bases.is_empty()).then(|| quote!(: #(#bases)+*));
    let methods = callables.iter().map(|callable| {
        let docs = docs(callable.docs, &callable.default_docs());
        let lints = lints::method(scope.properties, callable);
        let signature = callable.signature(scope, &companion);
        quote!(#docs #lints #signature;)
    });
    let docs = format!(
        " What values of the type [`{state}`] do. A program that uses it implements it for \
         `Value<{state}>`."
    );
    let allow = lints::allow(&lints::interface(callables));
    quote!(#[doc = #docs] #allow pub trait #name #bases { #(#methods)* })
}

fn factory(
    scope: &Scope<'_>,
    declaration: &Declaration,
    initializers: &[Callable<'_>],
) -> TokenStream {
    let state = names::ident(&scope::name(declaration));
    let name = names::ident(&scope::factory_name(declaration));
    let companion = names::ident(&names::module(&declaration.name));
    let functions = initializers.iter().map(|callable| {
        let docs = docs(callable.docs, &format!("IDL factory `{}`.", callable.idl_name));
        let lints = lints::method(scope.properties, callable);
        let method = names::ident(&callable.method);
        let given = callable.in_parameters(scope);
        let made = match callable.error(&companion) {
            None => quote!(codegen::Value<Self>),
            Some(error) => quote!(Result<codegen::Value<Self>, #error>),
        };
        quote!(#docs #lints fn #method(#(#given),*) -> #made;)
    });
    let docs = format!(
        " How values of the type [`{state}`] are made. A program that uses it implements it for \
         [`{state}`]."
    );
    quote!(#[doc = #docs] pub trait #name: Sized { #(#functions)* })
}

/// The nearest bases that have a trait of operations.
fn bases(model: &Model, id: DeclId) -> Vec<DeclId> {
    let DeclKind::Value(data) = &model.get(id).kind else { return Vec::new() };
    let mut found = Vec::new();
    for base in &data.bases {
        let nearest = match &model.get(*base).kind {
            DeclKind::Value(data) if data.exports.is_empty() => bases(model, *base),
            _ => vec![*base],
        };
        found.extend(nearest.into_iter().filter(|base| !found.contains(base)).collect::<Vec<_>>());
    }
    found
}
