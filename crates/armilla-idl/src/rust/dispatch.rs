//! The common part of the emitters of an interface: the interface with its names and operations,
//! and the dispatch of requests to the functions of a skeleton.

use super::names;
use super::operation::{self, Callable};
use super::options::Sides;
use super::scope::Scope;
use crate::model::{DeclId, Declaration, Flavour, Interface};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

pub(super) struct Generator<'a, 'm> {
    pub(super) scope: &'a Scope<'m>,
    pub(super) id: DeclId,
    pub(super) declaration: &'m Declaration,
    pub(super) data: &'m Interface,
    pub(super) name: Ident,
    pub(super) companion: Ident,
    pub(super) callables: Vec<Callable<'m>>,
}

impl Generator<'_, '_> {
    pub(super) fn is_local(&self) -> bool {
        self.data.flavour == Flavour::Local
    }

    pub(super) fn direct_bases(&self) -> &[DeclId] {
        &self.data.bases
    }

    /// Whether its servants can receive requests.
    pub(super) fn serves(&self) -> bool {
        !self.is_local() && self.scope.options.sides != Sides::Client
    }

    /// Whether servants of it can reply later.
    pub(super) fn amh(&self) -> bool {
        self.serves() && self.scope.options.amh
    }

    /// The method of `codegen::Interface` that forwards to it.
    pub(super) fn base_of_servants(&self) -> TokenStream {
        if !self.serves() {
            return TokenStream::new();
        }
        let name = &self.name;
        quote! {
            fn servant_base(&self) -> Option<&dyn codegen::ServantBase> {
                #name::servant_base(self)
            }
        }
    }

    /// The dispatch of `codegen::Interface` for the trait `name`: from the operation name to the
    /// function of the skeleton, including inherited operations.
    pub(super) fn dispatch(
        &self,
        name: &Ident,
        all_bases: &[DeclId],
        skeleton: impl Fn(&Callable<'_>) -> &'static str,
    ) -> TokenStream {
        let nothing = quote! {
            fn dispatch(&self, call: &mut codegen::ServerCall<'_>) -> codegen::Dispatched {
                call.unknown_operation()
            }
        };
        if self.scope.options.sides == Sides::Client {
            return nothing;
        }
        let mut wire_names = Vec::new();
        let mut functions = Vec::new();
        for id in [self.id].iter().chain(all_bases) {
            let companion = self.scope.companion(*id);
            for callable in operation::callables(self.scope, *id) {
                let method = names::ident(&callable.method);
                let skeleton = names::ident(skeleton(&callable));
                wire_names.push(callable.wire_name);
                functions.push(quote!(#companion::#skeleton::#method));
            }
        }
        if wire_names.is_empty() {
            return nothing;
        }
        let count = Literal::usize_unsuffixed(wire_names.len());
        // The perfect hash needs a power of two, at least twice the number of names.
        let places = Literal::usize_unsuffixed((2 * wire_names.len()).next_power_of_two());
        let numbers = (0..functions.len()).map(Literal::usize_unsuffixed);
        quote! {
            const OPERATIONS: &'static [&'static str] = &[#(#wire_names),*];
            fn dispatch(&self, call: &mut codegen::ServerCall<'_>) -> codegen::Dispatched {
                static OPERATIONS: codegen::Operations<#count, #places> =
                    codegen::Operations::new(<dyn #name as codegen::Interface>::OPERATIONS);
                match OPERATIONS.find(call.operation()) {
                    Some(number) => codegen::Interface::perform(self, number, call),
                    None => call.unknown_operation(),
                }
            }
            #[inline(always)]
            fn perform(
                &self,
                number: usize,
                call: &mut codegen::ServerCall<'_>,
            ) -> codegen::Dispatched {
                match number {
                    #(#numbers => #functions(self, call),)*
                    _ => call.unknown_operation(),
                }
            }
        }
    }
}
