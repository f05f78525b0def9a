//! The properties of the Rust type of each declaration: which traits it can implement, and its
//! approximate size.
//!
//! Types may contain one another in any order and, through sequences, recursively. So the
//! properties of all declarations are computed together, by iteration to a fixed point.

use super::queries;
use crate::model::{DeclId, DeclKind, Flavour, Model, Primitive, Type};

/// The properties of one Rust type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Properties {
    /// Whether it can be `Copy`.
    pub(super) copy: bool,
    /// Whether it can be `Eq` and `Hash`.
    pub(super) eq: bool,
    /// Whether it can be `Default`.
    pub(super) default: bool,
    /// The approximate size of a value in octets, without its allocations.
    pub(super) size: u64,
    /// Whether values are local, so that they have no encoding.
    pub(super) local: bool,
    /// Whether it contains types of the standard library only, with arrays so short that crates
    /// implement their traits for them.
    pub(super) plain: bool,
}

/// One dimension of an array.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    pub(super) length: u32,
    /// Whether the elements are on the heap, because they are too large for the stack.
    pub(super) large: bool,
    /// Its approximate size in octets, without its allocations.
    size: u64,
}

/// The properties of all declarations of a model.
#[derive(Debug, Default)]
pub(super) struct TypeProperties {
    properties: Vec<Properties>,
}

/// The maximum number of iterations. Except for forward declarations, a declaration follows those
/// that it contains, so a few iterations are enough.
const MAX_ROUNDS: usize = 100;

/// The maximum length of an array that implements `Default`.
const MAX_DEFAULT: u32 = 32;

/// The largest array on the stack, in octets.
const MAX_ARRAY: u64 = 8 << 10;

/// The size of a `String` or `Vec`; an object reference is as large or a little larger.
const HANDLE: u64 = 24;

/// The initial properties, and those of a type without parts.
const NOTHING: Properties =
    Properties { copy: true, eq: true, default: true, size: 0, local: false, plain: true };

/// The properties of references and similar types.
const HANDLED: Properties =
    Properties { copy: false, eq: false, size: HANDLE, plain: false, ..NOTHING };

impl TypeProperties {
    /// Computes the properties of all declarations in `model`.
    pub(super) fn of(model: &Model) -> Self {
        let ids: Vec<DeclId> = model.iter().map(|(id, _)| id).collect();
        let mut properties = TypeProperties { properties: vec![NOTHING; ids.len()] };
        for round in 0..MAX_ROUNDS {
            let changed = if round % 2 == 0 {
                properties.correct(model, ids.iter())
            } else {
                properties.correct(model, ids.iter().rev())
            };
            if !changed {
                break;
            }
        }
        properties
    }

    /// The properties of a type.
    pub(super) fn of_type(&self, ty: &Type) -> Properties {
        match ty {
            Type::Primitive(kind) => Properties {
                eq: !kind.is_float(),
                size: queries::primitive_size(*kind) as u64,
                plain: *kind != Primitive::LongDouble,
                ..NOTHING
            },
            Type::String(_) | Type::Principal => {
                Properties { copy: false, size: HANDLE, ..NOTHING }
            }
            Type::Sequence(element, _) => {
                let Properties { eq, local, plain, .. } = self.of_type(element);
                Properties { copy: false, eq, default: true, size: HANDLE, local, plain }
            }
            Type::Map(key, value, _) => {
                let Properties { eq, local, plain, .. } = self.of_all([&**key, &**value]);
                Properties { copy: false, eq, default: true, size: HANDLE, local, plain }
            }
            Type::Array(element, dimensions) => {
                let levels = self.levels(element, dimensions);
                let element = self.of_type(element);
                let is_large = levels.iter().any(|level| level.large);
                let is_small = levels.iter().all(|level| level.length <= MAX_DEFAULT);
                let has_default = |level: &Level| level.large || level.length <= MAX_DEFAULT;
                Properties {
                    copy: element.copy && !is_large,
                    default: element.default && levels.iter().all(has_default),
                    size: levels.last().map_or(element.size, |level| level.size),
                    plain: element.plain && is_small && !is_large,
                    ..element
                }
            }
            Type::Object | Type::ValueBase => HANDLED,
            Type::Any => Properties { size: 2 * HANDLE, ..HANDLED },
            Type::TypeCode => HANDLED,
            Type::WString(_) | Type::SharedOctets(_) => Properties { eq: true, ..HANDLED },
            Type::SharedStrings => Properties { eq: true, size: 3 * HANDLE, ..HANDLED },
            Type::Fixed(..) => Properties { size: 16, plain: false, ..NOTHING },
            Type::Named(id) => self.properties.get(id.0 as usize).copied().unwrap_or(NOTHING),
        }
    }

    /// The dimensions of an array of `element`, the innermost first.
    pub(super) fn levels(&self, element: &Type, dimensions: &[u32]) -> Vec<Level> {
        let mut size = self.of_type(element).size;
        let dimensions = dimensions.iter().rev();
        dimensions
            .map(|length| {
                size = size.saturating_mul(u64::from(*length));
                let large = size > MAX_ARRAY;
                size = if large { HANDLE } else { size };
                Level { length: *length, large, size }
            })
            .collect()
    }

    /// The properties of a struct or tuple of these types.
    pub(super) fn of_all<'t>(&self, types: impl IntoIterator<Item = &'t Type>) -> Properties {
        types.into_iter().map(|ty| self.of_type(ty)).fold(NOTHING, |whole, part| Properties {
            copy: whole.copy && part.copy,
            eq: whole.eq && part.eq,
            default: whole.default && part.default,
            size: whole.size.saturating_add(part.size),
            local: whole.local || part.local,
            plain: whole.plain && part.plain,
        })
    }

    /// Recomputes the properties of the declarations in order. Returns whether any changed.
    fn correct<'i>(&mut self, model: &Model, ids: impl Iterator<Item = &'i DeclId>) -> bool {
        let mut changed = false;
        for id in ids {
            let properties = self.of_declaration(model, &model.get(*id).kind);
            if let Some(known) = self.properties.get_mut(id.0 as usize)
                && *known != properties
            {
                *known = properties;
                changed = true;
            }
        }
        changed
    }

    fn of_declaration(&self, model: &Model, kind: &DeclKind) -> Properties {
        match kind {
            DeclKind::Struct(data) | DeclKind::Exception(data) => {
                let members = queries::struct_members(model, data);
                let whole = self.of_all(members.into_iter().map(|member| &member.ty));
                Properties { size: whole.size.div_ceil(8).saturating_mul(8), ..whole }
            }
            DeclKind::Union(union) => {
                let members = union.cases.iter().map(|case| &case.member.ty);
                let largest = members.clone().map(|ty| self.of_type(ty).size).max().unwrap_or(0);
                let size = largest.saturating_add(8);
                Properties { copy: false, default: false, size, ..self.of_all(members) }
            }
            DeclKind::Enum(_) => Properties { size: 4, ..NOTHING },
            DeclKind::Bitmask(_) | DeclKind::Bitset(_) => Properties { size: 8, ..NOTHING },
            DeclKind::Interface(data) => {
                Properties { local: data.flavour == Flavour::Local, ..HANDLED }
            }
            DeclKind::Value(_) | DeclKind::ValueBox(_) => HANDLED,
            DeclKind::Native => Properties { local: true, ..HANDLED },
            DeclKind::Typedef(ty) => self.of_type(ty),
            DeclKind::Module(_) | DeclKind::Const(_) | DeclKind::Com(_) | DeclKind::ComType(_) => {
                NOTHING
            }
        }
    }
}
