//! IDL types as Rust types, and what is known about them: which traits they can have, how large
//! they are, whether CDR needs more than the blanket implementations.

use super::names;
use super::scope::Scope;
use crate::model::{DeclKind, Model, Primitive, Type};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// A set of traits that a type has or has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trait {
    /// `Copy`.
    Copy,
    /// `Eq` and `Hash`.
    Eq,
    /// `Default`.
    Default,
}

/// The Rust name of a primitive, which is also the name of the methods that read it.
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
        Primitive::Char | Primitive::Octet => "u8",
        Primitive::Boolean => "bool",
    })
}

/// How many octets a primitive takes, in CDR and in memory.
pub(super) fn primitive_size(primitive: Primitive) -> usize {
    match primitive {
        Primitive::Char | Primitive::Boolean | Primitive::Octet => 1,
        Primitive::Short | Primitive::UShort => 2,
        Primitive::Long | Primitive::ULong | Primitive::Float => 4,
        Primitive::LongLong | Primitive::ULongLong | Primitive::Double => 8,
    }
}

/// The type of a value that is owned: a member, a result, an element.
pub(super) fn owned(scope: &Scope<'_>, ty: &Type) -> TokenStream {
    match ty {
        Type::Primitive(kind) => {
            let name = primitive(*kind);
            quote!(#name)
        }
        Type::String(_) => quote!(String),
        Type::Sequence(element, _) => {
            let element = owned(scope, element);
            quote!(Vec<#element>)
        }
        Type::Array(element, dimensions) => {
            dimensions.iter().rev().fold(owned(scope, element), |element, dimension| {
                let dimension = Literal::u32_unsuffixed(*dimension);
                quote!([#element; #dimension])
            })
        }
        Type::Object => quote!(rt::Object),
        Type::Named(id) => match scope.model.get(*id).kind {
            DeclKind::Interface(_) => scope.reference(*id),
            _ => scope.path(*id),
        },
    }
}

/// The type of an `in` parameter.
pub(super) fn parameter(scope: &Scope<'_>, ty: &Type) -> TokenStream {
    match scope.model.resolve(ty) {
        Type::String(_) => quote!(&str),
        Type::Sequence(element, _) => {
            let element = owned(scope, element);
            quote!(&[#element])
        }
        _ if is_scalar(scope.model, ty) => owned(scope, ty),
        _ => {
            let ty = owned(scope, ty);
            quote!(&#ty)
        }
    }
}

/// Whether values of the type are passed by value: primitives and enums.
pub(super) fn is_scalar(model: &Model, ty: &Type) -> bool {
    matches!(model.resolve(ty), Type::Primitive(_)) || is_enum(model, ty)
}

/// Whether the type is an enum.
pub(super) fn is_enum(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::Named(id) => matches!(model.get(*id).kind, DeclKind::Enum(_)),
        _ => false,
    }
}

/// Whether the type is a sequence of octets or characters, which a server borrows.
pub(super) fn is_octets(model: &Model, ty: &Type) -> bool {
    let Type::Sequence(element, _) = model.resolve(ty) else { return false };
    matches!(model.resolve(element), Type::Primitive(Primitive::Octet | Primitive::Char))
}

/// Whether `Encode` and `Decode` of the Rust type do everything: no bound has to be checked on the
/// way down to named types, which check their own.
pub(super) fn is_plain(model: &Model, ty: &Type) -> bool {
    match model.resolve(ty) {
        Type::String(bound) => bound.is_none(),
        Type::Sequence(element, bound) => bound.is_none() && is_plain(model, element),
        Type::Array(element, _) => is_plain(model, element),
        Type::Primitive(_) | Type::Object | Type::Named(_) => true,
    }
}

/// Whether all of the Rust types have the trait.
pub(super) fn has_all<'m>(
    model: &'m Model,
    types: impl IntoIterator<Item = &'m Type>,
    wanted: Trait,
) -> bool {
    let mut open: Vec<&Type> = types.into_iter().collect();
    let mut seen = Vec::new();
    while let Some(ty) = open.pop() {
        match model.resolve(ty) {
            Type::Primitive(Primitive::Float | Primitive::Double) if wanted == Trait::Eq => {
                return false;
            }
            Type::Primitive(_) => {}
            Type::String(_) if wanted == Trait::Copy => return false,
            Type::String(_) => {}
            Type::Sequence(element, _) => match wanted {
                Trait::Copy => return false,
                Trait::Eq => open.push(element),
                Trait::Default => {}
            },
            // The standard library has `Default` for arrays of up to 32 elements.
            Type::Array(_, dimensions)
                if wanted == Trait::Default && dimensions.iter().any(|len| *len > 32) =>
            {
                return false;
            }
            Type::Array(element, _) => open.push(element),
            Type::Object if wanted != Trait::Default => return false,
            Type::Object => {}
            // A type that contains itself, through a sequence, has what its other parts have.
            Type::Named(id) if seen.contains(id) => {}
            Type::Named(id) => {
                seen.push(*id);
                match &model.get(*id).kind {
                    DeclKind::Struct(data) | DeclKind::Exception(data) => {
                        open.extend(data.members.iter().map(|member| &member.ty));
                    }
                    DeclKind::Union(union) if wanted == Trait::Eq => {
                        open.extend(union.cases.iter().map(|case| &case.member.ty));
                    }
                    DeclKind::Union(_) => return false,
                    DeclKind::Interface(_) if wanted != Trait::Default => return false,
                    _ => {}
                }
            }
        }
    }
    true
}

/// About how many octets a value takes in memory, not counting what it owns elsewhere.
pub(super) fn size(model: &Model, ty: &Type) -> u64 {
    match model.resolve(ty) {
        Type::Primitive(kind) => primitive_size(*kind) as u64,
        Type::String(_) | Type::Sequence(..) | Type::Object => 24,
        Type::Array(element, dimensions) => dimensions
            .iter()
            .fold(size(model, element), |size, len| size.saturating_mul(u64::from(*len))),
        Type::Named(id) => match &model.get(*id).kind {
            DeclKind::Struct(data) | DeclKind::Exception(data) => {
                let members = data.members.iter().map(|member| size(model, &member.ty));
                members.fold(0, u64::saturating_add).saturating_add(7) / 8 * 8
            }
            DeclKind::Union(union) => {
                let cases = union.cases.iter().map(|case| size(model, &case.member.ty));
                cases.max().unwrap_or(0).saturating_add(8)
            }
            DeclKind::Enum(_) => 4,
            _ => 24,
        },
    }
}
