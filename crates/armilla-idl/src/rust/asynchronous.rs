//! Asynchronous forms of operations: provided methods of the interface's trait, which references
//! override with calls.

use super::closures;
use super::lints;
use super::names;
use super::operation::Callable;
use super::scope::Scope;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The provided method of the trait, for servants: it calls the operation and returns a future that
/// is ready.
pub(super) fn provided(
    scope: &Scope<'_>,
    companion: &Ident,
    callable: &Callable<'_>,
) -> TokenStream {
    let Some(signature) = signature(scope, companion, callable) else { return TokenStream::new() };
    let docs = format!(" [`{0}`](Self::{0}) without waiting for the reply.", callable.method);
    let lints = lints::later_method(callable, &method(scope, callable), 0);
    let (preparation, outcome) = callable.blocking_call(scope);
    quote! {
        #[doc = #docs]
        #lints
        #signature {
            #preparation
            codegen::ReplyFuture::ready(#outcome)
        }
    }
}

/// The method of references.
pub(super) fn for_references(
    scope: &Scope<'_>,
    name: &Ident,
    companion: &Ident,
    callable: &Callable<'_>,
) -> TokenStream {
    let Some(signature) = signature(scope, companion, callable) else { return TokenStream::new() };
    let method = names::ident(&method(scope, callable));
    let stub = callable.local("stub");
    let parameters = callable.local_arguments();
    let wire_name = &callable.wire_name;
    let invoke = match callable.raises.is_empty() {
        true => names::ident("invoke_async"),
        false => names::ident("invoke_raises_async"),
    };
    let arguments = closures::arguments(scope, callable, true);
    let results = closures::results(scope, callable);
    let lints = lints::allow(closures::redundant(scope, callable).as_slice());
    quote! {
        #lints
        #signature {
            if let Some(#stub) = self.factory_stub() {
                return #name::#method(#stub #(, #parameters)*);
            }
            self.#invoke(#wire_name, #arguments, #results)
        }
    }
}

/// The signature of the method; `None` if the operation has no asynchronous form.
fn signature(scope: &Scope<'_>, companion: &Ident, callable: &Callable<'_>) -> Option<TokenStream> {
    if callable.oneway || !scope.options.asynchronous {
        return None;
    }
    let method = names::ident(&method(scope, callable));
    let parameters = callable.in_parameters(scope);
    let outcome = callable.reply_type(scope, companion);
    Some(quote!(fn #method(&self #(, #parameters)*) -> codegen::ReplyFuture<#outcome>))
}

fn method(scope: &Scope<'_>, callable: &Callable<'_>) -> String {
    scope.derived_method(&callable.stem, "async")
}
