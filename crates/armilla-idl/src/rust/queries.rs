//! Queries over the model that several constructs ask: bases, members, sizes, enclosing modules.
//! Nothing here emits Rust.

use super::names;
use crate::model::{
    BitField, Bitmask, Bitset, DeclId, DeclKind, Member, Model, Primitive, Struct, Value,
    ValueModifier,
};

/// The maximum number of bits of a bitset: those of the largest integer.
pub(super) const MAX_BITSET_BITS: u32 = 64;

/// The Rust modules around a declaration. Every enclosing scope of IDL is a module in Rust.
pub(super) fn enclosing_modules(model: &Model, id: DeclId) -> Vec<String> {
    let mut modules = Vec::new();
    let mut enclosing = model.get(id).scope;
    while let Some(scope) = enclosing {
        let declaration = model.get(scope);
        modules.push(names::module(&declaration.name));
        enclosing = declaration.scope;
    }
    modules.reverse();
    modules
}

/// The bases of an interface, direct and indirect, each once.
pub(super) fn all_bases(model: &Model, id: DeclId) -> Vec<DeclId> {
    model.all_bases(id)
}

/// The concrete base of a valuetype, whose state it inherits.
pub(super) fn concrete_base(model: &Model, data: &Value) -> Option<DeclId> {
    let is_concrete = |id: &&DeclId| match &model.get(**id).kind {
        DeclKind::Value(base) => is_concrete(base),
        _ => false,
    };
    data.bases.iter().find(is_concrete).copied()
}

/// Whether the valuetype can be instantiated.
pub(super) fn is_concrete(data: &Value) -> bool {
    data.defined && data.modifier != ValueModifier::Abstract
}

/// The members of a struct, those of the structs that it extends first.
pub(super) fn struct_members<'m>(model: &'m Model, data: &'m Struct) -> Vec<&'m Member> {
    let mut levels = vec![data];
    let mut next = data.base;
    while let Some(base) = next {
        let DeclKind::Struct(data) = &model.get(base).kind else { break };
        levels.push(data);
        next = data.base;
    }
    levels.into_iter().rev().flat_map(|data| &data.members).collect()
}

/// The fields with their positions, those of the bitsets that it extends first.
pub(super) fn bitset_fields<'m>(model: &'m Model, data: &'m Bitset) -> Vec<(u32, &'m BitField)> {
    let mut levels = vec![data];
    let mut next = data.base;
    while let Some(base) = next {
        let DeclKind::Bitset(data) = &model.get(base).kind else { break };
        levels.push(data);
        next = data.base;
    }
    let mut position = 0;
    let fields = levels.into_iter().rev().flat_map(|data| &data.fields);
    fields
        .map(|field| {
            let start = position;
            position += field.bits;
            (start, field)
        })
        .collect()
}

/// The number of bits of a bitset.
pub(super) fn bitset_width(model: &Model, data: &Bitset) -> u32 {
    bitset_fields(model, data).last().map_or(0, |(position, field)| position + field.bits)
}

/// The integer that a bitset is marshalled as: the smallest with enough bits.
pub(super) fn bitset_integer(model: &Model, data: &Bitset) -> Primitive {
    unsigned_of(bitset_width(model, data))
}

/// The integer that a bitmask is marshalled as: the smallest with enough bits.
pub(super) fn bitmask_integer(data: &Bitmask) -> Primitive {
    unsigned_of(data.bound)
}

/// The smallest unsigned integer with so many bits.
pub(super) fn unsigned_of(bits: u32) -> Primitive {
    match bits {
        0..=8 => Primitive::UInt8,
        9..=16 => Primitive::UShort,
        17..=32 => Primitive::ULong,
        _ => Primitive::ULongLong,
    }
}

/// The size of a primitive in octets: in memory, and in CDR except for `wchar`.
pub(super) fn primitive_size(primitive: Primitive) -> usize {
    match primitive {
        Primitive::Char
        | Primitive::Boolean
        | Primitive::Octet
        | Primitive::Int8
        | Primitive::UInt8 => 1,
        Primitive::Short | Primitive::UShort => 2,
        Primitive::Long | Primitive::ULong | Primitive::Float => 4,
        Primitive::LongLong | Primitive::ULongLong | Primitive::Double => 8,
        Primitive::WChar => 4,
        Primitive::LongDouble => 16,
    }
}
