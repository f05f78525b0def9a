//! What may be missing when a request comes, and how it arrives.

use super::{persistent, servant};
use armilla::{
    AnyServant, Minor, ObjectId, Orb, Poa, PoaError, PoaManager, RequestProcessing, ServantManager,
};
use armilla_tests::orbs;
use armilla_tests::probe::*;

/// An object of a server that starts, and the event that makes it reachable.
pub(crate) struct Missing {
    pub(crate) orb: Orb,
    /// The manager that holds the requests.
    pub(crate) manager: PoaManager,
    pub(crate) reference: EverythingRef,
    /// The minor code of a request that has waited in vain.
    pub(crate) minor: Minor,
    /// Words that tell what is missing.
    pub(crate) words: &'static str,
    pub(crate) arrive: Box<dyn FnOnce()>,
}

/// A reference to `object` in the POA with these names, which was destroyed afterwards.
pub(crate) fn forgotten(orb: &Orb, names: &[&str]) -> EverythingRef {
    let poa = names.iter().fold(orb.root_poa(), |parent, name| persistent(&parent, name));
    let reference = poa.create_reference_with_id("object").unwrap();
    orb.root_poa().find_poa(names[0], false).unwrap().destroy(false, true).unwrap();
    reference
}

pub(crate) fn missing_poa(orb: Orb) -> Missing {
    let (reference, root) = (forgotten(&orb, &["poa"]), orb.root_poa());
    let manager = root.manager().clone();
    let arrive = move || {
        persistent(&root, "poa").activate_with_id("object", servant()).unwrap();
    };
    let (minor, words) = (Minor::POA_NOT_CREATED_YET, "its POA \"poa\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

/// The POA is missing at first, then the one below it.
fn missing_child(orb: Orb) -> Missing {
    let reference = forgotten(&orb, &["outer", "inner"]);
    let outer = persistent(&orb.root_poa(), "outer");
    let manager = outer.manager().clone();
    let arrive = move || {
        persistent(&outer, "inner").activate_with_id("object", servant()).unwrap();
    };
    let (minor, words) = (Minor::POA_NOT_CREATED_YET, "its POA \"outer/inner\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

fn missing_adapter_activator(orb: Orb) -> Missing {
    let (reference, root) = (forgotten(&orb, &["poa"]), orb.root_poa());
    root.set_activator(|_: &Poa, _: &str| false);
    let manager = root.manager().clone();
    let arrive = move || {
        root.set_activator(|parent: &Poa, name: &str| {
            let poa = parent.create_poa(name).persistent().user_ids().build()?;
            poa.activate_with_id("object", servant())?;
            Ok::<_, PoaError>(true)
        });
    };
    let (minor, words) = (Minor::POA_NOT_CREATED_YET, "its POA \"poa\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

pub(crate) fn missing_object(orb: Orb) -> Missing {
    let poa = persistent(&orb.root_poa(), "poa");
    missing_object_of(orb, poa)
}

fn missing_transient_object(orb: Orb) -> Missing {
    let poa = orb.root_poa().create_poa("poa").user_ids().build().unwrap();
    missing_object_of(orb, poa)
}

fn missing_object_of(orb: Orb, poa: Poa) -> Missing {
    let reference = poa.create_reference_with_id("object").unwrap();
    let manager = poa.manager().clone();
    let arrive = move || {
        poa.activate_with_id("another", servant()).unwrap();
        poa.activate_with_id("object", servant()).unwrap();
    };
    let (minor, words) = (Minor::OBJECT_NOT_ACTIVE_YET, "the object object of its POA \"poa\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

fn missing_default_servant(orb: Orb) -> Missing {
    let poa = orb.root_poa().create_poa("poa").user_ids().multiple_ids();
    let poa = poa.policy(RequestProcessing::DefaultServant).build().unwrap();
    let reference = poa.create_reference_with_id("object").unwrap();
    let manager = poa.manager().clone();
    let arrive = move || poa.set_default_servant(servant()).unwrap();
    let (minor, words) = (Minor::SERVANT_NOT_SET_YET, "the default servant of its POA \"poa\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

fn missing_servant_manager(orb: Orb) -> Missing {
    let poa = orb.root_poa().create_poa("poa").user_ids();
    let poa = poa.policy(RequestProcessing::ServantManager).build().unwrap();
    let reference = poa.create_reference_with_id("object").unwrap();
    let manager = poa.manager().clone();
    let arrive = move || {
        let activator = |_: &ObjectId, _: &Poa| Ok(AnyServant::from(servant()));
        poa.set_servant_manager(ServantManager::activator(activator)).unwrap();
    };
    let (minor, words) = (Minor::SERVANT_NOT_SET_YET, "the servant manager of its POA \"poa\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

fn reference_by_name(orb: &Orb) -> EverythingRef {
    let (host, port) = &orb.published_addresses().unwrap()[0];
    orb.string_to_object(&format!("corbaloc::{host}:{port}/name")).unwrap().assume()
}

pub(crate) fn missing_name(orb: Orb) -> Missing {
    let (reference, manager) = (reference_by_name(&orb), orb.root_poa().manager().clone());
    let arriving = orb.clone();
    let arrive = move || {
        let (_, object) = orbs::activate(&arriving);
        arriving.publish("name", object.object()).unwrap();
    };
    let (minor, words) = (Minor::NAME_NOT_PUBLISHED_YET, "the name \"name\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

fn missing_locator(orb: Orb) -> Missing {
    let (reference, manager) = (reference_by_name(&orb), orb.root_poa().manager().clone());
    let arriving = orb.clone();
    let arrive = move || {
        let (_, object) = orbs::activate(&arriving);
        arriving.publish_on_demand(move |_| Ok(Some(object.object().clone())));
    };
    let (minor, words) = (Minor::NAME_NOT_PUBLISHED_YET, "the name \"name\"");
    Missing { orb, manager, reference, minor, words, arrive: Box::new(arrive) }
}

/// Everything that a request may wait for.
pub(crate) const KINDS: [fn(Orb) -> Missing; 9] = [
    missing_poa,
    missing_child,
    missing_adapter_activator,
    missing_object,
    missing_transient_object,
    missing_default_servant,
    missing_servant_manager,
    missing_name,
    missing_locator,
];
