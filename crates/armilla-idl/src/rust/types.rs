//! The Rust types of IDL types, and the distinctions that marshalling makes. `properties` has their
//! traits and sizes.

use super::names;
use super::queries;
use super::scope::Scope;
use crate::model::{DeclKind, Model, Primitive, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// The Rust name of a primitive, which is also the name of the method that decodes it.
pub(super) fn primitive(primitive: Primitive) -> Ident {
    names::ident(match primitive {
        Primitive::Short => "i16",
        Primitive::UShort => "u16",
        Primitive::Long => "i32",
        Primitive::ULong => "u32",
        Primitive::LongLong => "i64",
        Primitive::ULongLong => "u64",
        Primitive::Float => "f32",
        Primitive::Double => "f64",
        Primitive::Char | Primitive::Octet | Primitive::UInt8 => "u8",
        Primitive::Int8 => "i8",
        Primitive::Boolean => "bool",
        Primitive::WChar => "char",
        // Only the name of methods: see `owned` for the type.
        Primitive::LongDouble => "long_double",
    })
}

/// The owned type: of a member, a result or an element.
pub(super) fn owned(scope: &Scope<'_>, ty: &Type) -> TokenStream {
    match ty {
        Type::Primitive(Primitive::LongDouble) => quote!(codegen::LongDouble),
        Type::Primitive(kind) => {
            let name = primitive(*kind);
            quote!(#name)
        }
        Type::String(_) => quote!(String),
        Type::WString(_) => quote!(codegen::WString),
        Type::Fixed(digits, scale) => {
            let digits = Literal::u16_unsuffixed(*digits);
            let scale = Literal::u16_unsuffixed(*scale);
            quote!(codegen::Decimal<#digits, #scale>)
        }
        Type::Sequence(element, _) => {
            let element = owned(scope, element);
            quote!(Vec<#element>)
        }
        Type::SharedOctets(_) => quote!(codegen::SharedOctets),
        Type::SharedStrings => quote!(codegen::SharedStrings),
        Type::Array(element, dimensions) => {
            let levels = scope.properties.levels(element, dimensions);
            levels.into_iter().fold(owned(scope, element), |element, level| {
                let length = Literal::u32_unsuffixed(level.length);
                if level.large {
                    quote!(codegen::LargeArray<#element, #length>)
                } else {
                    quote!([#element; #length])
                }
            })
        }
        Type::Object => quote!(codegen::Object),
        Type::Named(id) => match scope.model.get(*id).kind {
            DeclKind::Interface(_) | DeclKind::Value(_) | DeclKind::ValueBox(_) => {
                scope.reference(*id)
            }
            _ => scope.path(*id),
        },
        Type::Any => quote!(codegen::Any),
        Type::TypeCode => quote!(codegen::TypeCode),
        Type::ValueBase => quote!(codegen::ValueBaseRef),
        Type::Map(key, value, _) => {
            let (key_type, value) = (owned(scope, key), owned(scope, value));
            match is_ordered(scope.model, key) {
                true => quote!(::std::collections::BTreeMap<#key_type, #value>),
                false => quote!(Vec<(#key_type, #value)>),
            }
        }
        Type::Principal => quote!(Vec<u8>),
    }
}

/// The type of an `in` parameter.
pub(super) fn parameter(scope: &Scope<'_>, ty: &Type) -> TokenStream {
    match scope.model.resolve(ty) {
        Type::String(_) | Type::WString(_) => quote!(&str),
        Type::SharedOctets(_) | Type::Principal => quote!(&[u8]),
        Type::Sequence(element, _) => {
            let element = owned(scope, element);
            quote!(&[#element])
        }
        Type::Map(key, value, _) if !is_ordered(scope.model, key) => {
            let (key, value) = (owned(scope, key), owned(scope, value));
            quote!(&[(#key, #value)])
        }
        _ if is_scalar(scope.model, ty) => owned(scope, ty),
        _ => {
            let ty = owned(scope, ty);
            quote!(&#ty)
        }
    }
}

/// Whether values of the type are passed by value: numbers, characters and enums.
pub(super) fn is_scalar(model: &Model, ty: &Type) -> bool {
    matches!(model.resolve(ty), Type::Primitive(_) | Type::Fixed(..))
        || is_enum(model, ty)
        || bitmask(model, ty).is_some()
}

/// Whether the type is an enum.
pub(super) fn is_enum(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::Named(id) => matches!(model.get(*id).kind, DeclKind::Enum(_)),
        _ => false,
    }
}

/// The integer that the type is marshalled as, if it is a bitmask.
pub(super) fn bitmask(model: &Model, ty: &Type) -> Option<Primitive> {
    match model.resolve(ty) {
        Type::Named(id) => match &model.get(*id).kind {
            DeclKind::Bitmask(data) => Some(queries::bitmask_integer(data)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the type is a sequence of octets or characters, which a server borrows.
pub(super) fn is_octets(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::Sequence(element, _) => matches!(
            model.resolve(element),
            Type::Primitive(Primitive::Octet | Primitive::Char | Primitive::UInt8)
        ),
        Type::SharedOctets(_) | Type::Principal => true,
        _ => false,
    }
}

/// Whether the type is a number whose representation in memory is that in CDR, except for the byte
/// order.
pub(super) fn is_number(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::Primitive(kind) => {
            !matches!(kind, Primitive::Boolean | Primitive::WChar | Primitive::LongDouble)
        }
        _ => false,
    }
}

/// Whether `Encode` and `Decode` of the Rust type suffice: there is no bound to check, except those
/// of named types, which check their own.
pub(super) fn is_plain(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::String(bound) | Type::WString(bound) | Type::SharedOctets(bound) => bound.is_none(),
        Type::Sequence(element, bound) => bound.is_none() && is_plain(model, element),
        Type::Array(element, _) => is_plain(model, element),
        Type::Map(key, value, bound) => {
            bound.is_none()
                && is_ordered(model, key)
                && is_plain(model, key)
                && is_plain(model, value)
        }
        _ => true,
    }
}

/// Whether the type implements `Ord`, as the key of a `BTreeMap` must.
pub(super) fn is_ordered(model: &Model, key: &Type) -> bool {
    match model.resolve(key) {
        Type::Primitive(kind) => !kind.is_float(),
        Type::String(_) | Type::WString(_) | Type::Fixed(..) => true,
        Type::Named(id) => matches!(
            model.get(*id).kind,
            DeclKind::Enum(_) | DeclKind::Bitmask(_) | DeclKind::Bitset(_)
        ),
        _ => false,
    }
}
