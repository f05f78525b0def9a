//! The client side: references implement the traits of their interfaces.

use super::asynchronous;
use super::closures;
use super::lent;
use super::lints;
use super::names;
use super::operation::{self, Callable, Parameter};
use super::scope::Scope;
use crate::model::Direction;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The implementation of the interface's trait for references.
pub(super) fn generate(
    scope: &Scope<'_>,
    name: &Ident,
    companion: &Ident,
    callables: &[Callable<'_>],
) -> TokenStream {
    let methods = callables.iter().map(|callable| {
        let method = method(scope, name, companion, callable);
        let asynchronous = asynchronous::for_references(scope, name, companion, callable);
        quote!(#method #asynchronous)
    });
    let interface = scope.unused_type_name("I");
    quote! {
        impl<#interface: #name + codegen::Interface + ?Sized> #name for codegen::Ref<#interface> {
            #(#methods)*
        }
    }
}

fn method(
    scope: &Scope<'_>,
    name: &Ident,
    companion: &Ident,
    callable: &Callable<'_>,
) -> TokenStream {
    let signature = callable.signature(scope, companion);
    let method = names::ident(&callable.method);
    let (servant, done) = (callable.local("servant"), callable.local("done"));
    let parameters = callable.local_arguments();
    let remote = remote(scope, callable);
    let met = closures::redundant(scope, callable)
        .into_iter()
        .chain(lints::raises(scope.properties, callable));
    let lints = lints::allow(&met.collect::<Vec<_>>());
    let (reach, operation) = match lent::is_lent(scope.model, callable) {
        true => ("directly_or_lent", Some(&callable.wire_name)),
        false => ("directly", None),
    };
    let (reach, operation) = (names::ident(reach), operation.map(|name| quote!(#name,)));
    quote! {
        #lints
        #signature {
            if let Some(#done) = self.#reach(
                #operation |#servant| #name::#method(#servant #(, #parameters)*)
            ) {
                return #done;
            }
            #remote
        }
    }
}

/// The remote call.
fn remote(scope: &Scope<'_>, callable: &Callable<'_>) -> TokenStream {
    let wire_name = &callable.wire_name;
    let arguments = closures::arguments(scope, callable, false);
    if callable.oneway {
        return quote!(self.invoke_oneway(#wire_name, #arguments));
    }
    let invoke = if callable.raises.is_empty() { "invoke" } else { "invoke_raises" };
    let invoke = names::ident(invoke);
    let results = closures::results(scope, callable);
    let call = quote!(self.#invoke(#wire_name, #arguments, #results));
    if callable.inouts().next().is_none() {
        return call;
    }
    let assignments = callable.inouts().map(|parameter| {
        let (name, new) = (names::ident(&parameter.name), new_value(callable, parameter));
        quote!(*#name = #new;)
    });
    let result = callable.result.map(|_| callable.local("result"));
    let changed = callable.results().map(|parameter| new_value(callable, parameter));
    let received = idents(result.iter().cloned().chain(changed));
    let outs = callable.results().filter(|parameter| parameter.direction == Direction::Out);
    let returned = result.iter().cloned().chain(outs.map(|out| new_value(callable, out)));
    let returned = idents(returned);
    let returned = (!returned.is_empty()).then(|| operation::tuple(&returned));
    let received = operation::tuple(&received);
    quote! {
        #call.map(|#received| {
            #(#assignments)*
            #returned
        })
    }
}

fn idents(idents: impl Iterator<Item = Ident>) -> Vec<TokenStream> {
    idents.map(|ident| quote!(#ident)).collect()
}

/// The variable for the new value of a parameter.
fn new_value(callable: &Callable<'_>, parameter: &Parameter<'_>) -> Ident {
    match parameter.direction {
        Direction::InOut => callable.local(&format!("new_{}", parameter.name)),
        _ => names::ident(&parameter.name),
    }
}
