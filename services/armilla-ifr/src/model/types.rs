//! TypeCodes of definitions.

use super::{DefId, Definition, Field, Flavour, Kind, Model, ModelError, Result, UnionField};
use crate::corba::{DefinitionKind, PrimitiveKind};
use armilla::dynamic::{
    TYPE_CODE_DEPTH_LIMIT, TypeCodeError, TypeCodeErrorKind, TypeCodeFactory as Factory,
    UnionMember,
};
use armilla::{Object, TypeCode, Typed, ValueBase};
use std::collections::HashMap;

impl Model {
    /// The TypeCode of a type or of an exception.
    ///
    /// # Errors
    /// [`ModelError::Invalid`] if the definition is neither; [`ModelError::Type`] if a type is
    /// invalid, such as a union with labels outside its discriminator type.
    pub fn type_code(&self, id: DefId) -> Result<TypeCode> {
        let mut making = Making { model: self, open: Vec::new(), made: HashMap::new() };
        Ok(making.code(id)?.code)
    }

    /// The TypeCodes of all valuetypes and value boxes, except abstract and custom ones, whose
    /// state is unknown, and invalid types. Once registered with
    /// [`Orb::register_value_type`](armilla::Orb::register_value_type), an ORB does not truncate
    /// their values.
    pub fn value_types(&self) -> Vec<TypeCode> {
        let has_state = |kind: &Kind| match kind {
            Kind::Value(value) => !value.is_abstract && !value.is_custom,
            kind => matches!(kind, Kind::ValueBox(_)),
        };
        let values = self.iter().filter(|(_, definition)| has_state(&definition.kind));
        values.filter_map(|(id, _)| self.type_code(id).ok()).collect()
    }
}

/// The maximum number of types in a TypeCode. A chain of types that each use the previous one twice
/// has a TypeCode that doubles with each.
const PARTS_LIMIT: usize = 100_000;

/// The state of making TypeCodes.
struct Making<'m> {
    model: &'m Model,
    /// The definitions that enclose the current one.
    open: Vec<DefId>,
    /// Complete TypeCodes without references to enclosing definitions.
    made: HashMap<DefId, Made>,
}

/// A TypeCode with its measures.
#[derive(Clone)]
struct Made {
    code: TypeCode,
    /// The depth of the outermost enclosing definition that it refers to; its own or more for none.
    outermost: usize,
    /// The number of types in it.
    parts: usize,
    /// The nesting depth.
    height: usize,
}

/// The measures of the parts of a TypeCode, accumulated.
struct Parts {
    outermost: usize,
    parts: usize,
    height: usize,
}

impl Making<'_> {
    fn code(&mut self, id: DefId) -> Result<Made> {
        let depth = self.open.len();
        if let Some(made) = self.made.get(&id) {
            let made = made.clone();
            return within_limits(Made { outermost: depth, ..made }, depth);
        }
        let definition = self.model.definition(id)?;
        if let Some(place) = self.open.iter().position(|open| *open == id) {
            self.check_recursion(definition, place)?;
            // A type without a repository id is expanded again, down to one that has an id.
            if is_recursive(&definition.kind) {
                let code = TypeCode::recursive(definition.id.as_str());
                return Ok(Made { code, outermost: place, parts: 1, height: 0 });
            }
        }
        if depth >= TYPE_CODE_DEPTH_LIMIT {
            return Err(too_deep());
        }
        self.open.push(id);
        let mut parts = Parts { outermost: usize::MAX, parts: 1, height: 0 };
        let code = self.composed(id, definition, &mut parts);
        self.open.pop();
        let Parts { outermost, parts, height } = parts;
        let made = within_limits(Made { code: code?, outermost, parts, height }, depth)?;
        if outermost >= depth {
            self.made.insert(id, made.clone());
        }
        Ok(made)
    }

    /// A type may contain itself by way of sequences and valuetypes.
    fn check_recursion(&self, definition: &Definition, place: usize) -> Result {
        let within = self.open.iter().skip(place).filter_map(|id| self.model.get(*id));
        let (mut may_be_none, mut has_a_name) = (false, false);
        for Definition { kind, .. } in within {
            may_be_none |=
                matches!(kind, Kind::Sequence { .. } | Kind::Value(_) | Kind::ValueBox(_));
            has_a_name |= is_recursive(kind);
        }
        if may_be_none && has_a_name {
            return Ok(());
        }
        let what = format!("{} would contain itself", definition.name);
        Err(ModelError::Type(TypeCodeError { kind: TypeCodeErrorKind::Member, what }))
    }

    /// A part of the definition that is being made.
    fn part(&mut self, id: DefId, whole: &mut Parts) -> Result<TypeCode> {
        let made = self.code(id)?;
        whole.outermost = made.outermost.min(whole.outermost);
        whole.parts = whole.parts.saturating_add(made.parts);
        whole.height = whole.height.max(made.height + 1);
        // Check early: types that refer to each other have very many parts.
        if whole.parts > PARTS_LIMIT {
            return Err(too_large());
        }
        Ok(made.code)
    }

    fn composed(
        &mut self,
        of: DefId,
        definition: &Definition,
        out: &mut Parts,
    ) -> Result<TypeCode> {
        let (id, name) = (definition.id.as_str(), definition.name.as_str());
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
                let (base, state) = (base.unwrap_or_default(), self.state(of, out)?);
                match value.is_event {
                    true => Factory::create_event_tc(id, name, value.modifier(), base, state),
                    false => Factory::create_value_tc(id, name, value.modifier(), base, state),
                }
            }
            _ => return Err(ModelError::Invalid(format!("{name} is no type"))),
        };
        Ok(code?)
    }

    fn members(&mut self, members: &[Field], out: &mut Parts) -> Result<Vec<(String, TypeCode)>> {
        members.iter().map(|m| Ok((m.name.clone(), self.part(m.ty, out)?))).collect()
    }

    fn cases(&mut self, members: &[UnionField], out: &mut Parts) -> Result<Vec<UnionMember>> {
        let case = |member: &UnionField| {
            let ty = self.part(member.ty, out)?;
            Ok(UnionMember { label: member.label, name: member.name.clone(), ty })
        };
        members.iter().map(case).collect()
    }

    /// The state members of a valuetype.
    fn state(&mut self, id: DefId, out: &mut Parts) -> Result<Vec<(String, TypeCode, bool)>> {
        let mut state = Vec::new();
        for member in self.model.contents(id, DefinitionKind::DkValueMember, true) {
            let member = self.model.definition(member)?;
            if let Kind::ValueMember { ty, public } = member.kind {
                state.push((member.name.clone(), self.part(ty, out)?, public));
            }
        }
        Ok(state)
    }
}

/// Whether a type of this kind refers to itself by its repository id.
const fn is_recursive(kind: &Kind) -> bool {
    matches!(kind, Kind::Struct(_) | Kind::Union { .. } | Kind::Value(_))
}

fn within_limits(made: Made, depth: usize) -> Result<Made> {
    if depth + made.height >= TYPE_CODE_DEPTH_LIMIT {
        return Err(too_deep());
    }
    match made.parts <= PARTS_LIMIT {
        true => Ok(made),
        false => Err(too_large()),
    }
}

#[cold]
fn too_large() -> ModelError {
    ModelError::Limit(format!("a type consists of more than {PARTS_LIMIT} others"))
}

#[cold]
fn too_deep() -> ModelError {
    ModelError::Limit(format!("types are nested deeper than {TYPE_CODE_DEPTH_LIMIT}"))
}

impl super::Value {
    /// The type modifier of the TypeCode.
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
