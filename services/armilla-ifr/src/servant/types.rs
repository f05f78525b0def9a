//! Types and constants.

use super::describe::Members;
use super::methods::{bound, change_field, content, content_def};
use super::{Def, Result, wrong_kind};
use crate::corba::*;
use crate::model::{DefId, Kind};
use armilla::dynamic::DynAny;
use armilla::{Any, TypeCode};

impl IdlType for Def {
    fn r#type(&self) -> Result<TypeCode> {
        self.type_code(self.id)
    }
}

impl TypedefDef for Def {}
impl NativeDef for Def {}

impl Def {
    /// The content type: of a constant or attribute its type, of an alias the original type, of a
    /// sequence the element type.
    fn content(&self) -> Result<DefId> {
        match self.definition()?.kind {
            Kind::Constant { ty, .. }
            | Kind::Attribute { ty, .. }
            | Kind::ValueMember { ty, .. }
            | Kind::Alias(ty)
            | Kind::ValueBox(ty)
            | Kind::Operation { result: ty, .. }
            | Kind::Union { discriminator: ty, .. }
            | Kind::Sequence { element: ty, .. }
            | Kind::Array { element: ty, .. } => Ok(ty),
            _ => wrong_kind(),
        }
    }

    pub(super) fn content_type(&self) -> Result<TypeCode> {
        self.type_code(self.content()?)
    }

    pub(super) fn content_def(&self) -> Result<IdlTypeRef> {
        self.reference(self.content()?)
    }

    pub(super) fn set_content(&self, value: &IdlTypeRef) -> Result {
        let new = self.id_of(value)?;
        self.change(|kind| match kind {
            Kind::Attribute { ty, .. }
            | Kind::ValueMember { ty, .. }
            | Kind::Alias(ty)
            | Kind::ValueBox(ty)
            | Kind::Operation { result: ty, .. }
            | Kind::Union { discriminator: ty, .. }
            | Kind::Sequence { element: ty, .. }
            | Kind::Array { element: ty, .. } => *ty = new,
            _ => {}
        })
    }

    /// The bound of a string or sequence, or the length of an array.
    fn bound_of(&self) -> Result<u32> {
        match self.definition()?.kind {
            Kind::String(bound) | Kind::Wstring(bound) => Ok(bound),
            Kind::Sequence { bound, .. } | Kind::Array { length: bound, .. } => Ok(bound),
            _ => wrong_kind(),
        }
    }

    fn change_bound(&self, value: u32) -> Result {
        self.change(|kind| match kind {
            Kind::String(bound)
            | Kind::Wstring(bound)
            | Kind::Sequence { bound, .. }
            | Kind::Array { length: bound, .. } => *bound = value,
            _ => {}
        })
    }
}

impl ConstantDef for Def {
    fn r#type(&self) -> Result<TypeCode> {
        self.content_type()
    }

    fn type_def(&self) -> Result<IdlTypeRef> {
        self.content_def()
    }

    /// A value that does not fit the new type becomes the default value of that type.
    fn set_type_def(&self, new: &IdlTypeRef) -> Result {
        let ty = self.id_of(new)?;
        let code = self.type_code(ty)?;
        let first = DynAny::new(&code).and_then(|value| value.to_any())?;
        self.change(|kind| {
            if let Kind::Constant { value, .. } = kind {
                let fits = value.type_code().is_equivalent(&code);
                let value = if fits { std::mem::take(value) } else { first };
                *kind = Kind::Constant { ty, value };
            }
        })
    }

    fn value(&self) -> Result<Any> {
        match self.definition()?.kind {
            Kind::Constant { value, .. } => Ok(value),
            _ => wrong_kind(),
        }
    }

    fn set_value(&self, new: &Any) -> Result {
        change_field!(self, Constant.value = new.clone())
    }
}

impl StructDef for Def {
    fn members(&self) -> Result<StructMemberSeq> {
        self.struct_members()
    }

    fn set_members(&self, value: &[StructMember]) -> Result {
        let members = self.fields(value)?;
        self.change(|kind| *kind = Kind::Struct(members))
    }
}

impl UnionDef for Def {
    content!(discriminator_type, discriminator_type_def, set_discriminator_type_def);

    fn members(&self) -> Result<UnionMemberSeq> {
        let Kind::Union { members, .. } = self.definition()?.kind else { return wrong_kind() };
        let code = self.type_code(self.id)?;
        let member = |(index, member): (usize, &crate::model::UnionField)| {
            Ok(UnionMember {
                name: member.name.clone(),
                label: code.member_label(index).unwrap_or_default(),
                r#type: self.type_code(member.ty)?,
                type_def: self.reference(member.ty)?,
            })
        };
        members.iter().enumerate().map(member).collect()
    }

    fn set_members(&self, value: &[UnionMember]) -> Result {
        let discriminator = self.content()?;
        let members = self.union_fields(discriminator, value)?;
        self.change(|kind| *kind = Kind::Union { discriminator, members })
    }
}

impl EnumDef for Def {
    fn members(&self) -> Result<EnumMemberSeq> {
        match self.definition()?.kind {
            Kind::Enum(members) => Ok(members),
            _ => wrong_kind(),
        }
    }

    fn set_members(&self, value: &[Identifier]) -> Result {
        self.change(|kind| *kind = Kind::Enum(value.to_vec()))
    }
}

impl AliasDef for Def {
    content_def!(original_type_def, set_original_type_def);
}

impl ValueBoxDef for Def {
    content_def!(original_type_def, set_original_type_def);
}

impl PrimitiveDef for Def {
    fn kind(&self) -> Result<PrimitiveKind> {
        match self.definition()?.kind {
            Kind::Primitive(kind) => Ok(kind),
            _ => wrong_kind(),
        }
    }
}

impl StringDef for Def {
    bound!(bound, set_bound);
}

impl WstringDef for Def {
    bound!(bound, set_bound);
}

impl SequenceDef for Def {
    bound!(bound, set_bound);

    content!(element_type, element_type_def, set_element_type_def);
}

impl ArrayDef for Def {
    bound!(length, set_length);

    content!(element_type, element_type_def, set_element_type_def);
}

impl FixedDef for Def {
    fn digits(&self) -> Result<u16> {
        match self.definition()?.kind {
            Kind::Fixed { digits, .. } => Ok(digits),
            _ => wrong_kind(),
        }
    }

    fn set_digits(&self, value: u16) -> Result {
        change_field!(self, Fixed.digits = value)
    }

    fn scale(&self) -> Result<i16> {
        match self.definition()?.kind {
            Kind::Fixed { scale, .. } => Ok(scale),
            _ => wrong_kind(),
        }
    }

    fn set_scale(&self, value: i16) -> Result {
        change_field!(self, Fixed.scale = value)
    }
}
