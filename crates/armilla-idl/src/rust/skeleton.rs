//! The server side: for each operation a function that decodes the arguments, calls the servant
//! and encodes the reply.
//!
//! The function is not generic: derived interfaces call it with the servant as a base, and what all
//! operations share is compiled with the runtime. `compile-cost` guards what is left.

use super::fixed;
use super::marshal::{self, Operand, Step};
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
    let call = callable.local("call");
    let (servant, method) = (callable.local("servant"), names::ident(&callable.method));
    let reads = reads(scope, callable, &call, false);
    let passed = callable.arguments().map(|parameter| {
        let name = names::ident(&parameter.name);
        match parameter.direction {
            Direction::InOut => quote!(&mut #name),
            _ if is_lent(scope, parameter.ty) => quote!(#name),
            _ => quote!(&#name),
        }
    });
    let passed = passed.chain(callable.context().map(|context| quote!(&#context)));
    let invoke = quote!(#servant.#method(#(#passed),*));
    let answer = match callable.oneway {
        true => quote!(#call.no_reply(#invoke)),
        false => reply(scope, callable, &call, invoke),
    };
    quote! {
        pub fn #method(
            #servant: &dyn #interface,
            #call: &mut codegen::ServerCall<'_>,
        ) -> codegen::Dispatched {
            #reads
            #answer
        }
    }
}

/// The function of one operation for servants that reply later.
pub(super) fn generate_amh(
    scope: &Scope<'_>,
    interface: DeclId,
    callable: &Callable<'_>,
) -> TokenStream {
    let interface = scope.amh(interface);
    let call = callable.local("call");
    let (servant, name) = (callable.local("servant"), names::ident(&callable.method));
    let method = names::ident(&scope.derived_method(&callable.stem, "amh"));
    let reads = reads(scope, callable, &call, true);
    let passed = callable.arguments().map(|parameter| {
        let name = names::ident(&parameter.name);
        let lend = (!is_lent(scope, parameter.ty)).then(|| quote!(&));
        quote!(#lend #name)
    });
    let passed = passed.chain(callable.context().map(|context| quote!(&#context)));
    let encode = encode_received(scope, callable);
    quote! {
        pub fn #name(
            #servant: &dyn #interface,
            #call: &mut codegen::ServerCall<'_>,
        ) -> codegen::Dispatched {
            #reads
            #servant.#method(#(#passed,)* #call.response_handler(#encode));
            Ok(())
        }
    }
}

/// The variables of the arguments; `given`: servants that reply later take all arguments like `in`.
fn reads(scope: &Scope<'_>, callable: &Callable<'_>, call: &Ident, given: bool) -> TokenStream {
    let input = callable.local("input");
    let context = callable.context();
    let reads_anything = context.is_some() || callable.arguments().next().is_some();
    let bind_input = reads_anything.then(|| quote!(let #input = &mut #call.arguments();));
    let reads = callable.arguments().map(|parameter| {
        let changes = parameter.direction == Direction::InOut && !given;
        read(scope, &input, parameter, changes)
    });
    let context = context.map(|context| quote!(let #context = codegen::Context::read(#input)?;));
    quote!(#bind_input #(#reads)* #context)
}

/// The closure that encodes the values of a reply, which it takes as one value.
fn encode_received(scope: &Scope<'_>, callable: &Callable<'_>) -> TokenStream {
    let mut types = callable.received();
    if let (Some(ty), None) = (types.next(), types.next())
        && marshal::is_call(scope.model, ty)
    {
        return quote!(codegen::Encode::encode);
    }
    let result = callable.result.map(|_| callable.local("result"));
    let parameters = callable.results().map(|parameter| names::ident(&parameter.name));
    let pattern = result.into_iter().chain(parameters).map(|name| quote!(#name));
    let pattern = operation::tuple(&pattern.collect::<Vec<_>>());
    let (out, steps) = result_steps(scope, callable);
    marshal::closure(&quote!(#pattern,), &out, &steps)
}

/// The encoder, and the steps that encode the values of a reply.
fn result_steps(scope: &Scope<'_>, callable: &Callable<'_>) -> (Ident, Vec<Step>) {
    let out = callable.local("out");
    let result = callable.result.map(|ty| (ty, callable.local("result")));
    let parameters =
        callable.results().map(|parameter| (parameter.ty, names::ident(&parameter.name)));
    let places = result.into_iter().chain(parameters);
    let steps =
        places.flat_map(|(ty, name)| marshal::encode(scope, &out, ty, &Operand::Shared(name)));
    let steps = steps.collect();
    (out, steps)
}

/// Whether the variable for an `in` argument is passed as it is.
fn is_lent(scope: &Scope<'_>, ty: &Type) -> bool {
    types::is_scalar(scope.model, ty) || types::is_octets(scope.model, ty)
}

fn read(
    scope: &Scope<'_>,
    input: &Ident,
    parameter: &operation::Parameter<'_>,
    changes: bool,
) -> TokenStream {
    let name = names::ident(&parameter.name);
    let ty = parameter.ty;
    let (mutable, value) = match changes {
        true => (Some(quote!(mut)), marshal::decode(scope, input, ty)),
        false => (None, marshal::decode_borrowed(scope, input, ty)),
    };
    // `codegen::Decode` needs a type annotation; methods of the decoder do not.
    let is_said = matches!(scope.model.resolve(ty), Type::Primitive(_))
        || mutable.is_none() && is_borrowed(scope, ty);
    let annotation = (!is_said).then(|| {
        let ty = types::owned(scope, ty);
        quote!(: #ty)
    });
    quote!(let #mutable #name #annotation = #value?;)
}

/// Whether an `in` argument of the type is borrowed from the request or the thread.
fn is_borrowed(scope: &Scope<'_>, ty: &Type) -> bool {
    let is_lent = match scope.model.resolve(ty) {
        Type::String(_) | Type::WString(_) => true,
        Type::Sequence(element, _) => {
            fixed::is_fixed(scope, element) || types::is_number(scope.model, element)
        }
        _ => false,
    };
    is_lent || types::is_octets(scope.model, ty)
}

/// The reply: what the servant returned, with the `inout` parameters among the `out` ones.
fn reply(
    scope: &Scope<'_>,
    callable: &Callable<'_>,
    call: &Ident,
    invoke: TokenStream,
) -> TokenStream {
    let result_name = callable.local("result");
    let (out, steps) = result_steps(scope, callable);
    let outs = callable.results().filter(|parameter| parameter.direction == Direction::Out);
    let outs = outs.map(|parameter| names::ident(&parameter.name));
    let returned = callable.result.map(|_| result_name).into_iter().chain(outs);
    let returned: Vec<TokenStream> = returned.map(|name| quote!(#name)).collect();
    let pattern = operation::tuple(&returned);
    let inouts = callable.inouts().map(|parameter| names::ident(&parameter.name));
    let inouts: Vec<TokenStream> = inouts.map(|name| quote!(#name)).collect();
    if callable.received().next().is_none() {
        return quote!(#call.reply_void(#invoke));
    }
    if inouts.is_empty() {
        let mut types = callable.returned();
        let encode = match (types.next(), types.next()) {
            (Some(ty), None) if marshal::is_call(scope.model, ty) => {
                quote!(codegen::Encode::encode)
            }
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
            quote!(codegen::Encode::encode)
        }
        _ => marshal::closure(&quote!(#pattern,), &out, &steps),
    };
    quote! {
        let #outcome = #invoke;
        #call.reply(#outcome.map(|#value_pattern| #value), #encode)
    }
}
