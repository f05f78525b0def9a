//! Types of COM in tables and in signatures, and the way from one to the other.

use super::super::names;
use super::super::scope::Scope;
use crate::model::{ComType, DeclId, DeclKind, Model};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::HashSet;

/// The type in tables.
pub(super) fn wire(scope: &Scope<'_>, ty: &ComType) -> TokenStream {
    let simple = match ty {
        ComType::I1 => "i8",
        ComType::U1 => "u8",
        ComType::I2 => "i16",
        ComType::U2 => "u16",
        ComType::I4 => "i32",
        ComType::U4 => "u32",
        ComType::I8 => "i64",
        ComType::U8 => "u64",
        ComType::R4 => "f32",
        ComType::R8 => "f64",
        ComType::VariantBool => return quote!(::armilla_dcom::generated::VariantBool),
        ComType::Guid => return quote!(::armilla_dcom::generated::Uuid),
        ComType::Date => return quote!(::armilla_dcom::generated::Date),
        ComType::Currency => return quote!(::armilla_dcom::generated::Currency),
        ComType::Decimal => return quote!(::armilla_dcom::generated::Decimal),
        ComType::Bstr => return quote!(::armilla_dcom::generated::Bstr),
        ComType::Variant => return quote!(::armilla_dcom::generated::VariantPointer),
        ComType::SafeArray => return quote!(::armilla_dcom::generated::SafeArrayPointer),
        ComType::WideString => return quote!(::armilla_dcom::generated::WideString),
        ComType::NarrowString => return quote!(::armilla_dcom::generated::NarrowString),
        ComType::Full(ty) => {
            let ty = wire(scope, ty);
            return quote!(::armilla_dcom::generated::Full<#ty>);
        }
        ComType::Reference(ty) => {
            let ty = wire(scope, ty);
            return quote!(::armilla_dcom::generated::Reference<#ty>);
        }
        ComType::Object(_) => {
            return quote! {
                ::armilla_dcom::generated::Unique<::armilla_dcom::generated::InterfacePointer>
            };
        }
        ComType::Unique(ty) => {
            let ty = wire(scope, ty);
            return quote!(::armilla_dcom::generated::Unique<#ty>);
        }
        ComType::Array(ty) => {
            let ty = wire(scope, ty);
            return quote!(::armilla_dcom::generated::Conformant<#ty>);
        }
        ComType::Varying(ty) => {
            let ty = wire(scope, ty);
            return quote!(::armilla_dcom::generated::ConformantVarying<#ty>);
        }
        ComType::Fixed(ty, length) => {
            let (ty, length) = (wire(scope, ty), count(*length));
            return quote!([#ty; #length]);
        }
        ComType::Struct(id) | ComType::Union(id) => {
            let companion = scope.companion(*id);
            return quote!(#companion::Wire);
        }
        ComType::Enum(id) => return scope.path(*id),
    };
    let simple = names::ident(simple);
    quote!(#simple)
}

/// The type in signatures.
pub(super) fn value(scope: &Scope<'_>, ty: &ComType) -> TokenStream {
    match ty {
        ComType::VariantBool => quote!(bool),
        ComType::Variant => quote!(::armilla_dcom::generated::Variant),
        ComType::SafeArray => quote!(Option<::armilla_dcom::generated::SafeArray>),
        ComType::WideString => quote!(String),
        ComType::Object(_) => quote!(Option<::armilla_dcom::generated::InterfacePointer>),
        ComType::NarrowString => quote!(Vec<u8>),
        ComType::Unique(inner) | ComType::Full(inner) => match &**inner {
            // An array that is null has no elements.
            ComType::Array(_) | ComType::Varying(_) => value(scope, inner),
            inner => {
                let inner = pointed(scope, inner);
                quote!(Option<#inner>)
            }
        },
        ComType::Reference(inner) => pointed(scope, inner),
        ComType::Array(element) | ComType::Varying(element) => {
            let element = value(scope, element);
            quote!(Vec<#element>)
        }
        ComType::Fixed(element, length) => {
            let (element, length) = (value(scope, element), count(*length));
            quote!([#element; #length])
        }
        ComType::Struct(id) | ComType::Union(id) => scope.path(*id),
        simple => wire(scope, simple),
    }
}

/// What a pointer leads to: in a box if it may lead back.
fn pointed(scope: &Scope<'_>, ty: &ComType) -> TokenStream {
    let inner = value(scope, ty);
    match ty {
        ComType::Struct(id) | ComType::Union(id) if leads_back(scope.model, *id) => {
            quote!(::std::boxed::Box<#inner>)
        }
        _ => inner,
    }
}

/// Whether a struct or a union contains pointers to itself, be it through others.
pub(super) fn leads_back(model: &Model, id: DeclId) -> bool {
    let (mut pending, mut seen) = (vec![id], HashSet::new());
    while let Some(next) = pending.pop() {
        let DeclKind::ComType(definition) = &model.get(next).kind else { continue };
        for ty in definition.members() {
            let Some(inner) = held(ty) else { continue };
            if inner == id {
                return true;
            }
            if seen.insert(inner) {
                pending.push(inner);
            }
        }
    }
    false
}

/// The struct or union that a member holds or points to. Elements of arrays have a place of their own.
fn held(ty: &ComType) -> Option<DeclId> {
    match ty {
        ComType::Struct(id) | ComType::Union(id) => Some(*id),
        ComType::Unique(ty) | ComType::Full(ty) | ComType::Reference(ty) => held(ty),
        ComType::Fixed(ty, _) => held(ty),
        _ => None,
    }
}

/// Whether a value is the same in signatures and in tables.
pub(super) fn same(ty: &ComType) -> bool {
    if let ComType::Fixed(element, _) = ty {
        return same(element);
    }
    !matches!(
        ty,
        ComType::VariantBool
            | ComType::Variant
            | ComType::SafeArray
            | ComType::WideString
            | ComType::Object(_)
            | ComType::NarrowString
            | ComType::Unique(_)
            | ComType::Full(_)
            | ComType::Reference(_)
            | ComType::Array(_)
            | ComType::Varying(_)
            | ComType::Struct(_)
            | ComType::Union(_)
    )
}

fn count(elements: u32) -> proc_macro2::Literal {
    proc_macro2::Literal::u32_unsuffixed(elements)
}

pub(super) fn to_wire(ty: &ComType, value: TokenStream) -> TokenStream {
    match ty {
        ComType::VariantBool => quote!(::armilla_dcom::generated::VariantBool(#value)),
        ComType::Variant | ComType::Object(_) | ComType::Struct(_) | ComType::Union(_) => {
            quote!(#value.into())
        }
        ComType::NarrowString => quote!(::armilla_dcom::generated::NarrowString(#value)),
        ComType::Full(inner) => match &**inner {
            ComType::Array(_) | ComType::Varying(_) => {
                let inner = to_wire(inner, value);
                quote!(::armilla_dcom::generated::Full::new(::std::sync::Arc::new(#inner)))
            }
            inner => {
                let inner = to_wire(inner, quote!(value));
                quote! {
                    #value.map_or(::armilla_dcom::generated::Full::NULL, |value| {
                        ::armilla_dcom::generated::Full::new(::std::sync::Arc::new(#inner))
                    })
                }
            }
        },
        ComType::Reference(inner) => {
            let inner = to_wire(inner, value);
            quote!(::armilla_dcom::generated::Reference::new(#inner))
        }
        ComType::SafeArray => {
            quote!(#value.map_or(::armilla_dcom::generated::SafeArrayPointer::NULL, Into::into))
        }
        ComType::WideString => quote!((&*#value).into()),
        ComType::Unique(inner) => match &**inner {
            ComType::Array(_) | ComType::Varying(_) => {
                let inner = to_wire(inner, value);
                quote!(::armilla_dcom::generated::Unique::new(#inner))
            }
            inner if same(inner) => quote!(#value.into()),
            inner => {
                let inner = each_to_wire(inner);
                quote!(#value.map(#inner).into())
            }
        },
        ComType::Array(element) | ComType::Varying(element) => match same(element) {
            true => quote!(#value.into()),
            false => {
                let element = each_to_wire(element);
                quote!(#value.into_iter().map(#element).collect::<Vec<_>>().into())
            }
        },
        ComType::Fixed(element, _) if !same(element) => {
            let element = each_to_wire(element);
            quote!(#value.map(#element))
        }
        _ => value,
    }
}

/// What makes one value of many, or of a pointer, travel.
fn each_to_wire(ty: &ComType) -> TokenStream {
    match ty {
        ComType::NarrowString => quote!(::armilla_dcom::generated::NarrowString),
        _ => {
            let one = to_wire(ty, quote!(value));
            quote!(|value| #one)
        }
    }
}

pub(super) fn from_wire(ty: &ComType, wire: TokenStream) -> TokenStream {
    match ty {
        ComType::VariantBool => quote!(#wire.0),
        ComType::Variant => quote!(#wire.into_variant()),
        ComType::SafeArray => quote!(#wire.into_array()),
        ComType::WideString => quote!(#wire.to_text()),
        ComType::Object(_) => quote!(#wire.into_inner()),
        ComType::Unique(inner) => match &**inner {
            ComType::Array(_) | ComType::Varying(_) => {
                let inner = from_wire(inner, quote!(values));
                quote!(#wire.into_inner().map_or_else(Vec::new, |values| #inner))
            }
            inner if same(inner) => quote!(#wire.into_inner()),
            inner => {
                let inner = from_wire(inner, quote!(value));
                quote!(#wire.into_inner().map(|value| #inner))
            }
        },
        ComType::Array(element) => elements(element, quote!(#wire.0)),
        ComType::Varying(element) => elements(element, quote!(#wire.values)),
        ComType::Struct(_) | ComType::Union(_) => quote!(#wire.into()),
        ComType::NarrowString => quote!(#wire.0),
        ComType::Full(inner) => {
            let inner_value = from_wire(inner, quote!(Clone::clone(&**value)));
            match &**inner {
                ComType::Array(_) | ComType::Varying(_) => {
                    quote!(#wire.get().map_or_else(Vec::new, |value| #inner_value))
                }
                _ => quote!(#wire.get().map(|value| #inner_value)),
            }
        }
        ComType::Reference(inner) => {
            let nothing = nothing(inner);
            let or = match nothing.to_string() == quote!(Default::default()).to_string() {
                true => quote!(unwrap_or_default()),
                false => quote!(unwrap_or_else(|| #nothing)),
            };
            from_wire(inner, quote!(#wire.into_inner().#or))
        }
        ComType::Fixed(element, _) if !same(element) => {
            let element = from_wire(element, quote!(value));
            quote!(#wire.map(|value| #element))
        }
        _ => wire,
    }
}

fn elements(element: &ComType, values: TokenStream) -> TokenStream {
    if same(element) {
        return values;
    }
    let element = from_wire(element, quote!(value));
    quote!(#values.into_iter().map(|value| #element).collect())
}

/// The value of a result of a call that failed.
pub(super) fn nothing(ty: &ComType) -> TokenStream {
    match ty {
        ComType::R4 | ComType::R8 => quote!(0.0),
        ComType::Bstr => quote!(::armilla_dcom::generated::Bstr::null()),
        ComType::I1 | ComType::U1 | ComType::I2 | ComType::U2 => quote!(0),
        ComType::I4 | ComType::U4 | ComType::I8 | ComType::U8 => quote!(0),
        ComType::Unique(_) | ComType::Object(_) => quote!(::armilla_dcom::generated::Unique::NULL),
        ComType::Full(_) => quote!(::armilla_dcom::generated::Full::NULL),
        ComType::Reference(inner) => {
            let inner = nothing(inner);
            quote!(::armilla_dcom::generated::Reference::new(#inner))
        }
        ComType::Array(_) | ComType::Varying(_) => quote!(Vec::new().into()),
        ComType::Fixed(element, _) => {
            let element = nothing(element);
            quote!(::core::array::from_fn(|_| #element))
        }
        _ => quote!(Default::default()),
    }
}
