//! `ServiceTypeRepository`: service types.

use super::Servant;
use super::raise::raise;
use super::register::repository_id;
use crate::model::ServiceType;
use armilla::{Any, Error, Object, SystemException, TypeCode, Typed};
use armilla_cos_trading::ServiceTypeName;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::repos::service_type_repository::{
    AddTypeRaises, DescribeTypeRaises, FullyDescribeTypeRaises, IncarnationNumber, MaskTypeRaises,
    PropStruct, RemoveTypeRaises, ServiceTypeNameSeq, SpecifiedServiceTypes, TypeStruct,
    UnmaskTypeRaises,
};
use std::collections::HashMap;

/// A number as one that compares.
fn order(number: IncarnationNumber) -> (u32, u32) {
    (number.high, number.low)
}

/// A type with everything that it inherits.
fn full(service_type: &ServiceType) -> TypeStruct {
    TypeStruct {
        props: service_type.properties.clone(),
        super_types: service_type.super_types.clone(),
        ..service_type.declared.clone()
    }
}

impl Servant {
    /// Which of the interfaces of supertypes an interface certainly does not derive from, as the
    /// interface repository says. Without one nobody knows, and the exporter is believed.
    fn foreign_interfaces(&self, interface: &str, super_types: &[String]) -> Vec<String> {
        let bases: Vec<String> = {
            let model = self.model();
            let types = super_types.iter().filter_map(|base| model.service_types().get(base).ok());
            types.map(|base| base.declared.if_name.clone()).collect()
        };
        let others = bases.into_iter().filter(|base| base != interface);
        let mut known = HashMap::new();
        others
            .filter(|base| {
                let derives = known
                    .entry(base.clone())
                    .or_insert_with(|| self.derives_from(interface, base).unwrap_or(true));
                !*derives
            })
            .collect()
    }

    /// Whether an interface derives from another one. `None` if the interface repository, if there
    /// is one, does not know it.
    fn derives_from(&self, interface: &str, base: &str) -> Option<bool> {
        let (Some(interface), Some(base)) = (repository_id(interface), repository_id(base)) else {
            return Some(repository_id(base).is_none());
        };
        if interface == base {
            return Some(true);
        }
        let repository = self.orb().resolve_initial_references("InterfaceRepository").ok()?;
        let mut lookup = self.bounded(&repository).request("lookup_id");
        lookup.add_in("search_id", Any::new(&interface).ok()?);
        lookup.set_return_type(Object::type_code());
        lookup.invoke().ok()?;
        let found = lookup.return_value().get_with_context::<Object>(self.orb()).ok()??;
        if found.is_nil() {
            return None;
        }
        let mut is_a = self.bounded(&found).request("is_a");
        is_a.add_in("interface_id", Any::new(&base).ok()?);
        is_a.set_return_type(TypeCode::Boolean);
        is_a.invoke().ok()?;
        is_a.return_value().get::<bool>().ok()?
    }
}

impl ServiceTypeRepository for Servant {
    fn incarnation(&self) -> Result<IncarnationNumber, SystemException> {
        Ok(self.model().service_types().incarnation())
    }

    fn add_type(
        &self,
        name: &str,
        if_name: &str,
        props: &[PropStruct],
        super_types: &[ServiceTypeName],
    ) -> Result<IncarnationNumber, Error<AddTypeRaises>> {
        // The interface repository is asked before anything is locked.
        let foreign = self.foreign_interfaces(if_name, super_types);
        raise(self.change(|model| {
            model.plan_add_type(name, if_name, props, super_types, &|_, base| {
                !foreign.iter().any(|known| known == base)
            })
        }))
    }

    fn remove_type(&self, name: &str) -> Result<(), Error<RemoveTypeRaises>> {
        self.check_operator()?;
        raise(self.change(|model| model.plan_remove_type(name)))
    }

    fn list_types(
        &self,
        which_types: &SpecifiedServiceTypes,
    ) -> Result<ServiceTypeNameSeq, SystemException> {
        let since = match which_types {
            SpecifiedServiceTypes::Incarnation(number) => order(*number),
            SpecifiedServiceTypes::Unlisted { .. } => (0, 0),
        };
        let model = self.model();
        let types = model.service_types().iter();
        let types = types.filter(|ty| order(ty.declared.incarnation) >= since);
        Ok(types.map(|ty| ty.name.clone()).collect())
    }

    fn describe_type(&self, name: &str) -> Result<TypeStruct, Error<DescribeTypeRaises>> {
        raise(self.model().service_types().get(name).map(|ty| ty.declared.clone()))
    }

    fn fully_describe_type(
        &self,
        name: &str,
    ) -> Result<TypeStruct, Error<FullyDescribeTypeRaises>> {
        raise(self.model().service_types().get(name).map(|ty| full(ty)))
    }

    fn mask_type(&self, name: &str) -> Result<(), Error<MaskTypeRaises>> {
        self.check_operator()?;
        raise(self.change(|model| model.plan_mask(name, true)))
    }

    fn unmask_type(&self, name: &str) -> Result<(), Error<UnmaskTypeRaises>> {
        self.check_operator()?;
        raise(self.change(|model| model.plan_mask(name, false)))
    }
}
