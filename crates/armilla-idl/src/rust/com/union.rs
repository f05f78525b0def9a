//! Unions of COM: an enum as its arms are used, and, in a module, one as they travel.

use super::super::docs::docs;
use super::super::module::Module;
use super::super::names;
use super::super::scope::{self, Scope};
use super::definition::boxed;
use super::types::{from_wire, leads_back, nothing, to_wire, value, wire};
use crate::model::{ComArm, ComField, ComUnion, DeclId, Declaration};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

pub(super) fn define(
    scope: &Scope<'_>,
    id: DeclId,
    declaration: &Declaration,
    data: &ComUnion,
    module: &mut Module,
) {
    let name = names::ident(&scope::name(declaration));
    module.push(enumeration(scope, declaration, data));
    let companion = names::module(&declaration.name);
    let inner_scope = scope.child(&companion);
    let mut inner = Module::default();
    inner.push(travelling(&inner_scope, data));
    inner.push(conversions(&quote!(super::#name), data));
    if leads_back(scope.model, id) {
        inner.push(boxed(&quote!(super::#name)));
    }
    let docs = format!(" How a [`{name}`] travels.");
    module.push_module(quote!(#[doc = #docs]), &companion, inner);
}

/// The arms with something, and whether more than one tag selects them.
fn full(data: &ComUnion) -> impl Iterator<Item = (&ComArm, &ComField, bool)> {
    data.arms.iter().filter_map(|arm| {
        let field = arm.field.as_ref()?;
        Some((arm, field, arm.default || arm.labels.len() > 1))
    })
}

fn variant(field: &ComField) -> Ident {
    names::ident(&names::camel(&field.name))
}

/// The name of the variant for tags that select nothing.
fn empty(data: &ComUnion) -> Ident {
    let taken: Vec<String> = full(data).map(|(_, field, _)| names::camel(&field.name)).collect();
    let free = ["Nothing", "Empty", "NoArm"].into_iter().find(|it| !taken.iter().any(|t| t == it));
    names::ident(free.unwrap_or("NothingAtAll"))
}

fn enumeration(scope: &Scope<'_>, declaration: &Declaration, data: &ComUnion) -> TokenStream {
    let name = names::ident(&scope::name(declaration));
    let type_docs = docs(&declaration.docs, &format!("COM union `{}`.", declaration.name));
    let tag = value(scope, &data.tag);
    let variants = full(data).map(|(_, field, many)| {
        let (name, ty) = (variant(field), value(scope, &field.ty));
        let docs = docs(&field.docs, &format!("COM arm `{}`.", field.name));
        match many {
            true => {
                quote!(#docs #[doc = ""] #[doc = " The first part is the tag."] #name(#tag, #ty))
            }
            false => quote!(#docs #name(#ty)),
        }
    });
    let empty = data.has_empty().then(|| {
        let name = empty(data);
        quote!(#[doc = " Nothing, by this tag."] #name(#tag))
    });
    let variants = variants.chain(empty);
    quote! {
        #type_docs
        #[derive(Debug, Clone, PartialEq)]
        pub enum #name { #(#variants),* }
    }
}

/// The union on the wire. The arm that other tags select stands last.
fn travelling(scope: &Scope<'_>, data: &ComUnion) -> TokenStream {
    let tag = wire(scope, &data.tag);
    let mut arms: Vec<(bool, TokenStream)> = Vec::new();
    for (arm, field, _) in full(data) {
        let (name, ty, docs) =
            (variant(field), wire(scope, &field.ty), format!(" Arm `{}`.", field.name));
        arms.push((
            arm.default,
            arm_of(arm.default, &arm.labels, &docs, &name, &quote!(value: #ty)),
        ));
    }
    if data.has_empty() {
        let nothing = data.arms.iter().filter(|arm| arm.field.is_none());
        let labels: Vec<i64> = nothing.clone().flat_map(|arm| arm.labels.clone()).collect();
        let default = nothing.clone().any(|arm| arm.default);
        let name = empty(data);
        arms.push((default, arm_of(default, &labels, " Nothing.", &name, &TokenStream::new())));
    }
    arms.sort_by_key(|(default, _)| *default);
    let arms = arms.into_iter().map(|(_, arm)| arm);
    quote! {
        ::armilla_dcom::generated::com_union! {
            /// The arms as they travel, each with its tag.
            pub enum Wire: #tag { #(#arms),* }
        }
    }
}

fn arm_of(
    default: bool,
    labels: &[i64],
    docs: &str,
    name: &Ident,
    value: &TokenStream,
) -> TokenStream {
    let labels = labels.iter().map(|label| Literal::i64_unsuffixed(*label));
    let pattern = match default {
        true => quote!(_),
        false => quote!(#(#labels)|*),
    };
    quote!(#[doc = #docs] #pattern => #name(#value))
}

fn conversions(ty: &TokenStream, data: &ComUnion) -> TokenStream {
    let there = full(data).map(|(arm, field, many)| {
        let (name, sent) = (variant(field), to_wire(&field.ty, quote!(value)));
        match (many, arm.labels.first()) {
            (false, Some(label)) => {
                let label = Literal::i64_unsuffixed(*label);
                quote! {
                    #ty::#name(value) =>
                        Self::#name(::armilla_dcom::generated::Tag::of(#label), #sent)
                }
            }
            _ => quote!(#ty::#name(tag, value) => Self::#name(tag, #sent)),
        }
    });
    let back = full(data).map(|(_, field, many)| {
        let (name, taken) = (variant(field), from_wire(&field.ty, quote!(value)));
        match many {
            true => quote!(Wire::#name(tag, value) => Self::#name(tag, #taken)),
            false => quote!(Wire::#name(_, value) => Self::#name(#taken)),
        }
    });
    let empty = empty(data);
    let without = data.has_empty();
    let empty_there = without.then(|| quote!(#ty::#empty(tag) => Self::#empty(tag)));
    let empty_back = without.then(|| quote!(Wire::#empty(tag) => Self::#empty(tag)));
    let (there, back) = (there.chain(empty_there), back.chain(empty_back));
    let default = default(data, &empty);
    quote! {
        impl From<#ty> for Wire {
            fn from(value: #ty) -> Self { match value { #(#there),* } }
        }
        impl From<Wire> for #ty {
            fn from(wire: Wire) -> Self { match wire { #(#back),* } }
        }
        impl Default for Wire {
            fn default() -> Self { #default }
        }
    }
}

/// What a call that failed gives.
fn default(data: &ComUnion, empty: &Ident) -> TokenStream {
    let known: Vec<i64> = data.arms.iter().flat_map(|arm| arm.labels.clone()).collect();
    let free = (0..).find(|number| !known.contains(number)).unwrap_or_default();
    let label = |arm: &ComArm| {
        let label = Literal::i64_unsuffixed(arm.labels.first().copied().unwrap_or(free));
        quote!(::armilla_dcom::generated::Tag::of(#label))
    };
    if let Some(arm) = data.arms.iter().find(|arm| arm.field.is_none()) {
        let tag = label(arm);
        return quote!(Self::#empty(#tag));
    }
    let first = full(data).next().map(|(arm, field, _)| {
        let (name, tag, nothing) = (variant(field), label(arm), nothing(&field.ty));
        quote!(Self::#name(#tag, #nothing))
    });
    first.unwrap_or_default()
}
