//! The named types within the type of a dynamic value, for the resolution of recursive types.

use armilla_cdr::TypeCode;
use armilla_cdr::type_code::TypeIndex;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The named types within the type of the whole value. Empty if that type cannot be recursive.
#[derive(Clone, Default)]
pub(super) struct Types {
    by_id: Option<Arc<BTreeMap<String, Type>>>,
    /// Whether values must not be truncated when they are read.
    pub(super) keeps_whole: bool,
}

struct Type {
    code: TypeCode,
    /// Whether the type of the whole value does not describe this type.
    is_beyond: bool,
}

impl Types {
    /// The named types within `root`, and within the types `beyond` it that values in it have.
    pub(super) fn of(root: &TypeCode, beyond: &[TypeCode]) -> Self {
        if beyond.is_empty() && is_simple(root) {
            return Self::default();
        }
        let mut types = BTreeMap::new();
        let beyond = beyond.iter().map(|code| (code, true));
        for (code, is_beyond) in std::iter::once((root, false)).chain(beyond) {
            for (id, code) in TypeIndex::new(code).iter() {
                let ty = || Type { code: code.clone(), is_beyond };
                types.entry(id.to_owned()).or_insert_with(ty);
            }
        }
        Self { by_id: Some(Arc::new(types)), keeps_whole: false }
    }

    /// The type with this repository id.
    pub(super) fn find(&self, id: &str) -> Option<&TypeCode> {
        Some(&self.by_id.as_ref()?.get(id)?.code)
    }

    /// Whether the type of the whole value describes the type with this repository id.
    pub(super) fn describes(&self, id: &str) -> bool {
        self.by_id.as_ref().and_then(|types| types.get(id)).is_some_and(|ty| !ty.is_beyond)
    }

    /// Resolves a recursive TypeCode. One that names no known type resolves to itself.
    pub(super) fn resolve<'c>(&'c self, code: &'c TypeCode) -> &'c TypeCode {
        let mut code = code.resolved();
        // The loop ends: each step finds a type that is not recursive, and no alias contains only
        // itself.
        for _ in 0..armilla_cdr::type_code::TYPE_CODE_DEPTH_LIMIT {
            let TypeCode::Recursive(id) = code else { break };
            match self.find(id) {
                Some(found) => code = found.resolved(),
                None => break,
            }
        }
        code
    }

    /// Whether a value of the type `code` conforms to the declared type `expected`. TypeCodes do
    /// not name abstract bases, so any value conforms to an abstract type.
    pub(super) fn may_stand_for(&self, code: &TypeCode, expected: &TypeCode) -> bool {
        if expected.type_modifier() == Some(ABSTRACT) || code.is_derived_from(expected) {
            return true;
        }
        let mut part = self.resolve(code);
        for _ in 0..armilla_cdr::type_code::TYPE_CODE_DEPTH_LIMIT {
            match part {
                part if part.id() == expected.id() => return true,
                TypeCode::Value(value) | TypeCode::Event(value) => part = self.resolve(&value.base),
                _ => return false,
            }
        }
        false
    }

    /// `code` as a self-contained TypeCode.
    pub(super) fn closed(&self, code: &TypeCode) -> TypeCode {
        match &self.by_id {
            Some(_) => code.closed(|id| self.find(id).cloned()),
            None => code.clone(),
        }
    }
}

/// `VM_ABSTRACT`.
const ABSTRACT: i16 = 2;

/// Whether no part of the type can name another by its repository id.
fn is_simple(mut code: &TypeCode) -> bool {
    loop {
        code = match code {
            TypeCode::Struct(code) | TypeCode::Exception(code) => {
                let mut members = code.members.iter();
                return members.len() < 16 && members.all(|member| is_basic(&member.ty));
            }
            TypeCode::Sequence(element, _) | TypeCode::Array(element, _) => element,
            TypeCode::Alias(code) => &code.ty,
            code => return is_basic(code),
        };
    }
}

const fn is_basic(code: &TypeCode) -> bool {
    !matches!(
        code,
        TypeCode::Struct(_)
            | TypeCode::Exception(_)
            | TypeCode::Union(_)
            | TypeCode::Sequence(..)
            | TypeCode::Array(..)
            | TypeCode::Alias(_)
            | TypeCode::Recursive(_)
            | TypeCode::Value(_)
            | TypeCode::Event(_)
            | TypeCode::ValueBox(_)
            | TypeCode::AbstractInterface(_)
    )
}
