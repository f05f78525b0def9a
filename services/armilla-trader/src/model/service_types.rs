//! Service types: what an offer of them must have (Trading Object Service 1.0, 2.3.4).

use super::property::value_type;
use super::{ModelError, names};
use crate::constraint::{Schema, ValueType};
use armilla_cos_trading::repos::service_type_repository::{
    DuplicateServiceTypeName, HasSubTypes, IncarnationNumber, InterfaceTypeMismatch, PropStruct,
    PropertyMode, ServiceTypeExists, TypeStruct, ValueTypeRedefinition,
};
use armilla_cos_trading::{DuplicatePropertyName, UnknownServiceType};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// A service type with everything that it inherits.
#[derive(Debug)]
pub struct ServiceType {
    /// Its name.
    pub name: String,
    /// What it was made with.
    pub declared: TypeStruct,
    /// Its own properties, and those of all its supertypes.
    pub properties: Vec<PropStruct>,
    /// The names of all its supertypes.
    pub super_types: Vec<String>,
    columns: HashMap<String, usize>,
    value_types: Vec<ValueType>,
}

impl ServiceType {
    /// The index of a property in [`properties`](Self::properties).
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.get(name).copied()
    }

    /// The declaration of a property.
    pub fn declaration(&self, name: &str) -> Option<&PropStruct> {
        self.properties.get(self.column(name)?)
    }

    /// Whether the type is another one or derives from it.
    pub fn is_a(&self, name: &str) -> bool {
        self.name == name || self.super_types.iter().any(|base| base == name)
    }
}

impl Schema for ServiceType {
    fn property_type(&self, name: &str) -> Option<ValueType> {
        self.value_types.get(self.column(name)?).copied()
    }

    fn property_names(&self) -> Vec<&str> {
        self.properties.iter().map(|property| property.name.as_str()).collect()
    }
}

/// A type as a repository of any vendor describes it.
impl Schema for TypeStruct {
    fn property_type(&self, name: &str) -> Option<ValueType> {
        let property = self.props.iter().find(|property| property.name == name)?;
        Some(value_type(&property.value_type))
    }

    fn property_names(&self) -> Vec<&str> {
        self.props.iter().map(|property| property.name.as_str()).collect()
    }
}

/// Whether a property must be there.
pub fn is_mandatory(mode: PropertyMode) -> bool {
    matches!(mode, PropertyMode::PropMandatory | PropertyMode::PropMandatoryReadonly)
}

/// Whether a property cannot be changed.
pub fn is_readonly(mode: PropertyMode) -> bool {
    matches!(mode, PropertyMode::PropReadonly | PropertyMode::PropMandatoryReadonly)
}

/// All service types, by name.
#[derive(Debug)]
pub struct ServiceTypes {
    types: BTreeMap<String, Arc<ServiceType>>,
    next: u64,
}

impl Default for ServiceTypes {
    fn default() -> Self {
        Self { types: BTreeMap::new(), next: 1 }
    }
}

/// Whether an interface is another one or derives from it, as far as anybody knows.
pub type DerivesFrom<'d> = &'d dyn Fn(&str, &str) -> bool;

