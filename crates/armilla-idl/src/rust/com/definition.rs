//! Structs and enums of COM. A struct comes twice: as its members are used, and, in a module, as they travel.

use super::super::docs::docs;
use super::super::module::Module;
use super::super::names;
use super::super::scope::{self, Scope};
use super::sizes::{Numbers, checks, counted, emptied};
use super::types::{from_wire, leads_back, same, value, wire};
use super::union;
use crate::model::{ComDefinition, ComEnum, ComEvents, ComField, DeclId, Declaration};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// Emits a struct or an enum. An alias is what it stands for wherever it is used.
pub(in super::super) fn define(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &ComDefinition,
    module: &mut Module,
) {
    match data {
        ComDefinition::Struct(fields) => {
            module.push(structure(scope, declaration, fields));
            let companion = names::module(&declaration.name);
            let name = names::ident(&scope::name(declaration));
            let docs = format!(" How a [`{name}`] travels.");
            let mut inner = Module::default();
            inner.push(travelling(&scope.child(&companion), declaration, fields));
            if leads_back(scope.model, id) {
                inner.push(boxed(&quote!(super::#name)));
            }
            module.push_module(quote!(#[doc = #docs]), &companion, inner);
        }
        ComDefinition::Enum(data) => enumeration(declaration, data, module),
        ComDefinition::Union(data) => union::define(scope, id, declaration, data, module),
        ComDefinition::Class(clsid) => class(declaration, clsid, module),
        ComDefinition::Dispatch(data) => events(declaration, data, module),
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
    let local = Numbers::of_members(fields, |name, ty| Numbers::native(ty, quote!(#name)));
    let own = Numbers::of_members(fields, |name, ty| Numbers::travelling(ty, quote!(self.#name)));
    let none = Numbers::of_members(fields, |_, _| Some(quote!(0)));
    let converted = |convert: &dyn Fn(&ComField, TokenStream) -> TokenStream| {
        let fields = fields.iter().zip(&members).map(move |(field, name)| {
            let converted = convert(field, quote!(#name));
            match same(&field.ty) {
                true => quote!(#name),
                false => quote!(#name: #converted),
            }
        });
        fields.collect::<Vec<_>>()
    };
    let there = converted(&|field, name| counted(&field.ty, name, &field.bounds, &local));
    let back = converted(&|field, name| from_wire(&field.ty, name));
    let nothing = fields.iter().map(|field| emptied(&field.ty, &field.bounds, &none));
    let checks = fields.iter().map(|field| {
        let (name, full) =
            (names::field(&field.name), format!("{}.{}", declaration.name, field.name));
        checks(&field.ty, &quote!(self.#name), &field.bounds, &full, &own)
    });
    let checks: TokenStream = checks.collect();
    let (check, checked) = super::sizes::check(&checks, &quote!(Wire));
    quote! {
        ::armilla_dcom::generated::ndr_struct! {
            /// The members as they travel.
            pub struct Wire { #(#[doc = #member_docs] pub #members: #types),* } #checked
        }
        #check
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
        #[allow(clippy::derivable_impls)]
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

/// The way through a box, for what pointers lead back to.
pub(super) fn boxed(ty: &TokenStream) -> TokenStream {
    quote! {
        impl From<::std::boxed::Box<#ty>> for Wire {
            fn from(value: ::std::boxed::Box<#ty>) -> Self { (*value).into() }
        }
        impl From<Wire> for ::std::boxed::Box<#ty> {
            fn from(wire: Wire) -> Self { ::std::boxed::Box::new(wire.into()) }
        }
    }
}

/// A class: its CLSID.
fn class(declaration: &Declaration, clsid: &str, module: &mut Module) {
    let text = docs(&declaration.docs, &format!("COM class `{}`.", declaration.name));
    let mut inner = Module::default();
    inner.push(quote! {
        /// The CLSID of the class.
        pub const CLSID: ::armilla_dcom::generated::Uuid =
            ::armilla_dcom::generated::Uuid::literal(#clsid);
    });
    module.push_module(text, &names::module(&declaration.name), inner);
}

/// An interface that is called by the numbers of its members.
fn events(declaration: &Declaration, data: &ComEvents, module: &mut Module) {
    let text = docs(&declaration.docs, &format!("COM dispinterface `{}`.", declaration.name));
    let iid = &data.iid;
    let members = data.members.iter().map(|member| {
        let name = names::ident(&names::upper(&member.name));
        let docs = docs(&member.docs, &format!("The number of `{}`.", member.name));
        let number = Literal::i32_unsuffixed(member.value);
        quote!(#docs pub const #name: i32 = #number;)
    });
    let mut inner = Module::default();
    inner.push(quote! {
        /// The IID of the interface.
        pub const IID: ::armilla_dcom::generated::Uuid =
            ::armilla_dcom::generated::Uuid::literal(#iid);
        #(#members)*
    });
    module.push_module(text, &names::module(&declaration.name), inner);
}
