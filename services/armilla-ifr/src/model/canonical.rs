//! Canonical TypeCodes: completed with the names in the repository.

use super::{Model, Result};
use armilla::TypeCode;
use armilla::dynamic::{TypeCodeFactory as Factory, UnionMember};
use std::collections::HashMap;
use std::sync::Arc;

impl Model {
    /// The same type with the repository's names for it and its parts (`get_canonical_typecode`,
    /// CORBA 3.4 Part 1, 14.5.6.2).
    ///
    /// # Errors
    /// A definition in the repository has no TypeCode, or a type that is not in the repository is
    /// invalid with the repository's definitions as parts.
    pub fn canonical(&self, code: &TypeCode) -> Result<TypeCode> {
        Canon { model: self, made: HashMap::new() }.of(code)
    }
}

struct Canon<'m> {
    model: &'m Model,
    /// Finished parts by address, because a shared part is made once.
    made: HashMap<usize, TypeCode>,
}

impl Canon<'_> {
    fn of(&mut self, code: &TypeCode) -> Result<TypeCode> {
        if let Some(known) = code.id().and_then(|id| self.model.lookup_id(id))
            && self.model.definition(known)?.kind.has_type_code()
        {
            return self.model.type_code(known);
        }
        let place = place(code);
        if let Some(made) = place.and_then(|place| self.made.get(&place)) {
            return Ok(made.clone());
        }
        let made = self.remade(code)?;
        if let Some(place) = place {
            self.made.insert(place, made.clone());
        }
        Ok(made)
    }

    fn remade(&mut self, code: &TypeCode) -> Result<TypeCode> {
        Ok(match code {
            TypeCode::Sequence(element, bound) => TypeCode::sequence(self.of(element)?, *bound),
            TypeCode::Array(element, length) => TypeCode::array(self.of(element)?, *length),
            TypeCode::Alias(alias) => {
                TypeCode::alias(&*alias.id, &*alias.name, self.of(&alias.ty)?)
            }
            TypeCode::ValueBox(boxed) => {
                TypeCode::value_box(&*boxed.id, &*boxed.name, self.of(&boxed.ty)?)
            }
            TypeCode::Struct(data) | TypeCode::Exception(data) => {
                let members = data.members.iter().map(|m| Ok((m.name.clone(), self.of(&m.ty)?)));
                let members = members.collect::<Result<Vec<_>>>()?;
                match code {
                    TypeCode::Struct(_) => TypeCode::structure(&*data.id, &*data.name, members),
                    _ => TypeCode::exception(&*data.id, &*data.name, members),
                }
            }
            TypeCode::Union(union) => {
                let discriminator = self.of(&union.discriminator)?;
                let mut cases = Vec::new();
                for (index, case) in (0..).zip(&union.cases) {
                    let label = (union.default != Some(index)).then_some(case.label);
                    let ty = self.of(&case.ty)?;
                    cases.push(UnionMember { label, name: case.name.clone(), ty });
                }
                Factory::create_union_tc(&union.id, &union.name, discriminator, cases)?
            }
            TypeCode::Value(_) | TypeCode::Event(_) => self.value(code)?,
            other => other.clone(),
        })
    }

    fn value(&mut self, code: &TypeCode) -> Result<TypeCode> {
        let (id, name) = (code.id().unwrap_or_default(), code.name().unwrap_or_default());
        let base = code.concrete_base_type().map(|base| self.of(base)).transpose()?;
        let mut state = Vec::new();
        for index in 0..code.member_count().unwrap_or_default() {
            let name = code.member_name(index).unwrap_or_default().to_owned();
            let ty = code.member_type(index).map(|ty| self.of(ty)).transpose()?.unwrap_or_default();
            state.push((name, ty, code.member_visibility(index).unwrap_or_default()));
        }
        let (modifier, base) = (code.type_modifier().unwrap_or_default(), base.unwrap_or_default());
        Ok(match code {
            TypeCode::Event(_) => Factory::create_event_tc(id, name, modifier, base, state)?,
            _ => Factory::create_value_tc(id, name, modifier, base, state)?,
        })
    }
}

/// The address of a TypeCode that has several parts.
fn place(code: &TypeCode) -> Option<usize> {
    match code {
        TypeCode::Struct(data) | TypeCode::Exception(data) => Some(Arc::as_ptr(data).addr()),
        TypeCode::Union(union) => Some(Arc::as_ptr(union).addr()),
        TypeCode::Value(value) | TypeCode::Event(value) => Some(Arc::as_ptr(value).addr()),
        _ => None,
    }
}
