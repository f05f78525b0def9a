//! The server side: for each operation a function that decodes the arguments, calls the servant
//! and encodes the reply.

use super::marshal::{self, Place};
use super::names;
use super::operation::{self, Callable};
use super::scope::Scope;
use super::types;
use crate::model::{DeclId, Direction, Type};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The function of one operation of the interface `interface`.
pub(super) fn generate(
    scope: &Scope<'_>,
    interface: DeclId,
    callable: &Callable<'_>,
) -> TokenStream {
    let interface = scope.path(interface);
    let method = names::ident(&callable.method);
    let (servant, call) = (callable.local("servant"), callable.local("call"));
    let input = callable.local("input");
    let reads_anything = callable.has_context || callable.arguments().next().is_some();
    let bind_input = reads_anything.then(|| quote!(let #input = &mut #call.arguments();));
    let reads = callable.arguments().map(|parameter| read(scope, &input, parameter));
    let context =
        callable.has_context.then(|| quote!(let _: Vec<String> = rt::Decode::decode(#input)?;));
    let passed = callable.arguments().map(|parameter| {
        let name = names::ident(&parameter.name);
        match parameter.direction {
            Direction::InOut => quote!(&mut #name),
            _ if is_lent(scope, parameter.ty) => quote!(#name),
            _ => quote!(&#name),
        }
    });
    let invoke = quote!(#servant.#method(#(#passed),*));
    let answer = match callable.oneway {
        true => quote!(#call.no_reply(#invoke)),
        false => reply(scope, callable, &call, invoke),
    };
    quote! {
        pub fn #method<T: #interface + ?Sized>(
            #servant: &T,
            #call: &mut rt::ServerCall<'_>,
        ) -> rt::Dispatched {
            #bind_input
            #(#reads)*
            #context
            #answer
        }
    }
}

/// Whether the variable for an `in` argument is passed as it is.
fn is_lent(scope: &Scope<'_>, ty: &Type) -> bool {
    types::is_scalar(scope.model, ty) || types::is_octets(scope.model, ty)
}

fn read(scope: &Scope<'_>, input: &Ident, parameter: &operation::Parameter<'_>) -> TokenStream {
    let name = names::ident(&parameter.name);
    let ty = parameter.ty;
    let (mutable, value) = match parameter.direction {
        Direction::InOut => (Some(quote!(mut)), marshal::decode(scope, input, ty)),
        _ => (None, marshal::decode_borrowed(scope, input, ty)),
    };
    // Methods of the decoder say what they read; `rt::Decode` must be told.
    let is_said = matches!(scope.model.resolve(ty), Type::Primitive(_))
        || mutable.is_none() && is_borrowed(scope, ty);
    let annotation = (!is_said).then(|| {
        let ty = types::owned(scope, ty);
        quote!(: #ty)
    });
    quote!(let #mutable #name #annotation = #value?;)
}

/// Whether an `in` argument of the type is borrowed from the request.
fn is_borrowed(scope: &Scope<'_>, ty: &Type) -> bool {
    let is_text = matches!(scope.model.resolve(ty), Type::String(_) | Type::WString(_));
    is_text || types::is_octets(scope.model, ty)
}

/// The reply: what the servant returned, with the `inout` parameters among the `out` ones.
fn reply(
    scope: &Scope<'_>,
    callable: &Callable<'_>,
    call: &Ident,
    invoke: TokenStream,
) -> TokenStream {
    let out = callable.local("out");
    let result_name = callable.local("result");
    let mut steps = Vec::new();
    if let Some(ty) = callable.result {
        steps.extend(marshal::encode(scope, &out, ty, &Place::Shared(result_name.clone())));
    }
    for parameter in callable.results() {
        let place = Place::Shared(names::ident(&parameter.name));
        steps.extend(marshal::encode(scope, &out, parameter.ty, &place));
    }
    let outs = callable.results().filter(|parameter| parameter.direction == Direction::Out);
    let outs = outs.map(|parameter| names::ident(&parameter.name));
    let returned = callable.result.map(|_| result_name).into_iter().chain(outs);
    let returned: Vec<TokenStream> = returned.map(|name| quote!(#name)).collect();
    let pattern = operation::tuple(&returned);
    let inouts = callable.inouts().map(|parameter| names::ident(&parameter.name));
    let inouts: Vec<TokenStream> = inouts.map(|name| quote!(#name)).collect();
    if inouts.is_empty() {
        let mut types = callable.returned();
        let encode = match (types.next(), types.next()) {
            (Some(ty), None) if marshal::is_call(scope.model, ty) => quote!(rt::Encode::encode),
            _ => marshal::closure(&quote!(#pattern,), &out, &steps),
        };
        return quote!(#call.reply(#invoke, #encode));
    }
    let outcome = callable.local("outcome");
    let (value_pattern, value, pattern) = if returned.is_empty() {
        (quote!(()), operation::tuple(&inouts), operation::tuple(&inouts))
    } else {
        let value = callable.local("value");
        (quote!(#value), quote!((#value, #(#inouts),*)), quote!((#pattern, #(#inouts),*)))
    };
    let mut results = callable.results();
    let encode = match (results.next(), results.next()) {
        (Some(only), None) if returned.is_empty() && marshal::is_call(scope.model, only.ty) => {
            quote!(rt::Encode::encode)
        }
        _ => marshal::closure(&quote!(#pattern,), &out, &steps),
    };
    quote! {
        let #outcome = #invoke;
        #call.reply(#outcome.map(|#value_pattern| #value), #encode)
    }
}
