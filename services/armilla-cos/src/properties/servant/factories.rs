//! The factories of property sets.

use super::Service;
use super::raise::{Refused, all};
use crate::properties::corba::property_set_def_factory::{
    CreateConstrainedPropertysetdefRaises, CreateInitialPropertysetdefRaises,
};
use crate::properties::corba::property_set_factory::{
    CreateConstrainedPropertysetRaises, CreateInitialPropertysetRaises,
};
use crate::properties::corba::{
    ConstraintNotSupported, Property as WireProperty, PropertyDef, PropertyModeType,
    PropertySetDefFactory, PropertySetDefRef, PropertySetFactory, PropertySetRef,
};
use crate::properties::model::{Constraints, Mode, PropertySet, Refusal};
use crate::properties::store::{constraints, mode};
use armilla::{Error, SystemException, TypeCode};

pub(super) struct Sets(pub(super) Service);
pub(super) struct Defs(pub(super) Service);

/// A set with these properties, or all that speaks against them.
fn filled<'p>(
    has_modes: bool,
    properties: impl Iterator<Item = (&'p WireProperty, Result<Mode, Refusal>)>,
) -> Result<PropertySet, Refused> {
    let mut set = PropertySet::new(has_modes, Constraints::default());
    let mut refused = Vec::new();
    for (WireProperty { property_name: name, property_value: value }, mode) in properties {
        // Twice is a contradiction, even with the same type.
        let is_new = || set.get(name).is_err().then_some(()).ok_or(Refusal::Conflicting);
        let defined = mode.and_then(|mode| set.defined(name, value, Some(mode)));
        match defined.and_then(|property| is_new().map(|()| property)) {
            Ok(property) => set.put(name, Some(property)),
            Err(refusal) => refused.push((name.clone(), refusal)),
        }
    }
    if refused.is_empty() { Ok(set) } else { Err(refused) }
}

impl PropertySetFactory for Sets {
    fn create_propertyset(&self) -> Result<PropertySetRef, SystemException> {
        let shared = self.0.get()?;
        shared.set(shared.make(PropertySet::default())?)
    }

    fn create_constrained_propertyset(
        &self,
        types: &[TypeCode],
        properties: &[WireProperty],
    ) -> Result<PropertySetRef, Error<CreateConstrainedPropertysetRaises>> {
        let shared = self.0.get()?;
        let def = |it: &WireProperty| PropertyDef {
            property_name: it.property_name.clone(),
            property_value: it.property_value.clone(),
            property_mode: PropertyModeType::Normal,
        };
        let constraints = constraints(types.to_vec(), properties.iter().map(def).collect());
        match constraints.is_sound() {
            true => Ok(shared.set(shared.make(PropertySet::new(false, constraints))?)?),
            false => Err(ConstraintNotSupported {}.into()),
        }
    }

    fn create_initial_propertyset(
        &self,
        properties: &[WireProperty],
    ) -> Result<PropertySetRef, Error<CreateInitialPropertysetRaises>> {
        let shared = self.0.get()?;
        match filled(false, properties.iter().map(|it| (it, Ok(Mode::Normal)))) {
            Ok(set) => Ok(shared.set(shared.make(set)?)?),
            Err(refused) => Err(all(refused).into()),
        }
    }
}

impl PropertySetDefFactory for Defs {
    fn create_propertysetdef(&self) -> Result<PropertySetDefRef, SystemException> {
        let shared = self.0.get()?;
        shared.def(shared.make(PropertySet::new(true, Constraints::default()))?)
    }

    fn create_constrained_propertysetdef(
        &self,
        types: &[TypeCode],
        defs: &[PropertyDef],
    ) -> Result<PropertySetDefRef, Error<CreateConstrainedPropertysetdefRaises>> {
        let shared = self.0.get()?;
        let constraints = constraints(types.to_vec(), defs.to_vec());
        match constraints.is_sound() {
            true => Ok(shared.def(shared.make(PropertySet::new(true, constraints))?)?),
            false => Err(ConstraintNotSupported {}.into()),
        }
    }

    fn create_initial_propertysetdef(
        &self,
        defs: &[PropertyDef],
    ) -> Result<PropertySetDefRef, Error<CreateInitialPropertysetdefRaises>> {
        let shared = self.0.get()?;
        let property = |it: &PropertyDef| WireProperty {
            property_name: it.property_name.clone(),
            property_value: it.property_value.clone(),
        };
        let properties: Vec<_> = defs.iter().map(property).collect();
        let modes = defs.iter().map(|it| mode(it.property_mode).ok_or(Refusal::UnsupportedMode));
        match filled(true, properties.iter().zip(modes)) {
            Ok(set) => Ok(shared.def(shared.make(set)?)?),
            Err(refused) => Err(all(refused).into()),
        }
    }
}
