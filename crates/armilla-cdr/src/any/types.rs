//! Dynamic types: the types of values that the TypeCode of an `any` does not describe, because they
//! inherit from the declared ones.

use crate::type_code::TypeIndex;
use crate::{Decoder, Encoder, TypeCode};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::OnceCell;

/// `VM_CUSTOM`.
pub(super) const CUSTOM: i16 = 1;

/// The dynamic types that an `any` has recorded, and those that were found while it was read.
#[derive(Default)]
pub(super) struct DynamicTypes<'k> {
    kept: &'k [TypeCode],
    learned: Learned,
}

/// A list that can grow while its elements are borrowed.
#[derive(Default)]
struct Learned(OnceCell<Box<(TypeCode, Self)>>);

impl<'k> DynamicTypes<'k> {
    pub(super) fn new(kept: &'k [TypeCode]) -> Self {
        Self { kept, learned: Learned::default() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &TypeCode> {
        let mut next = &self.learned;
        let learned = core::iter::from_fn(move || {
            let (code, rest) = &**next.0.get()?;
            next = rest;
            Some(code)
        });
        self.kept.iter().chain(learned)
    }

    /// Whether the list contains the type with this repository id.
    pub(super) fn has(&self, id: &str) -> bool {
        self.iter().any(|code| code.id() == Some(id))
    }

    /// The valuetype with this repository id, if the context of `input` knows it.
    pub(super) fn learn(&self, id: &str, input: &Decoder<'_>) -> Option<&TypeCode> {
        let code = input.value_type(id).filter(|code| {
            let is_custom = code.type_modifier() == Some(CUSTOM);
            code.is_valuetype() && code.id() == Some(id) && !is_custom
        })?;
        let mut end = &self.learned;
        while let Some(link) = end.0.get() {
            end = &link.1;
        }
        Some(&end.0.get_or_init(|| Box::new((code, Learned::default()))).0)
    }
}

/// The types of the values in `out` that `type_code` does not describe.
pub(super) fn dynamic_types(type_code: &TypeCode, out: &Encoder<'_>) -> Vec<TypeCode> {
    let mut types = out.value_types();
    if !types.is_empty() {
        let index = TypeIndex::new(type_code);
        types.retain(|code| code.id().is_none_or(|id| index.find(id).is_none()));
    }
    types
}
