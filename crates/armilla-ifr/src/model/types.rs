//! TypeCodes of definitions.

use super::{DefId, Definition, Field, Flavour, Kind, Model, ModelError, Result, UnionField};
use crate::corba::PrimitiveKind;
use armilla::dynamic::{TypeCodeFactory as Factory, UnionMember};
use armilla::{Object, TypeCode, Typed, ValueBase};
use std::collections::HashMap;

impl Model {
    /// The TypeCode of a type or of an exception.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] when the definition is neither, [`ModelError::Type`] when a type cannot
    /// exist: a union with labels that its discriminator does not have.
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

    /// A part of the definition that is being made; `outermost` becomes what it names at most.
    fn part(&mut self, id: DefId, outermost: &mut usize) -> Result<TypeCode> {
        let (code, place) = self.code(id)?;
        *outermost = place.min(*outermost);
        Ok(code)
    }

    fn composed(&mut self, definition: &Definition) -> Result<Made> {
        let (id, name) = (definition.id.as_str(), definition.name.as_str());
        let mut outermost = usize::MAX;
        let out = &mut outermost;
        let code = match &definition.kind {
            Kind::Primitive(kind) => Ok(primitive(*kind)),
            Kind::String(bound) => Ok(TypeCode::String(*bound)),
            Kind::Wstring(bound) => Ok(TypeCode::WString(*bound)),
            Kind::Fixed { digits, scale } => Factory::create_fixed_tc(*digits, *scale),
            Kind::Sequence { element, bound } => {
                Factory::create_sequence_tc(*bound, self.part(*element, out)?)
            }
            Kind::Array { element, length } => {
                Factory::create_array_tc(*length, self.part(*element, out)?)
            }
            Kind::Enum(names) => Factory::create_enum_tc(id, name, names.iter().cloned()),
            Kind::Alias(ty) => Factory::create_alias_tc(id, name, self.part(*ty, out)?),
            Kind::ValueBox(ty) => Factory::create_value_box_tc(id, name, self.part(*ty, out)?),
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
            Kind::Struct(members) => {
                Factory::create_struct_tc(id, name, self.members(members, out)?)
            }
            Kind::Exception(members) => {
                Factory::create_exception_tc(id, name, self.members(members, out)?)
            }
            Kind::Union { discriminator, members } => {
                let discriminator = self.part(*discriminator, out)?;
                let members = self.cases(members, out)?;
                Factory::create_union_tc(id, name, discriminator, members)
            }
            Kind::Value(value) => {
                let base = value.base.map(|base| self.part(base, out)).transpose()?;
                let (base, state) = (base.unwrap_or_default(), self.state(definition, out)?);
                match value.is_event {
                    true => Factory::create_event_tc(id, name, value.modifier(), base, state),
                    false => Factory::create_value_tc(id, name, value.modifier(), base, state),
                }
            }
            _ => return Err(ModelError::Invalid(format!("{name} is no type"))),
        };
        Ok((code?, outermost))
    }

    fn members(&mut self, members: &[Field], out: &mut usize) -> Result<Vec<(String, TypeCode)>> {
        members.iter().map(|m| Ok((m.name.clone(), self.part(m.ty, out)?))).collect()
    }

    fn cases(&mut self, members: &[UnionField], out: &mut usize) -> Result<Vec<UnionMember>> {
        let case = |member: &UnionField| {
            let ty = self.part(member.ty, out)?;
            Ok(UnionMember { label: member.label, name: member.name.clone(), ty })
        };
        members.iter().map(case).collect()
    }

    /// The state members of a valuetype.
    fn state(
        &mut self,
        definition: &Definition,
        out: &mut usize,
    ) -> Result<Vec<(String, TypeCode, bool)>> {
        let mut state = Vec::new();
        for member in definition.contents.iter().filter_map(|id| self.model.get(*id)) {
            if let Kind::ValueMember { ty, public } = member.kind {
                state.push((member.name.clone(), self.part(ty, out)?, public));
            }
        }
        Ok(state)
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
