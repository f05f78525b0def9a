//! Servants that reply later: for each interface a trait whose methods get a handle for the reply,
//! and the skeleton that calls them.

use super::dispatch::Generator;
use super::lints;
use super::module::Module;
use super::names;
use super::operation::Callable;
use super::queries;
use super::scope::{self, Scope};
use crate::model::DeclId;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The module of the skeleton.
pub(super) const SKELETON: &str = "skeleton_amh";

/// Emits the trait and its implementations.
pub(super) fn generate(interface: &Generator<'_, '_>, module: &mut Module) {
    let all_bases = queries::all_bases(interface.scope.model, interface.id);
    module.push(definition(interface));
    module.push(implementation(interface, &all_bases));
    let amh = name(interface);
    module.push(quote!(impl codegen::IsA<dyn #amh> for dyn #amh {}));
    for base in [interface.id].iter().chain(&all_bases) {
        let base = interface.scope.path(*base);
        module.push(quote!(impl codegen::IsA<dyn #base> for dyn #amh {}));
    }
}

fn name(interface: &Generator<'_, '_>) -> Ident {
    names::ident(&scope::amh_name(interface.declaration))
}

fn definition(interface: &Generator<'_, '_>) -> TokenStream {
    let (name, amh) = (&interface.name, name(interface));
    let bases = interface.direct_bases().iter().map(|base| interface.scope.amh(*base));
    let methods = interface.callables.iter().filter(|callable| !callable.oneway);
    let methods = methods.map(|callable| method(interface, callable));
    let docs = format!(
        " Servants of [`{name}`] that may reply later. What is not implemented here is what \
         the method of [`{name}`] returns."
    );
    quote!(#[doc = #docs] pub trait #amh: #name #(+ #bases)* { #(#methods)* })
}

fn method(interface: &Generator<'_, '_>, callable: &Callable<'_>) -> TokenStream {
    let method = interface.scope.derived_method(&callable.stem, "amh");
    let lints = lints::later_method(callable, &method, 1);
    let method = names::ident(&method);
    let docs = format!(" `{}`, with the reply whenever `reply` is completed.", callable.idl_name);
    let given = callable.in_parameters(interface.scope);
    let outcome = callable.reply_type(interface.scope, &interface.companion);
    let (preparation, result) = callable.blocking_call(interface.scope);
    let reply = callable.local("reply");
    quote! {
        #[doc = #docs]
        #lints
        fn #method(&self #(, #given)*, #reply: codegen::ResponseHandler<#outcome>) {
            #preparation
            #reply.complete(#result);
        }
    }
}

fn implementation(interface: &Generator<'_, '_>, all_bases: &[DeclId]) -> TokenStream {
    let (name, amh) = (&interface.name, name(interface));
    let function_module =
        |callable: &Callable<'_>| if callable.oneway { "skeleton" } else { SKELETON };
    let servant_base = interface.base_of_servants();
    let dispatch = interface.dispatch(&amh, all_bases, function_module);
    let offers = all_bases.iter().map(|base| {
        let base = interface.scope.path(*base);
        quote!(target.offer::<dyn #base>(|| servant.clone());)
    });
    quote! {
        impl codegen::Interface for dyn #amh {
            const REPOSITORY_ID: &'static str = <dyn #name as codegen::Interface>::REPOSITORY_ID;
            const BASES: &'static [&'static str] = <dyn #name as codegen::Interface>::BASES;
            #dispatch
            #servant_base
            fn signature(operation: &str) -> Option<codegen::Signature> {
                <dyn #name as codegen::Interface>::signature(operation)
            }
            fn upcast(servant: ::std::sync::Arc<Self>, target: &mut codegen::Upcast<'_>) {
                target.offer::<dyn #amh>(|| servant.clone());
                target.offer::<dyn #name>(|| servant.clone());
                #(#offers)*
            }
        }
    }
}

pub(super) fn tie(interface: &Generator<'_, '_>) -> TokenStream {
    let (name, amh) = (&interface.name, name(interface));
    let docs = format!(
        " Ties a servant that may reply later to the skeleton of [`{name}`](super::{name}), \
         for an object adapter."
    );
    quote! {
        #[doc = #docs]
        pub fn tie_amh(servant: impl super::#amh) -> ::std::sync::Arc<dyn super::#amh> {
            ::std::sync::Arc::new(servant)
        }
    }
}

/// The functions of the skeleton, in the module of the interface.
pub(super) fn skeleton(interface: &Generator<'_, '_>, within: &Scope<'_>) -> Module {
    let mut functions = Module::default();
    let scope = within.child(SKELETON);
    for callable in interface.callables.iter().filter(|callable| !callable.oneway) {
        functions.push(super::skeleton::generate_amh(&scope, interface.id, callable));
    }
    functions
}