impl ServiceTypes {
    /// A type.
    ///
    /// # Errors
    /// The name is illegal or unknown.
    pub fn get(&self, name: &str) -> Result<&Arc<ServiceType>, ModelError> {
        names::service_type(name)?;
        self.types.get(name).ok_or_else(|| UnknownServiceType { r#type: name.to_owned() }.into())
    }

    /// All types, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<ServiceType>> {
        self.types.values()
    }

    /// A type and those that derive from it.
    pub fn with_sub_types(&self, name: &str) -> Vec<Arc<ServiceType>> {
        let own = self.types.get(name).into_iter();
        let derived = self.iter().filter(|ty| ty.name != name && ty.is_a(name));
        own.chain(derived).cloned().collect()
    }

    /// The number that the next type gets.
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// Checks a new type, and returns it as it is to be put.
    pub(super) fn check_new(
        &self,
        name: &str,
        interface: &str,
        properties: &[PropStruct],
        super_types: &[String],
        derives_from: DerivesFrom<'_>,
    ) -> Result<TypeStruct, ModelError> {
        names::service_type(name)?;
        if self.types.contains_key(name) {
            return Err(ServiceTypeExists { name: name.to_owned() }.into());
        }
        let mut seen = HashSet::new();
        for property in properties {
            names::property(&property.name)?;
            if !seen.insert(&property.name) {
                return Err(DuplicatePropertyName { name: property.name.clone() }.into());
            }
        }
        let mut seen = HashSet::new();
        for base in super_types {
            let base = self.get(base)?;
            if !seen.insert(&base.name) {
                return Err(DuplicateServiceTypeName { name: base.name.clone() }.into());
            }
            let base_interface = &base.declared.if_name;
            if base_interface != interface && !derives_from(interface, base_interface) {
                return Err(InterfaceTypeMismatch {
                    base_service: base.name.clone(),
                    base_if: base_interface.clone(),
                    derived_service: name.to_owned(),
                    derived_if: interface.to_owned(),
                }
                .into());
            }
        }
        let declared = TypeStruct {
            if_name: interface.to_owned(),
            props: properties.to_vec(),
            super_types: super_types.to_vec(),
            masked: false,
            incarnation: to_incarnation(self.next),
        };
        self.complete(name, declared).map(|ty| ty.declared)
    }

    /// Checks that a type can be removed.
    pub(super) fn check_removal(&self, name: &str) -> Result<(), ModelError> {
        let ty = self.get(name)?;
        match self.iter().find(|other| other.declared.super_types.contains(&ty.name)) {
            Some(derived) => {
                Err(HasSubTypes { the_type: ty.name.clone(), sub_type: derived.name.clone() }
                    .into())
            }
            None => Ok(()),
        }
    }

    /// Puts a type, in place of the one of the same name. Its supertypes must be there.
    pub(super) fn put(&mut self, name: &str, declared: TypeStruct) -> Result<(), ModelError> {
        self.next = self.next.max(incarnation_number(declared.incarnation) + 1);
        let ty = self.complete(name, declared)?;
        self.types.insert(name.to_owned(), Arc::new(ty));
        Ok(())
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.types.remove(name);
    }

    /// Makes the next number at least this one.
    pub(super) fn set_next(&mut self, next: u64) {
        self.next = self.next.max(next);
    }

    /// A type with what it inherits. A property that several types declare must have one type in
    /// all of them, and a derived type can only strengthen its mode.
    fn complete(&self, name: &str, declared: TypeStruct) -> Result<ServiceType, ModelError> {
        let mut super_types = Vec::new();
        // Where each inherited property comes from.
        let mut inherited: Vec<(String, PropStruct)> = Vec::new();
        for base in &declared.super_types {
            let base = self.get(base)?;
            for ancestor in base.super_types.iter().chain([&base.name]) {
                if !super_types.contains(ancestor) {
                    super_types.push(ancestor.clone());
                }
            }
            for property in &base.properties {
                match inherited.iter_mut().find(|(_, other)| other.name == property.name) {
                    None => inherited.push((base.name.clone(), property.clone())),
                    Some((other_base, other)) => {
                        if !other.value_type.is_equivalent(&property.value_type) {
                            let one = (other_base.as_str(), &*other);
                            return Err(redefinition(one, (&base.name, property)));
                        }
                        other.mode = stronger(other.mode, property.mode);
                    }
                }
            }
        }
        let mut properties = declared.props.clone();
        for (base, property) in inherited {
            match properties.iter().find(|own| own.name == property.name) {
                None => properties.push(property),
                Some(own) if refines(own, &property) => {}
                Some(own) => return Err(redefinition((name, own), (&base, &property))),
            }
        }
        let columns =
            properties.iter().enumerate().map(|(index, p)| (p.name.clone(), index)).collect();
        let value_types = properties.iter().map(|p| value_type(&p.value_type)).collect();
        let name = name.to_owned();
        Ok(ServiceType { name, declared, properties, super_types, columns, value_types })
    }
}

/// Whether a declaration may stand in place of an inherited one.
fn refines(own: &PropStruct, inherited: &PropStruct) -> bool {
    own.value_type.is_equivalent(&inherited.value_type)
        && stronger(own.mode, inherited.mode) == own.mode
}

/// The mode that demands what either of two demands.
fn stronger(one: PropertyMode, other: PropertyMode) -> PropertyMode {
    match (is_mandatory(one) || is_mandatory(other), is_readonly(one) || is_readonly(other)) {
        (true, true) => PropertyMode::PropMandatoryReadonly,
        (true, false) => PropertyMode::PropMandatory,
        (false, true) => PropertyMode::PropReadonly,
        (false, false) => PropertyMode::PropNormal,
    }
}

fn redefinition(one: (&str, &PropStruct), other: (&str, &PropStruct)) -> ModelError {
    ValueTypeRedefinition {
        type_1: one.0.to_owned(),
        definition_1: one.1.clone(),
        type_2: other.0.to_owned(),
        definition_2: other.1.clone(),
    }
    .into()
}

/// A number as its two halves.
pub(super) fn to_incarnation(number: u64) -> IncarnationNumber {
    IncarnationNumber { high: (number >> 32) as u32, low: number as u32 }
}

/// A number from its two halves.
pub(crate) fn incarnation_number(number: IncarnationNumber) -> u64 {
    u64::from(number.high) << 32 | u64::from(number.low)
}
