//! The parameters of a TypeCode, under the names of `CORBA::TypeCode` (CORBA 3.4 Part 1, 8.11.1).
//!
//! Where CORBA raises `BadKind` or `Bounds`, the functions return `None`.

use super::{CaseCode, EnumCode, TypeCode, UnionCode, label};
use crate::{Any, CdrResult, Decoder, Encoder};

impl TypeCode {
    /// The name without its scopes, for types that have one. It may be empty.
    pub fn name(&self) -> Option<&str> {
        Some(match self {
            Self::ObjectReference(code)
            | Self::AbstractInterface(code)
            | Self::LocalInterface(code)
            | Self::Component(code)
            | Self::Home(code)
            | Self::Native(code) => &code.name,
            Self::Struct(code) | Self::Exception(code) => &code.name,
            Self::Union(code) => &code.name,
            Self::Enum(code) => &code.name,
            Self::Alias(code) | Self::ValueBox(code) => &code.name,
            Self::Value(code) | Self::Event(code) => &code.name,
            _ => return None,
        })
    }

    /// The number of members of a struct, exception, union, enum or valuetype. The members of a
    /// base valuetype are not counted.
    pub fn member_count(&self) -> Option<usize> {
        Some(match self {
            Self::Struct(code) | Self::Exception(code) => code.members.len(),
            Self::Union(code) => code.cases.len(),
            Self::Enum(code) => code.enumerators.len(),
            Self::Value(code) | Self::Event(code) => code.members.len(),
            _ => return None,
        })
    }

    /// The name of the member `index`. It may be empty.
    pub fn member_name(&self, index: usize) -> Option<&str> {
        Some(match self {
            Self::Struct(code) | Self::Exception(code) => &code.members.get(index)?.name,
            Self::Union(code) => &code.cases.get(index)?.name,
            Self::Enum(code) => code.enumerators.get(index)?,
            Self::Value(code) | Self::Event(code) => &code.members.get(index)?.name,
            _ => return None,
        })
    }

    /// The type of the member `index`.
    pub fn member_type(&self, index: usize) -> Option<&Self> {
        Some(match self {
            Self::Struct(code) | Self::Exception(code) => &code.members.get(index)?.ty,
            Self::Union(code) => &code.cases.get(index)?.ty,
            Self::Value(code) | Self::Event(code) => &code.members.get(index)?.ty,
            _ => return None,
        })
    }

    /// The label of the member `index` of a union, as a value of the discriminator's type. The
    /// label of the default case is the octet 0.
    pub fn member_label(&self, index: usize) -> Option<Any> {
        let Self::Union(code) = self else { return None };
        let case = code.cases.get(index)?;
        if code.default == u32::try_from(index).ok() {
            return Any::new(&0_u8).ok();
        }
        let mut out = Encoder::in_form(crate::encoding::Encoding::NATIVE);
        label(&code.discriminator, case.label, &mut out).ok()?;
        Some(Any::from_parts(code.discriminator.clone(), out.into_buffer()))
    }

    /// The type of the discriminator of a union.
    pub fn discriminator_type(&self) -> Option<&Self> {
        match self {
            Self::Union(code) => Some(&code.discriminator),
            _ => None,
        }
    }

    /// The index of the default case of a union, if it has one.
    pub fn default_index(&self) -> Option<usize> {
        match self {
            Self::Union(code) => code.default.map(|index| index as usize),
            _ => None,
        }
    }

    /// The bound of a string or sequence, 0 for none, or the length of an array.
    pub const fn length(&self) -> Option<u32> {
        match self {
            Self::String(length)
            | Self::WString(length)
            | Self::Sequence(_, length)
            | Self::Array(_, length) => Some(*length),
            _ => None,
        }
    }

    /// The element type of a sequence or array, the content type of a boxed value, or the original
    /// type of a typedef.
    pub fn content_type(&self) -> Option<&Self> {
        match self {
            Self::Sequence(element, _) | Self::Array(element, _) => Some(element),
            Self::Alias(code) | Self::ValueBox(code) => Some(&code.ty),
            _ => None,
        }
    }

    /// The number of values in a value of this type, including itself, if it takes no octets: a
    /// struct without members, a struct of such structs only, or an array of them. `None` for all
    /// other types, and if there are more than `most`.
    pub fn zero_sized_parts(&self, most: usize) -> Option<usize> {
        let within = most.checked_sub(1)?;
        let parts = match self.resolved() {
            Self::Struct(code) => code.members.iter().try_fold(0, |parts: usize, member| {
                Some(parts + member.ty.zero_sized_parts(within.checked_sub(parts)?)?)
            })?,
            Self::Array(_, 0) => 0,
            Self::Array(element, length) => {
                element.zero_sized_parts(within)?.checked_mul(*length as usize)?
            }
            _ => return None,
        };
        (parts <= within).then_some(parts + 1)
    }

    /// Whether the member `index` of a valuetype is public.
    pub fn member_visibility(&self, index: usize) -> Option<bool> {
        match self {
            Self::Value(code) | Self::Event(code) => Some(code.members.get(index)?.public),
            _ => None,
        }
    }

    /// The modifier of a valuetype: `VM_NONE` 0, `VM_CUSTOM` 1, `VM_ABSTRACT` 2, `VM_TRUNCATABLE`
    /// 3.
    pub fn type_modifier(&self) -> Option<i16> {
        match self {
            Self::Value(code) | Self::Event(code) => Some(code.modifier),
            _ => None,
        }
    }

    /// The concrete base of a valuetype, if it has one.
    pub fn concrete_base_type(&self) -> Option<&Self> {
        match self {
            Self::Value(code) | Self::Event(code) => match &code.base {
                Self::Null => None,
                base => Some(base),
            },
            _ => None,
        }
    }
}

impl UnionCode {
    /// The case that a discriminator with this number selects, if any.
    pub fn select(&self, number: i64) -> Option<&CaseCode> {
        let place = self.order.partition_point(|index| self.label(*index) < Some(number));
        let labelled = self.order.get(place).and_then(|index| self.cases.get(*index as usize));
        let default = || self.cases.get(self.default? as usize);
        labelled.filter(|case| case.label == number).or_else(default)
    }

    fn label(&self, index: u32) -> Option<i64> {
        self.cases.get(index as usize).map(|case| case.label)
    }

    /// A value of the discriminator's type that is not the label of any case, so that it selects
    /// the default case or no member: the smallest number from 0 on, or else the largest negative
    /// one.
    pub fn unused_label(&self) -> Option<i64> {
        let range = self.discriminator.label_range()?;
        let labels = self.order.iter().filter_map(|index| self.label(*index));
        let mut up = 0;
        for label in labels.clone().filter(|label| *label >= 0) {
            match label == up {
                true => up = up.checked_add(1)?,
                // Two cases may have the same label.
                false if label < up => {}
                false => break,
            }
        }
        if range.contains(&up) {
            return Some(up);
        }
        let mut down = -1;
        for label in labels.rev().filter(|label| *label < 0) {
            match label == down {
                true => down = down.checked_sub(1)?,
                false if label > down => {}
                false => break,
            }
        }
        range.contains(&down).then_some(down)
    }
}

impl EnumCode {
    /// Reads an enumerator: its number. `what` names the enum in the error.
    ///
    /// # Errors
    /// When the enum has no enumerator of this number, or the input ends.
    pub fn read(&self, what: &'static str, input: &mut Decoder<'_>) -> CdrResult<u32> {
        match input.u32()? {
            number if (number as usize) < self.enumerators.len() => Ok(number),
            number => Err(input.invalid_enum(what, number)),
        }
    }
}
