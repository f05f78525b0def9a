//! Interceptors of references that the ORB makes (CORBA 3.4 Part 1, 16.5).

use super::{Interceptors, ObjectReferenceTemplate};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::poa::{ManagerState, PoaInner, Policy};
use armilla_giop::ior::{TAG_INTERNET_IOP, TaggedComponent};
use std::sync::Arc;

/// Adds to the references of an ORB what clients must know to call the objects.
pub trait IorInterceptor: Send + Sync {
    /// Its name, unlike that of any other; interceptors without one are anonymous.
    fn name(&self) -> &str {
        ""
    }

    /// A reference is made: components may be added.
    ///
    /// # Errors
    /// They are logged; the reference is made without what this interceptor would have added.
    fn establish_components(&self, info: &mut IorInfo<'_>) -> Result<(), SystemException>;

    /// All interceptors have added their components.
    ///
    /// # Errors
    /// The reference is not made: the program sees `OBJ_ADAPTER`.
    fn components_established(&self, info: &IorInfo<'_>) -> Result<(), SystemException> {
        let _ = info;
        Ok(())
    }

    /// A POA manager does something else with requests from now on:
    /// `adapter_manager_state_changed`. Called by the thread that changes it, once it is so.
    fn manager_state_changed(&self, manager_id: &str, state: ManagerState) {
        let _ = (manager_id, state);
    }

    /// The POA with these names, from the root down, was destroyed: `adapter_state_changed` with
    /// `NON_EXISTENT`. Those below it come before it.
    fn adapter_destroyed(&self, adapter_name: &[String]) {
        let _ = adapter_name;
    }

    /// The ORB was shut down.
    fn destroy(&self) {}
}

/// A reference that is being made.
#[derive(Debug)]
pub struct IorInfo<'a> {
    pub(super) adapter_name: Vec<String>,
    pub(super) repository_id: &'a str,
    pub(super) object_key: &'a [u8],
    poa: Option<&'a Arc<PoaInner>>,
    components: Vec<TaggedComponent>,
}

impl IorInfo<'_> {
    /// The names of the POA and those above it, from the root down.
    pub fn adapter_name(&self) -> &[String] {
        &self.adapter_name
    }

    /// The repository id of the interface of the object.
    pub const fn repository_id(&self) -> &str {
        self.repository_id
    }

    /// The object key.
    pub const fn object_key(&self) -> &[u8] {
        self.object_key
    }

    /// What tells the manager of that POA from others, [`PoaManager::id`](crate::PoaManager::id); `None`
    /// when the POA is gone.
    pub fn manager_id(&self) -> Option<&str> {
        self.poa.map(|poa| poa.manager().id())
    }

    /// What that manager does with requests at present; `None` when the POA is gone.
    pub fn state(&self) -> Option<ManagerState> {
        self.poa.map(|poa| poa.manager().state())
    }

    /// Adds a component to every IIOP profile from version 1.1 on. Its octets are an encapsulation
    /// for every id of the OMG.
    pub fn add_component(&mut self, id: u32, data: Vec<u8>) {
        self.components.push(TaggedComponent { id, data });
    }

    /// Adds a component to the profiles of one protocol, by its number: `TAG_INTERNET_IOP`, 0, as
    /// other profiles of this ORB have no components.
    ///
    /// # Errors
    /// `BAD_PARAM` (minor code 29 of the OMG) for any other.
    pub fn add_component_to_profile(
        &mut self,
        profile: u32,
        id: u32,
        data: Vec<u8>,
    ) -> Result<(), SystemException> {
        if profile != TAG_INTERNET_IOP {
            let what =
                format!("references of this ORB have no components in profiles {profile:#x}");
            return Err(SystemException::bad_param(Minor::omg(29), what));
        }
        self.add_component(id, data);
        Ok(())
    }

    /// The policies of the POA: `get_effective_policy`; none when the POA is gone.
    pub fn policies(&self) -> Vec<Policy> {
        self.poa.map_or_else(Vec::new, |poa| poa.policies())
    }

    /// What makes references to other objects of the POA, [`ObjectReferenceTemplate`].
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` when the POA is gone.
    pub fn adapter_template(&self) -> Result<ObjectReferenceTemplate, SystemException> {
        let poa = self.poa.and_then(|poa| Some(poa.orb()?.poa_of(poa)));
        poa.map(ObjectReferenceTemplate).ok_or_else(SystemException::object_not_exist)
    }

    /// The components that were added so far.
    pub fn components(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.components.iter().map(|component| (component.id, &*component.data))
    }
}

impl Interceptors {
    /// The components that the interceptors add to the reference of an object.
    pub(crate) fn components(
        &self,
        adapter_path: &[u8],
        poa: Option<&Arc<PoaInner>>,
        repository_id: &str,
        object_key: &[u8],
    ) -> Result<Vec<TaggedComponent>, SystemException> {
        if self.ior.is_empty() {
            return Ok(Vec::new());
        }
        let adapter_name = adapter_names(adapter_path);
        let components = Vec::new();
        let mut info = IorInfo { adapter_name, repository_id, object_key, poa, components };
        for interceptor in &self.ior {
            let before = info.components.len();
            if let Err(exception) = interceptor.establish_components(&mut info) {
                info.components.truncate(before);
                report!(
                    warn,
                    "an interceptor added no components to a reference",
                    interceptor = interceptor.name(),
                    exception = exception,
                );
            }
        }
        for interceptor in &self.ior {
            interceptor.components_established(&info).map_err(|exception| {
                let kind = ExceptionKind::ObjAdapter;
                let name = interceptor.name();
                SystemException::new(kind, Minor::omg(6), Completion::No)
                    .because(format!("the interceptor {name:?} refused a reference: {exception}"))
            })?;
        }
        Ok(info.components)
    }
}

impl Interceptors {
    /// Tells that a POA manager is in another state.
    pub(crate) fn manager_state_changed(&self, manager_id: &str, state: ManagerState) {
        self.ior.iter().for_each(|each| each.manager_state_changed(manager_id, state));
    }

    /// Tells that a POA was destroyed.
    pub(crate) fn adapter_destroyed(&self, adapter_path: &[u8]) {
        if !self.ior.is_empty() {
            let name = adapter_names(adapter_path);
            self.ior.iter().for_each(|each| each.adapter_destroyed(&name));
        }
    }
}

/// The names in a path of adapters, from the root down.
pub(super) fn adapter_names(path: &[u8]) -> Vec<String> {
    let below = path.split(|octet| *octet == 0).filter(|name| !name.is_empty());
    let below = below.map(|name| String::from_utf8_lossy(name).into_owned());
    std::iter::once("RootPOA".to_owned()).chain(below).collect()
}
