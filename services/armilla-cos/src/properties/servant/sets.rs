//! All property sets, with and without modes.

use super::Service;
use super::raise::{Raise, Refused, all};
use crate::properties::corba::property_set::{
    DefinePropertiesRaises, DefinePropertyRaises, DeletePropertiesRaises, DeletePropertyRaises,
    GetPropertyValueRaises, IsPropertyDefinedRaises,
};
use crate::properties::corba::property_set_def::{
    DefinePropertiesWithModesRaises, DefinePropertyWithModeRaises, GetPropertyModeRaises,
    SetPropertyModeRaises, SetPropertyModesRaises,
};
use crate::properties::corba::{
    Properties, PropertiesIterator, PropertiesIteratorRef, Property as WireProperty, PropertyDef,
    PropertyDefs, PropertyMode, PropertyModeType, PropertyModes, PropertyNames,
    PropertyNamesIterator, PropertyNamesIteratorRef, PropertySet, PropertySetDef, PropertyTypes,
};
use crate::properties::model::{Mode, Property, PropertySet as Model, Refusal};
use crate::properties::service::{Planned, Shared};
use crate::properties::store::{mode, wire, wire_constraints};
use armilla::{Any, Error, SystemException, TypeCode};
use std::collections::HashSet;
use std::sync::Arc;

pub(super) struct Sets(pub(super) Service);

/// Properties as they are shown, the number of an iterator over the rest, and the service.
type First<T> = (Vec<T>, Option<u64>, Arc<Shared>);

/// A value of the type void: there is no such property.
fn nothing() -> Result<Any, SystemException> {
    let made = Any::with_type(TypeCode::Void, &());
    made.map_err(|error| SystemException::encoding(&error, armilla::Completion::No))
}

pub(super) fn property((name, property): (&String, &Property)) -> WireProperty {
    WireProperty { property_name: name.clone(), property_value: property.value.clone() }
}

