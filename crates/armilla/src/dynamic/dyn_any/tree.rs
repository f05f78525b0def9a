//! The content of a dynamic value, and the creation of default values.

use super::shared::Shared;
use super::types::Types;
use super::{DynAny, DynAnyError, Result};
use armilla_cdr::type_code::{CaseCode, UnionCode};
use armilla_cdr::{Any, LongDouble, TypeCode};
use armilla_giop::ior::Ior;
use std::sync::Arc;

/// The content of a value. The type of the value determines the variant.
#[derive(Clone)]
pub(super) enum Content {
    /// Of the types `null` and `void`.
    Nothing,
    Boolean(bool),
    Char(u8),
    Octet(u8),
    Short(i16),
    UShort(u16),
    Long(i32),
    ULong(u32),
    LongLong(i64),
    ULongLong(u64),
    Float(f32),
    Double(f64),
    LongDouble(LongDouble),
    WChar(char),
    String(String),
    WString(String),
    /// The digits of a `fixed`, as an integer.
    Fixed(i128),
    Enum(u32),
    Any(Box<Any>),
    TypeCode(TypeCode),
    /// A reference, also as the value of an abstract interface.
    Reference(Box<Ior>),
    /// A sequence or array of octets or characters. It is expanded into `Parts` on the first access
    /// to an element.
    Octets(Vec<u8>),
    /// The members of a struct or exception, the elements of a sequence or array.
    Parts(Vec<DynAny>),
    Union(Box<UnionContent>),
    /// A valuetype or null, also as the value of an abstract interface.
    Value(Option<Arc<Shared>>),
}

/// A union: its discriminator, and the member that the discriminator selects, if any.
#[derive(Clone)]
pub(super) struct UnionContent {
    pub(super) discriminator: DynAny,
    pub(super) member: Option<DynAny>,
}

impl DynAny {
    pub(super) fn with(code: TypeCode, types: &Types, content: Content) -> Self {
        let mut value = Self { code, types: types.clone(), content, current: None };
        value.rewind();
        value
    }
}

impl Drop for DynAny {
    /// Frees the components in a loop. Recursion would exhaust the stack for a long chain of
    /// valuetypes.
    fn drop(&mut self) {
        let mut open = Vec::new();
        self.content.move_components(&mut open);
        while let Some(mut content) = open.pop() {
            content.move_components(&mut open);
        }
    }
}

impl Content {
    const fn is_composed(&self) -> bool {
        matches!(self, Self::Parts(_) | Self::Union(_) | Self::Value(Some(_)))
    }

    /// Moves the constructed components out of this content, if no other handle shares it.
    fn move_components(&mut self, open: &mut Vec<Self>) {
        let mut give_up = |part: &mut DynAny| {
            if part.content.is_composed() {
                open.push(std::mem::replace(&mut part.content, Self::Nothing));
            }
        };
        match self {
            Self::Parts(parts) => parts.iter_mut().for_each(give_up),
            Self::Union(union) => union.member.iter_mut().for_each(give_up),
            Self::Value(Some(shared)) => {
                let state = Arc::get_mut(shared).map(|shared| shared.take_state());
                state.into_iter().flatten().for_each(|mut part| give_up(&mut part));
            }
            _ => {}
        }
    }

    /// Whether the nesting depth is at most `limit`. A valuetype counts as a leaf.
    pub(super) fn nests_within(&self, limit: u16) -> bool {
        let below = |part: &DynAny| limit > 0 && part.content.nests_within(limit - 1);
        match self {
            Self::Parts(parts) => parts.iter().all(below),
            Self::Union(union) => union.member.iter().all(below),
            _ => true,
        }
    }
}

/// The largest number of digits of a `fixed`.
const MOST_DIGITS: u16 = 31;

/// Creates default values up to a total number of components.
pub(super) struct DefaultBuilder {
    left: usize,
    depth: usize,
}

impl Default for DefaultBuilder {
    fn default() -> Self {
        Self { left: 1_000_000, depth: 0 }
    }
}

impl DefaultBuilder {
    /// The default value of this type.
    pub(super) fn make(&mut self, code: TypeCode, types: &Types) -> Result<DynAny> {
        if self.depth == armilla_cdr::type_code::TYPE_CODE_DEPTH_LIMIT {
            return Err(DynAnyError::InconsistentTypeCode("values of the type have no end"));
        }
        self.take(1)?;
        self.depth += 1;
        let content = self.content(types.resolve(&code), types)?;
        self.depth -= 1;
        Ok(DynAny::with(code, types, content))
    }

    fn take(&mut self, count: usize) -> Result {
        let too_large = "a value of the type has too many components";
        self.left =
            self.left.checked_sub(count).ok_or(DynAnyError::InconsistentTypeCode(too_large))?;
        Ok(())
    }

