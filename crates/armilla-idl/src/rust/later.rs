//! Servants that reply later: for each interface a trait whose methods get a handle for the reply,
//! and the skeleton that calls them.

use super::interface::{Generator, all_bases};
use super::module::Module;
use super::names;
use super::operation::Callable;
use super::scope::{self, Scope};
use super::skeleton;
use crate::model::DeclId;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The module of the skeleton.
pub(super) const LATER: &str = "skeleton_later";

impl Generator<'_, '_> {
    /// Adds what stands beside the interface's own trait.
    pub(super) fn later(&self, module: &mut Module) {
        let all_bases = all_bases(self.scope.model, self.id);
        module.push(self.later_definition());
        module.push(self.later_interface(&all_bases));
        let later = self.later_name();
        module.push(quote!(impl rt::IsA<dyn #later> for dyn #later {}));
        for base in [self.id].iter().chain(&all_bases) {
            let base = self.scope.path(*base);
            module.push(quote!(impl rt::IsA<dyn #base> for dyn #later {}));
        }
    }

    fn later_name(&self) -> Ident {
        names::ident(&scope::later_name(self.declaration))
    }

    fn later_definition(&self) -> TokenStream {
        let (name, later) = (&self.name, self.later_name());
        let bases = self.direct_bases().iter().map(|base| self.scope.later(*base));
        let methods = self.callables.iter().filter(|callable| !callable.oneway);
        let methods = methods.map(|callable| self.later_method(callable));
        let docs = format!(
            " Servants of [`{name}`] that may reply later. What is not implemented here is what \
             the method of [`{name}`] returns."
        );
        quote!(#[doc = #docs] pub trait #later: #name #(+ #bases)* { #(#methods)* })
    }

    fn later_method(&self, callable: &Callable<'_>) -> TokenStream {
        let method = names::ident(&self.scope.derived_method(&callable.stem, "later"));
        let docs =
            format!(" `{}`, with the reply whenever `reply` is completed.", callable.idl_name);
        let lints = callable.lints(self.scope);
        let given = callable.given(self.scope);
        let outcome = callable.outcome(self.scope, &self.companion);
        let (preparation, result) = callable.waiting(self.scope);
        let reply = callable.local("reply");
        quote! {
            #[doc = #docs]
            #lints
            fn #method(&self #(, #given)*, #reply: rt::ReplyHandle<#outcome>) {
                #preparation
                #reply.complete(#result);
            }
        }
    }

    fn later_interface(&self, all_bases: &[DeclId]) -> TokenStream {
        let (name, later) = (&self.name, self.later_name());
        let skeleton = |callable: &Callable<'_>| if callable.oneway { "skeleton" } else { LATER };
        let servant_base = self.base_of_servants();
        let dispatch = self.dispatch(&later, all_bases, skeleton);
        let offers = all_bases.iter().map(|base| {
            let base = self.scope.path(*base);
            quote!(target.offer::<dyn #base>(|| servant.clone());)
        });
        quote! {
            impl rt::Interface for dyn #later {
                const REPOSITORY_ID: &'static str = <dyn #name as rt::Interface>::REPOSITORY_ID;
                const BASES: &'static [&'static str] = <dyn #name as rt::Interface>::BASES;
                #dispatch
                #servant_base
                fn signature(operation: &str) -> Option<rt::Signature> {
                    <dyn #name as rt::Interface>::signature(operation)
                }
                fn upcast(servant: ::std::sync::Arc<Self>, target: &mut rt::Upcast<'_>) {
                    target.offer::<dyn #later>(|| servant.clone());
                    target.offer::<dyn #name>(|| servant.clone());
                    #(#offers)*
                }
            }
        }
    }

    pub(super) fn tie_later(&self) -> TokenStream {
        let (name, later) = (&self.name, self.later_name());
        let docs = format!(
            " Ties a servant that may reply later to the skeleton of [`{name}`](super::{name}), \
             for an object adapter."
        );
        quote! {
            #[doc = #docs]
            pub fn tie_later(servant: impl super::#later) -> ::std::sync::Arc<dyn super::#later> {
                ::std::sync::Arc::new(servant)
            }
        }
    }

    /// The functions of the skeleton, seen from the module of the interface.
    pub(super) fn later_skeleton(&self, within: &Scope<'_>) -> Module {
        let mut functions = Module::default();
        let scope = within.child(LATER);
        for callable in self.callables.iter().filter(|callable| !callable.oneway) {
            functions.push(skeleton::generate_later(&scope, self.id, callable));
        }
        functions
    }
}