/// Plans one step after the other. A name that comes twice sees what was planned for it before.
fn each<'n, T>(
    set: &Model,
    steps: &'n [T],
    name: impl Fn(&'n T) -> &'n str,
    plan: impl Fn(&Model, &'n T) -> Result<Option<Property>, Refusal>,
) -> (Vec<Planned>, Refused) {
    let mut seen = HashSet::new();
    let repeats = steps.iter().any(|step| !seen.insert(name(step)));
    let mut scratch = repeats.then(|| set.clone());
    let (mut planned, mut refused) = (Vec::new(), Vec::new());
    for step in steps {
        let name = name(step);
        match plan(scratch.as_ref().unwrap_or(set), step) {
            Ok(property) => {
                scratch.iter_mut().for_each(|set| set.put(name, property.clone()));
                planned.push((name.to_owned(), property));
            }
            Err(refusal) => refused.push((name.to_owned(), refusal)),
        }
    }
    (planned, refused)
}

impl Sets {
    /// Changes one property.
    fn one<R: Raise>(
        &self,
        name: &str,
        plan: impl FnOnce(&Model) -> Result<Option<Property>, Refusal>,
    ) -> Result<(), Error<R>> {
        let (shared, number) = self.0.called()?;
        let done = shared.change(number, |set| match plan(set) {
            Ok(property) => (vec![(name.to_owned(), property)], Ok(())),
            Err(refusal) => (Vec::new(), Err(refusal)),
        })?;
        done.map_err(R::raise)
    }

    /// Changes several. Returns what was refused.
    fn several<'n, T>(
        &self,
        steps: &'n [T],
        name: impl Fn(&'n T) -> &'n str,
        plan: impl Fn(&Model, &'n T) -> Result<Option<Property>, Refusal>,
    ) -> Result<Refused, SystemException> {
        let (shared, number) = self.0.called()?;
        shared.change(number, |set| each(set, steps, name, plan))
    }

    fn look<R>(&self, look: impl FnOnce(&Model) -> R) -> Result<R, SystemException> {
        let (shared, number) = self.0.called()?;
        shared.look(number, look)
    }

    /// The first properties of the set as `show` has them, and the number of an iterator over the
    /// rest, if there is one.
    fn first<T>(
        &self,
        how_many: u32,
        show: impl Fn((&String, &Property)) -> T,
    ) -> Result<First<T>, SystemException> {
        let (shared, number) = self.0.called()?;
        let most = shared.iterators.at_most(how_many);
        let (first, after, has_more) = shared.look(number, |set| {
            let last = set.behind(None).take(most).last().map(|(name, _)| name.clone());
            let first: Vec<T> = set.behind(None).take(most).map(show).collect();
            (first, last, set.len() > most)
        })?;
        let client = shared.client();
        let rest = has_more.then(|| shared.iterators.open(number, after, client)).transpose()?;
        Ok((first, rest, shared))
    }
}

impl PropertySet for Sets {
    fn define_property(&self, name: &str, value: &Any) -> Result<(), Error<DefinePropertyRaises>> {
        self.one(name, |set| set.defined(name, value, None).map(Some))
    }

    fn define_properties(
        &self,
        properties: &[WireProperty],
    ) -> Result<(), Error<DefinePropertiesRaises>> {
        let refused = self.several(
            properties,
            |it| &it.property_name,
            |set, it| set.defined(&it.property_name, &it.property_value, None).map(Some),
        )?;
        if refused.is_empty() { Ok(()) } else { Err(all(refused).into()) }
    }

    fn get_number_of_properties(&self) -> Result<u32, SystemException> {
        self.look(|set| u32::try_from(set.len()).unwrap_or(u32::MAX))
    }

    fn get_all_property_names(
        &self,
        how_many: u32,
    ) -> Result<(PropertyNames, PropertyNamesIteratorRef), SystemException> {
        let (names, rest, shared) = self.first(how_many, |(name, _)| name.clone())?;
        let Some(rest) = rest else { return Ok((names, PropertyNamesIteratorRef::nil())) };
        let (poa, id) = (&shared.poas()?.names, rest.to_be_bytes().to_vec());
        Ok((names, poa.create_reference_with_id::<dyn PropertyNamesIterator>(id)?))
    }

    fn get_property_value(&self, name: &str) -> Result<Any, Error<GetPropertyValueRaises>> {
        let value = self.look(|set| set.get(name).map(|property| property.value.clone()))?;
        value.map_err(Raise::raise)
    }

    fn get_properties(&self, names: &[String]) -> Result<(bool, Properties), SystemException> {
        let nothing = nothing()?;
        self.look(|set| {
            let mut has_all = true;
            let one = |name: &String| {
                let known = set.get(name);
                has_all &= known.is_ok();
                let property_value = known.map_or(&nothing, |known| &known.value).clone();
                WireProperty { property_name: name.clone(), property_value }
            };
            let properties = names.iter().map(one).collect();
            (has_all, properties)
        })
    }

    fn get_all_properties(
        &self,
        how_many: u32,
    ) -> Result<(Properties, PropertiesIteratorRef), SystemException> {
        let (first, rest, shared) = self.first(how_many, property)?;
        let Some(rest) = rest else { return Ok((first, PropertiesIteratorRef::nil())) };
        let (poa, id) = (&shared.poas()?.properties, rest.to_be_bytes().to_vec());
        Ok((first, poa.create_reference_with_id::<dyn PropertiesIterator>(id)?))
    }

    fn delete_property(&self, name: &str) -> Result<(), Error<DeletePropertyRaises>> {
        self.one(name, |set| set.deletable(name).map(|()| None))
    }

    fn delete_properties(&self, names: &[String]) -> Result<(), Error<DeletePropertiesRaises>> {
        let delete = |set: &Model, name: &String| set.deletable(name).map(|()| None);
        let refused = self.several(names, |name| name, delete)?;
        if refused.is_empty() { Ok(()) } else { Err(all(refused).into()) }
    }

    fn delete_all_properties(&self) -> Result<bool, SystemException> {
        let (shared, number) = self.0.called()?;
        shared.change(number, |set| {
            let goes = |(_, property): &(&String, &Property)| !property.mode.is_fixed();
            let gone = set.behind(None).filter(goes).map(|(name, _)| (name.clone(), None));
            let gone: Vec<Planned> = gone.collect();
            let all = gone.len() == set.len();
            (gone, all)
        })
    }

    fn is_property_defined(&self, name: &str) -> Result<bool, Error<IsPropertyDefinedRaises>> {
        match self.look(|set| set.get(name).map(drop))? {
            Ok(()) => Ok(true),
            Err(Refusal::NotFound) => Ok(false),
            Err(refusal) => Err(Raise::raise(refusal)),
        }
    }
}

/// The mode that a client gives.
fn given(given: PropertyModeType) -> Result<Mode, Refusal> {
    mode(given).ok_or(Refusal::UnsupportedMode)
}

impl PropertySetDef for Sets {
    fn get_allowed_property_types(&self) -> Result<PropertyTypes, SystemException> {
        self.look(|set| set.constraints.types.clone())
    }

    fn get_allowed_properties(&self) -> Result<PropertyDefs, SystemException> {
        self.look(|set| wire_constraints(&set.constraints).1)
    }

    fn define_property_with_mode(
        &self,
        name: &str,
        value: &Any,
        mode: PropertyModeType,
    ) -> Result<(), Error<DefinePropertyWithModeRaises>> {
        self.one(name, |set| set.defined(name, value, Some(given(mode)?)).map(Some))
    }

    fn define_properties_with_modes(
        &self,
        defs: &[PropertyDef],
    ) -> Result<(), Error<DefinePropertiesWithModesRaises>> {
        let define = |set: &Model, it: &PropertyDef| {
            let mode = given(it.property_mode)?;
            set.defined(&it.property_name, &it.property_value, Some(mode)).map(Some)
        };
        let refused = self.several(defs, |it| &it.property_name, define)?;
        if refused.is_empty() { Ok(()) } else { Err(all(refused).into()) }
    }

    fn get_property_mode(
        &self,
        name: &str,
    ) -> Result<PropertyModeType, Error<GetPropertyModeRaises>> {
        self.look(|set| set.get(name).map(|property| wire(property.mode)))?.map_err(Raise::raise)
    }

    fn get_property_modes(
        &self,
        names: &[String],
    ) -> Result<(bool, PropertyModes), SystemException> {
        self.look(|set| {
            let mut has_all = true;
            let one = |name: &String| {
                let known = set.get(name);
                has_all &= known.is_ok();
                let property_mode =
                    known.map_or(PropertyModeType::Undefined, |known| wire(known.mode));
                PropertyMode { property_name: name.clone(), property_mode }
            };
            let modes = names.iter().map(one).collect();
            (has_all, modes)
        })
    }

    fn set_property_mode(
        &self,
        name: &str,
        mode: PropertyModeType,
    ) -> Result<(), Error<SetPropertyModeRaises>> {
        self.one(name, |set| set.with_mode(name, given(mode)?).map(Some))
    }

    fn set_property_modes(
        &self,
        modes: &[PropertyMode],
    ) -> Result<(), Error<SetPropertyModesRaises>> {
        let change = |set: &Model, it: &PropertyMode| {
            set.with_mode(&it.property_name, given(it.property_mode)?).map(Some)
        };
        let refused = self.several(modes, |it| &it.property_name, change)?;
        if refused.is_empty() { Ok(()) } else { Err(all(refused).into()) }
    }
}