    fn content(&mut self, code: &TypeCode, types: &Types) -> Result<Content> {
        Ok(match code {
            TypeCode::Null | TypeCode::Void => Content::Nothing,
            TypeCode::String(_) => Content::String(String::new()),
            TypeCode::WString(_) => Content::WString(String::new()),
            TypeCode::Float => Content::Float(0.0),
            TypeCode::Double => Content::Double(0.0),
            TypeCode::LongDouble => Content::LongDouble(LongDouble::default()),
            TypeCode::Fixed { digits, .. } if *digits > MOST_DIGITS => {
                return Err(DynAnyError::InconsistentTypeCode(
                    "a fixed number has 31 digits at most",
                ));
            }
            TypeCode::Fixed { .. } => Content::Fixed(0),
            TypeCode::Any => Content::Any(Box::default()),
            TypeCode::TypeCode => Content::TypeCode(TypeCode::Null),
            TypeCode::ObjectReference(_) | TypeCode::Component(_) | TypeCode::Home(_) => {
                Content::Reference(Box::default())
            }
            TypeCode::Value(_)
            | TypeCode::Event(_)
            | TypeCode::ValueBox(_)
            | TypeCode::AbstractInterface(_) => Content::Value(None),
            TypeCode::Struct(code) | TypeCode::Exception(code) => {
                let members = code.members.iter().map(|member| self.make(member.ty.clone(), types));
                Content::Parts(members.collect::<Result<_>>()?)
            }
            TypeCode::Sequence(element, _) if is_octet(types.resolve(element)) => {
                Content::Octets(Vec::new())
            }
            TypeCode::Sequence(..) => Content::Parts(Vec::new()),
            TypeCode::Array(element, length) => {
                let length = *length as usize;
                if is_octet(types.resolve(element)) {
                    self.take(length)?;
                    return Ok(Content::Octets(vec![0; length]));
                }
                let elements = (0..length).map(|_| self.make((**element).clone(), types));
                Content::Parts(elements.collect::<Result<_>>()?)
            }
            TypeCode::Union(code) => Content::Union(Box::new(self.union(code, types)?)),
            code => scalar(code, 0)
                .ok_or(DynAnyError::InconsistentTypeCode("there are no values of the type"))?,
        })
    }

    /// A union with its first member. A member that no discriminator selects is skipped.
    fn union(&mut self, code: &UnionCode, types: &Types) -> Result<UnionContent> {
        let label = |(place, case): (u32, &CaseCode)| match code.default == Some(place) {
            true => code.unused_label(),
            false => Some(case.label),
        };
        let first = (0..).zip(&code.cases).find_map(label);
        let first = first.ok_or(DynAnyError::InconsistentTypeCode("no union is empty"))?;
        let content = scalar(types.resolve(&code.discriminator), first)
            .ok_or(DynAnyError::InconsistentTypeCode("a union cannot have such a discriminator"))?;
        let discriminator = DynAny::with(code.discriminator.clone(), types, content);
        let member =
            code.select(first).map(|case| self.make(case.ty.clone(), types)).transpose()?;
        Ok(UnionContent { discriminator, member })
    }
}

/// Whether sequences and arrays of the type are stored as octets.
pub(super) const fn is_octet(code: &TypeCode) -> bool {
    matches!(code, TypeCode::Octet | TypeCode::Char)
}

/// The value with this number of a type that a discriminator may have.
pub(super) fn scalar(code: &TypeCode, number: i64) -> Option<Content> {
    Some(match code {
        TypeCode::Boolean => Content::Boolean(number != 0),
        TypeCode::Char => Content::Char(number.try_into().ok()?),
        TypeCode::Octet => Content::Octet(number.try_into().ok()?),
        TypeCode::Short => Content::Short(number.try_into().ok()?),
        TypeCode::UShort => Content::UShort(number.try_into().ok()?),
        TypeCode::Long => Content::Long(number.try_into().ok()?),
        TypeCode::ULong => Content::ULong(number.try_into().ok()?),
        TypeCode::LongLong => Content::LongLong(number),
        // Two's complement: the same 64 bits.
        TypeCode::ULongLong => Content::ULongLong(number.cast_unsigned()),
        TypeCode::WChar => Content::WChar(u32::try_from(number).ok().and_then(char::from_u32)?),
        TypeCode::Enum(code) => {
            let number = u32::try_from(number).ok()?;
            ((number as usize) < code.enumerators.len()).then_some(Content::Enum(number))?
        }
        _ => return None,
    })
}

impl Content {
    /// The number of a value whose type a discriminator may have.
    pub(super) fn number(&self) -> Option<i64> {
        Some(match self {
            Self::Boolean(value) => (*value).into(),
            Self::Char(value) | Self::Octet(value) => (*value).into(),
            Self::Short(value) => (*value).into(),
            Self::UShort(value) => (*value).into(),
            Self::Long(value) => (*value).into(),
            Self::ULong(value) | Self::Enum(value) => (*value).into(),
            Self::LongLong(value) => *value,
            Self::ULongLong(value) => value.cast_signed(),
            Self::WChar(value) => u32::from(*value).into(),
            _ => return None,
        })
    }
}
