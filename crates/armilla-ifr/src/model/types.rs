//! TypeCodes of definitions.

use super::{DefId, Definition, Field, Flavour, Kind, Model, ModelError, Result};
use crate::corba::PrimitiveKind;
use armilla::dynamic::{TypeCodeFactory as Factory, UnionMember};
use armilla::{Object, TypeCode, Typed, ValueBase};
use std::collections::HashMap;

impl Model {
    /// The TypeCode of a type or of an exception.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] when the definition is neither, or a type cannot exist: a union with
    /// labels that its discriminator does not have.
    pub fn type_code(&self, id: DefId) -> Result<TypeCode> {
        let mut making = Making { model: self, open: Vec::new(), made: HashMap::new() };
        Ok(making.code(id)?.0)
    }
}

/// TypeCodes being made.
struct Making<'m> {
    model: &'m Model,
    /// The definitions that enclose the present one.
    open: Vec<DefId>,
    /// Those that are complete, and name none that was open then.
    made: HashMap<DefId, TypeCode>,
}

/// A TypeCode, and the outermost open definition that it names; its own depth or more for none.
type Made = (TypeCode, usize);

impl Making<'_> {
    fn code(&mut self, id: DefId) -> Result<Made> {
        let depth = self.open.len();
        if let Some(made) = self.made.get(&id) {
            return Ok((made.clone(), depth));
        }
        let definition = self.model.definition(id)?;
        if let Some(place) = self.open.iter().position(|open| *open == id) {
            return Ok((TypeCode::recursive(definition.id.as_str()), place));
        }
        self.open.push(id);
        let made = self.composed(definition);
        self.open.pop();
        let (code, outermost) = made?;
        if outermost >= depth {
            self.made.insert(id, code.clone());
        }
        Ok((code, outermost))
    }

    fn composed(&mut self, definition: &Definition) -> Result<Made> {
        let (id, name) = (definition.id.as_str(), definition.name.as_str());
        let mut outermost = usize::MAX;
        let mut part = |making: &mut Self, id| {
            let (code, place) = making.code(id)?;
            outermost = outermost.min(place);
            Ok::<_, ModelError>(code)
        };
        let code = match &definition.kind {
            Kind::Primitive(kind) => Ok(primitive(*kind)),
            Kind::String(bound) => Ok(TypeCode::String(*bound)),
            Kind::Wstring(bound) => Ok(TypeCode::WString(*bound)),
            Kind::Fixed { digits, scale } => Factory::create_fixed_tc(*digits, *scale),
            Kind::Sequence { element, bound } => {
                Factory::create_sequence_tc(*bound, part(self, *element)?)
            }
            Kind::Array { element, length } => {
                Factory::create_array_tc(*length, part(self, *element)?)
            }
            Kind::Enum(names) => Factory::create_enum_tc(id, name, names.iter().cloned()),
            Kind::Alias(ty) => Factory::create_alias_tc(id, name, part(self, *ty)?),
            Kind::ValueBox(ty) => Factory::create_value_box_tc(id, name, part(self, *ty)?),
            Kind::Native => Factory::create_native_tc(id, name),
            Kind::Interface { flavour: Flavour::Plain, .. } => {
                Factory::create_interface_tc(id, name)
            }
            Kind::Interface { flavour: Flavour::Abstract, .. } => {
                Factory::create_abstract_interface_tc(id, name)
            }
            Kind::Interface { flavour: Flavour::Local, .. } => {
                Factory::create_local_interface_tc(id, name)
            }
            Kind::Struct(members) | Kind::Exception(members) => {
                let member = |m: &Field| Ok((m.name.clone(), part(self, m.ty)?));
                let members = members.iter().map(member).collect::<Result<Vec<_>>>()?;
                match definition.kind {
                    Kind::Struct(_) => Factory::create_struct_tc(id, name, members),
                    _ => Factory::create_exception_tc(id, name, members),
                }
            }
            Kind::Union { discriminator, members } => {
                let discriminator = part(self, *discriminator)?;
                let members = members.iter().map(|member| {
                    let ty = part(self, member.ty)?;
                    Ok(UnionMember { label: member.label, name: member.name.clone(), ty })
                });
                let members = members.collect::<Result<Vec<_>>>()?;
                Factory::create_union_tc(id, name, discriminator, members)
            }
            Kind::Value(value) => {
                let base = value.base.map_or(Ok(TypeCode::Null), |base| part(self, base))?;
                let state = definition.contents.iter().filter_map(|id| self.model.get(*id));
                let state = state.filter_map(|member| match member.kind {
                    Kind::ValueMember { ty, public } => Some((member.name.clone(), ty, public)),
                    _ => None,
                });
                let state = state.collect::<Vec<_>>().into_iter();
                let state = state.map(|(name, ty, public)| Ok((name, part(self, ty)?, public)));
                let state = state.collect::<Result<Vec<_>>>()?;
                match value.is_event {
                    true => Factory::create_event_tc(id, name, value.modifier(), base, state),
                    false => Factory::create_value_tc(id, name, value.modifier(), base, state),
                }
            }
            _ => return Err(ModelError::Invalid(format!("{name} is no type"))),
        };
        let code = code.map_err(|error| ModelError::Invalid(error.what))?;
        Ok((code, outermost))
    }
}

impl super::Value {
    /// The modifier as a TypeCode says it.
    const fn modifier(&self) -> i16 {
        match self {
            Self { is_custom: true, .. } => 1,
            Self { is_abstract: true, .. } => 2,
            Self { is_truncatable: true, .. } => 3,
            _ => 0,
        }
    }
}

fn primitive(kind: PrimitiveKind) -> TypeCode {
    match kind {
        PrimitiveKind::PkNull => TypeCode::Null,
        PrimitiveKind::PkVoid => TypeCode::Void,
        PrimitiveKind::PkShort => TypeCode::Short,
        PrimitiveKind::PkLong => TypeCode::Long,
        PrimitiveKind::PkUshort => TypeCode::UShort,
        PrimitiveKind::PkUlong => TypeCode::ULong,
        PrimitiveKind::PkFloat => TypeCode::Float,
        PrimitiveKind::PkDouble => TypeCode::Double,
        PrimitiveKind::PkBoolean => TypeCode::Boolean,
        PrimitiveKind::PkChar => TypeCode::Char,
        PrimitiveKind::PkOctet => TypeCode::Octet,
        PrimitiveKind::PkAny => TypeCode::Any,
        PrimitiveKind::PkTypeCode => TypeCode::TypeCode,
        PrimitiveKind::PkPrincipal => TypeCode::Principal,
        PrimitiveKind::PkString => TypeCode::String(0),
        PrimitiveKind::PkObjref => Object::type_code(),
        PrimitiveKind::PkLonglong => TypeCode::LongLong,
        PrimitiveKind::PkUlonglong => TypeCode::ULongLong,
        PrimitiveKind::PkLongdouble => TypeCode::LongDouble,
        PrimitiveKind::PkWchar => TypeCode::WChar,
        PrimitiveKind::PkWstring => TypeCode::WString(0),
        PrimitiveKind::PkValueBase => ValueBase::type_code(),
    }
}
