//! The closures of a stub: one encodes the arguments of a call, one decodes its results.

use super::marshal::{self, Operand, Step};
use super::names;
use super::operation::Callable;
use super::scope::Scope;
use super::types;
use crate::model::{Direction, Type};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// The closure that encodes the arguments; `given`: asynchronous forms take all arguments like
/// `in`.
pub(super) fn arguments(scope: &Scope<'_>, callable: &Callable<'_>, given: bool) -> TokenStream {
    let out = callable.local("out");
    let mut steps: Vec<_> = callable
        .arguments()
        .flat_map(|parameter| {
            let name = names::ident(&parameter.name);
            let operand = match parameter.direction {
                Direction::InOut if !given => Operand::Mutable(name),
                _ if types::is_scalar(scope.model, parameter.ty) => Operand::Value(quote!(#name)),
                _ => Operand::Shared(name),
            };
            marshal::encode(scope, &out, parameter.ty, &operand)
        })
        .collect();
    if let Some(context) = callable.context() {
        let names = callable.contexts;
        steps.push(Step::Try(quote!(#context.write(&[#(#names),*], #out))));
    }
    marshal::closure(&TokenStream::new(), &out, &steps)
}

/// The lint that the closure for the results violates. Clippy suggests the function that the
/// closure calls, but that function is not generic over the lifetime of the decoder.
pub(super) fn redundant(scope: &Scope<'_>, callable: &Callable<'_>) -> Option<&'static str> {
    let types: Vec<&Type> = callable.received().collect();
    match types.as_slice() {
        [ty] if marshal::is_call(scope.model, ty) => Some("redundant_closure"),
        _ => None,
    }
}

/// The closure that decodes the results.
pub(super) fn results(scope: &Scope<'_>, callable: &Callable<'_>) -> TokenStream {
    let input = format_ident!("input");
    let values = callable.received().map(|ty| marshal::decode(scope, &input, ty));
    let values: Vec<TokenStream> = values.collect();
    match values.as_slice() {
        [] => quote!(|_input| Ok(())),
        [value] => quote!(|#input| #value),
        values => quote!(|#input| Ok((#(#values?),*))),
    }
}
