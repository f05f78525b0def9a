//! Structs and enums of COM. A struct comes twice: as its members are used, and, in a module, as they travel.

use super::super::docs::docs;
use super::super::module::Module;
use super::super::names;
use super::super::scope::{self, Scope};
use super::types::{from_wire, nothing, same, to_wire, value, wire};
use crate::model::{ComDefinition, ComEnum, ComField, Declaration};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits a struct or an enum. An alias is what it stands for wherever it is used.
pub(in super::super) fn define(
    scope: &Scope<'_>,
    declaration: &Declaration,
    data: &ComDefinition,
    module: &mut Module,
) {
    match data {
        ComDefinition::Struct(fields) => {
            module.push(structure(scope, declaration, fields));
            let companion = names::module(&declaration.name);
            let name = names::ident(&scope::name(declaration));
            let docs = format!(" How a [`{name}`](super::{name}) travels.");
            let mut inner = Module::default();
            inner.push(travelling(&scope.child(&companion), declaration, fields));
            module.push_module(quote!(#[doc = #docs]), &companion, inner);
        }
        ComDefinition::Enum(data) => enumeration(declaration, data, module),
        ComDefinition::Alias(_) => {}
    }
}

fn structure(scope: &Scope<'_>, declaration: &Declaration, fields: &[ComField]) -> TokenStream {
    let name = names::ident(&scope::name(declaration));
    let type_docs = docs(&declaration.docs, &format!("COM struct `{}`.", declaration.name));
    let fields = fields.iter().map(|field| {
        let (name, ty) = (names::field(&field.name), value(scope, &field.ty));
        let docs = docs(&field.docs, &format!("COM member `{}`.", field.name));
        quote!(#docs pub #name: #ty)
    });
    quote! {
        #type_docs
        #[derive(Debug, Clone, PartialEq)]
        pub struct #name { #(#fields),* }
    }
}

fn travelling(scope: &Scope<'_>, declaration: &Declaration, fields: &[ComField]) -> TokenStream {
    let name = names::ident(&scope::name(declaration));
    let members: Vec<_> = fields.iter().map(|field| names::field(&field.name)).collect();
    let types = fields.iter().map(|field| wire(scope, &field.ty));
    let member_docs = fields.iter().map(|field| format!(" Member `{}`.", field.name));
    let converted = |convert: fn(&crate::model::ComType, TokenStream) -> TokenStream| {
        let fields = fields.iter().zip(&members).map(move |(field, name)| {
            let converted = convert(&field.ty, quote!(#name));
            match same(&field.ty) {
                true => quote!(#name),
                false => quote!(#name: #converted),
            }
        });
        fields.collect::<Vec<_>>()
    };
    let (there, back) = (converted(to_wire), converted(from_wire));
    let nothing = fields.iter().map(|field| nothing(&field.ty));
    quote! {
        ::armilla_dcom::generated::ndr_struct! {
            /// The members as they travel.
            pub struct Wire { #(#[doc = #member_docs] pub #members: #types),* }
        }
        impl From<super::#name> for Wire {
            fn from(value: super::#name) -> Self {
                let super::#name { #(#members),* } = value;
                Self { #(#there),* }
            }
        }
        impl From<Wire> for super::#name {
            fn from(wire: Wire) -> Self {
                let Wire { #(#members),* } = wire;
                Self { #(#back),* }
            }
        }
        impl Default for Wire {
            fn default() -> Self { Self { #(#members: #nothing),* } }
        }
    }
}

/// A newtype with a constant for each name: another program may send values without a name.
fn enumeration(declaration: &Declaration, data: &ComEnum, module: &mut Module) {
    let name = names::ident(&scope::name(declaration));
    let type_docs = docs(&declaration.docs, &format!("COM enum `{}`.", declaration.name));
    let wire = if data.wide { quote!(i32) } else { quote!(u16) };
    let values = data.values.iter().map(|value| {
        let name = names::ident(&names::upper(&value.name));
        let docs = docs(&value.docs, &format!("COM `{}`.", value.name));
        let number = Literal::i32_unsuffixed(value.value);
        quote!(#docs pub const #name: Self = Self(#number);)
    });
    module.push(quote! {
        #type_docs
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #name(
            /// The number.
            pub i32,
        );
    });
    module.push(quote!(impl #name { #(#values)* }));
    module.push(quote!(::armilla_dcom::generated::com_enum!(#name, #wire);));
}
