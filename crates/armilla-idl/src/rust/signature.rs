//! `codegen::Interface::signature`: the types of operations, for interceptors.

use super::operation::Callable;
use super::scope::Scope;
use super::type_codes;
use crate::model::{DeclId, Direction, Type};
use proc_macro2::TokenStream;
use quote::quote;

/// The function for the operations of an interface; inherited operations are looked up in `bases`.
pub(super) fn generate(
    scope: &Scope<'_>,
    callables: &[Callable<'_>],
    bases: &[DeclId],
) -> TokenStream {
    let arms = callables.iter().filter(|callable| travels(scope, callable)).map(|callable| {
        let (name, signature) = (&callable.wire_name, signature(scope, callable));
        quote!(#name => #signature,)
    });
    let arms: Vec<TokenStream> = arms.collect();
    let inherited = bases.iter().map(|base| {
        let base = scope.path(*base);
        quote!(<dyn #base as codegen::Interface>::signature(operation))
    });
    let inherited = inherited.reduce(|first, next| quote!(#first.or_else(|| #next)));
    let body = match (arms.is_empty(), inherited) {
        (true, None) => return TokenStream::new(),
        (true, Some(inherited)) => inherited,
        (false, inherited) => {
            let inherited = inherited.unwrap_or_else(|| quote!(None));
            quote!(Some(match operation { #(#arms)* _ => return #inherited }))
        }
    };
    quote! {
        fn signature(operation: &str) -> Option<codegen::Signature> { #body }
    }
}

/// Whether all its values are of types that have a TypeCode.
fn travels(scope: &Scope<'_>, callable: &Callable<'_>) -> bool {
    let raised: Vec<Type> = callable.raises.iter().map(|id| Type::Named(*id)).collect();
    let parameters = callable.parameters.iter().map(|parameter| parameter.ty);
    let mut all = callable.result.into_iter().chain(parameters).chain(&raised);
    all.all(|ty| !scope.properties.of_type(ty).local)
}

fn signature(scope: &Scope<'_>, callable: &Callable<'_>) -> TokenStream {
    let parameters = callable.parameters.iter().map(|parameter| {
        let (name, code) = (parameter.idl_name, type_codes::of(scope, parameter.ty));
        match parameter.direction {
            Direction::In => quote!(.with_in(#name, #code)),
            Direction::Out => quote!(.with_out(#name, #code)),
            Direction::InOut => quote!(.with_inout(#name, #code)),
        }
    });
    let result = callable.result.map(|ty| {
        let code = type_codes::of(scope, ty);
        quote!(.with_result(#code))
    });
    let exceptions = callable.raises.iter().map(|id| {
        let code = type_codes::of(scope, &Type::Named(*id));
        quote!(.with_exception(#code))
    });
    let contexts = callable.contexts.iter().map(|name| quote!(.with_context(#name)));
    quote!(codegen::Signature::new() #(#parameters)* #result #(#exceptions)* #(#contexts)*)
}
