//! Types of COM in tables and in signatures, and the way from one to the other.

use super::super::names;
use super::super::scope::Scope;
use crate::model::ComType;
use proc_macro2::TokenStream;
use quote::quote;

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
        ComType::Struct(id) => {
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
        ComType::Unique(inner) => match &**inner {
            // An array that is null has no elements.
            ComType::Array(_) | ComType::Varying(_) => value(scope, inner),
            inner => {
                let inner = value(scope, inner);
                quote!(Option<#inner>)
            }
        },
        ComType::Array(element) | ComType::Varying(element) => {
            let element = value(scope, element);
            quote!(Vec<#element>)
        }
        ComType::Fixed(element, length) => {
            let (element, length) = (value(scope, element), count(*length));
            quote!([#element; #length])
        }
        ComType::Struct(id) => scope.path(*id),
        simple => wire(scope, simple),
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
            | ComType::Unique(_)
            | ComType::Array(_)
            | ComType::Varying(_)
            | ComType::Struct(_)
    )
}

fn count(elements: u32) -> proc_macro2::Literal {
    proc_macro2::Literal::u32_unsuffixed(elements)
}

pub(super) fn to_wire(ty: &ComType, value: TokenStream) -> TokenStream {
    match ty {
        ComType::VariantBool => quote!(::armilla_dcom::generated::VariantBool(#value)),
        ComType::Variant | ComType::Object(_) | ComType::Struct(_) => quote!(#value.into()),
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
                let inner = to_wire(inner, quote!(value));
                quote!(#value.map(|value| #inner).into())
            }
        },
        ComType::Array(element) | ComType::Varying(element) => match same(element) {
            true => quote!(#value.into()),
            false => {
                let element = to_wire(element, quote!(value));
                quote!(#value.into_iter().map(|value| #element).collect::<Vec<_>>().into())
            }
        },
        ComType::Fixed(element, _) if !same(element) => {
            let element = to_wire(element, quote!(value));
            quote!(#value.map(|value| #element))
        }
        _ => value,
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
        ComType::Struct(_) => quote!(#wire.into()),
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
        ComType::Array(_) | ComType::Varying(_) => quote!(Vec::new().into()),
        ComType::Fixed(element, _) => {
            let element = nothing(element);
            quote!(::core::array::from_fn(|_| #element))
        }
        _ => quote!(Default::default()),
    }
}
