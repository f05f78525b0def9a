//! `ServiceTypeRepository`: service types.

use super::Servant;
use super::raise::{raise, system};
use super::register::repository_id;
use super::view::View;
use crate::model::{Model, ModelError, ServiceType};
use armilla::{Any, Error, Object, SystemException, TypeCode, Typed};
use armilla_cos_trading::ServiceTypeName;
use armilla_cos_trading::repos::ServiceTypeRepository;
use armilla_cos_trading::repos::service_type_repository::{
    AddTypeRaises, DescribeTypeRaises, FullyDescribeTypeRaises, IncarnationNumber, MaskTypeRaises,
    PropStruct, RemoveTypeRaises, ServiceTypeNameSeq, SpecifiedServiceTypes, TypeStruct,
    UnmaskTypeRaises,
};
use std::collections::HashMap;
use std::sync::Arc;

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
    fn foreign_interfaces(
        &self,
        view: &View,
        interface: &str,
        super_types: &[String],
    ) -> Result<Vec<String>, ModelError> {
        let bases: Vec<String> = self.read(view, |model| {
            let types = super_types.iter().filter_map(|base| model.service_types().get(base).ok());
            types.map(|base| base.declared.if_name.clone()).collect()
        })?;
        let _alone = self.alone();
        let others = bases.into_iter().filter(|base| base != interface);
        let mut known = HashMap::new();
        let foreign = others.filter(|base| {
            let derives = known
                .entry(base.clone())
                .or_insert_with(|| self.derives_from(interface, base).unwrap_or(true));
            !*derives
        });
        Ok(foreign.collect())
    }

    /// A service type as the client sees it.
    fn seen(&self, name: &str) -> Result<Arc<ServiceType>, ModelError> {
        self.read(&self.view(), |model| model.service_types().get(name).cloned()).flatten()
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
        self.read(&self.view(), Model::incarnation).map_err(system)
    }

    fn add_type(
        &self,
        name: &str,
        if_name: &str,
        props: &[PropStruct],
        super_types: &[ServiceTypeName],
    ) -> Result<IncarnationNumber, Error<AddTypeRaises>> {
        // The interface repository is asked before anything is locked.
        let view = self.view();
        let foreign = self.foreign_interfaces(&view, if_name, super_types);
        raise(foreign.and_then(|foreign| {
            self.change_by(&view, |model| {
                model.plan_add_type(name, if_name, props, super_types, &|_, base| {
                    !foreign.iter().any(|known| known == base)
                })
            })
        }))
    }

    fn remove_type(&self, name: &str) -> Result<(), Error<RemoveTypeRaises>> {
        self.check_operator()?;
        raise(self.change_by(&self.view(), |model| model.plan_remove_type(name)))
    }

    fn list_types(
        &self,
        which_types: &SpecifiedServiceTypes,
    ) -> Result<ServiceTypeNameSeq, SystemException> {
        let since = match which_types {
            SpecifiedServiceTypes::Incarnation(number) => order(*number),
            SpecifiedServiceTypes::Unlisted { .. } => (0, 0),
        };
        let names = |model: &Model| {
            let types = model.service_types().iter();
            let types = types.filter(|ty| order(ty.declared.incarnation) >= since);
            types.map(|ty| ty.name.clone()).collect()
        };
        self.read(&self.view(), names).map_err(system)
    }

    fn describe_type(&self, name: &str) -> Result<TypeStruct, Error<DescribeTypeRaises>> {
        raise(self.seen(name).map(|ty| ty.declared.clone()))
    }

    fn fully_describe_type(
        &self,
        name: &str,
    ) -> Result<TypeStruct, Error<FullyDescribeTypeRaises>> {
        raise(self.seen(name).map(|ty| full(&ty)))
    }

    fn mask_type(&self, name: &str) -> Result<(), Error<MaskTypeRaises>> {
        self.check_operator()?;
        raise(self.change_by(&self.view(), |model| model.plan_mask(name, true)))
    }

    fn unmask_type(&self, name: &str) -> Result<(), Error<UnmaskTypeRaises>> {
        self.check_operator()?;
        raise(self.change_by(&self.view(), |model| model.plan_mask(name, false)))
    }
}
