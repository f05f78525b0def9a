//! The objects of the service. Each interface has a POA with one servant for all of its objects, so
//! that nothing is activated for a set; the id of an object is the number of its set.

mod factories;
mod iterators;
mod operator;
mod raise;
mod sets;

use super::corba::operators::operator as corba_operator;
use super::corba::{
    PropertySet, PropertySetDef, PropertySetDefFactoryRef, PropertySetDefRef,
    PropertySetFactoryRef, PropertySetRef, properties_iterator, property_names_iterator,
    property_set, property_set_def, property_set_def_factory, property_set_factory,
};
use super::service::Shared;
use armilla::{AnyServant, ExceptionKind, Poa, SystemException};
use std::sync::{Arc, Weak};

/// The object key of the factory of property sets in `corbaloc:` URLs.
pub const KEY: &str = "PropertySetFactory";

/// The object key of the factory of property sets that show modes.
pub const DEF_KEY: &str = "PropertySetDefFactory";

/// The object key of what operators call.
pub const OPERATOR_KEY: &str = "PropertyOperator";

/// The POA above those of the service.
const ADAPTER: &str = "properties";

/// The POAs, one for each interface.
pub(super) struct Poas {
    sets: Poa,
    defs: Poa,
    names: Poa,
    properties: Poa,
}

/// Makes the objects. Returns the factories, and the URL of the first one.
pub(super) fn serve(
    shared: &Arc<Shared>,
) -> Result<(PropertySetFactoryRef, PropertySetDefFactoryRef, String), SystemException> {
    let orb = &shared.orb;
    let service = Service(Arc::downgrade(shared));
    let poa = orb.root_poa().create_poa(ADAPTER).persistent().user_ids().build()?;
    let child = |name: &str, is_persistent: bool, servant: AnyServant| {
        let child = poa.create_poa(name).user_ids().default_servant(servant);
        let child = if is_persistent { child.persistent() } else { child };
        child.manager(poa.manager()).build().map_err(SystemException::from)
    };
    let all = || service.clone();
    let poas = Poas {
        sets: child("sets", true, property_set::tie(sets::Sets(all())).into())?,
        defs: child("defs", true, property_set_def::tie(sets::Sets(all())).into())?,
        names: child("names", false, property_names_iterator::tie(iterators::Names(all())).into())?,
        properties: child(
            "iterators",
            false,
            properties_iterator::tie(iterators::Properties(all())).into(),
        )?,
    };
    shared.poas.set(poas).ok();
    let factory = property_set_factory::tie(factories::Sets(all()));
    let factory = poa.activate_with_id("factory", factory)?;
    let url = orb.publish(KEY, &factory)?;
    let defs = property_set_def_factory::tie(factories::Defs(all()));
    let defs = poa.activate_with_id("def-factory", defs)?;
    orb.publish(DEF_KEY, &defs)?;
    let operator =
        poa.activate_with_id("operator", corba_operator::tie(operator::Operators(service)))?;
    orb.publish(OPERATOR_KEY, &operator)?;
    Ok((factory, defs, url))
}

#[cold]
fn ended() -> SystemException {
    ExceptionKind::ObjectNotExist.because("the property service has ended")
}

/// The service, which its servants do not keep alive.
#[derive(Clone)]
struct Service(Weak<Shared>);

impl Service {
    fn get(&self) -> Result<Arc<Shared>, SystemException> {
        self.0.upgrade().ok_or_else(ended)
    }

    /// The service, and the number of the set or iterator that is called.
    fn called(&self) -> Result<(Arc<Shared>, u64), SystemException> {
        let shared = self.get()?;
        let current = shared.orb.poa_current()?;
        let id = current.object_id().as_bytes().try_into();
        let number = id.map_err(|_| SystemException::object_not_exist())?;
        Ok((shared, u64::from_be_bytes(number)))
    }
}

impl Shared {
    fn poas(&self) -> Result<&Poas, SystemException> {
        self.poas.get().ok_or_else(ended)
    }

    fn set(&self, number: u64) -> Result<PropertySetRef, SystemException> {
        let id = number.to_be_bytes().to_vec();
        Ok(self.poas()?.sets.create_reference_with_id::<dyn PropertySet>(id)?)
    }

    fn def(&self, number: u64) -> Result<PropertySetDefRef, SystemException> {
        let id = number.to_be_bytes().to_vec();
        Ok(self.poas()?.defs.create_reference_with_id::<dyn PropertySetDef>(id)?)
    }
}
