//! The mapping of definitions to references and back.

use super::{Def, Result, Service};
use crate::corba::*;
use crate::model::{DefId, Flavour, Kind, ModelError};
use armilla::codegen::Interface;
use armilla::{Object, ObjectId, Poa, PoaError, Ref, SystemException};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The active objects.
pub(super) struct Objects {
    poa: Poa,
    active: Mutex<HashMap<DefId, (ObjectId, Object)>>,
}

impl Objects {
    pub(super) fn new(poa: Poa) -> Self {
        Self { poa, active: Mutex::default() }
    }

    fn active(&self) -> MutexGuard<'_, HashMap<DefId, (ObjectId, Object)>> {
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Service {
    /// Deactivates the object of a destroyed definition.
    pub(super) fn deactivate(&self, id: DefId) {
        if let Some((object_id, _)) = self.objects.active().remove(&id) {
            // An error means that the object is inactive already.
            self.objects.poa.deactivate(&object_id).ok();
        }
    }
}

impl Def {
    /// The object of a definition.
    pub(super) fn object(&self, id: DefId) -> Result<Object> {
        Ok(self.object_if_there(id)?.ok_or(ModelError::Destroyed)?)
    }

    /// The object of a definition, unless it was destroyed.
    fn object_if_there(&self, id: DefId) -> Result<Option<Object>> {
        // The read lock keeps the definition from being destroyed before its object is registered.
        let store = self.service.store();
        let Some(definition) = store.model().get(id) else { return Ok(None) };
        let mut active = self.service.objects.active();
        if let Some((_, object)) = active.get(&id) {
            return Ok(Some(object.clone()));
        }
        let object_id = ObjectId::from(definition.object.as_str());
        let object = self.activate(id, &definition.kind, object_id.clone())?;
        active.insert(id, (object_id, object.clone()));
        Ok(Some(object))
    }

    fn activate(&self, id: DefId, kind: &Kind, object_id: ObjectId) -> Result<Object> {
        let poa = &self.service.objects.poa;
        let def = Self { service: self.service.clone(), id };
        macro_rules! activate {
            ($interface:ident) => {
                poa.activate_with_id(object_id, $interface::tie(def))?.object().clone()
            };
        }
        Ok(match kind {
            Kind::Repository => activate!(repository),
            Kind::Module => activate!(module_def),
            Kind::Constant { .. } => activate!(constant_def),
            Kind::Struct(_) => activate!(struct_def),
            Kind::Exception(_) => activate!(exception_def),
            Kind::Union { .. } => activate!(union_def),
            Kind::Enum(_) => activate!(enum_def),
            Kind::Alias(_) => activate!(alias_def),
            Kind::ValueBox(_) => activate!(value_box_def),
            Kind::Native => activate!(native_def),
            Kind::Interface { flavour: Flavour::Plain, .. } => activate!(ext_interface_def),
            Kind::Interface { flavour: Flavour::Abstract, .. } => {
                activate!(ext_abstract_interface_def)
            }
            Kind::Interface { flavour: Flavour::Local, .. } => activate!(ext_local_interface_def),
            Kind::Attribute { .. } => activate!(ext_attribute_def),
            Kind::Operation { .. } => activate!(operation_def),
            Kind::Value(_) => activate!(ext_value_def),
            Kind::ValueMember { .. } => activate!(value_member_def),
            Kind::Primitive(_) => activate!(primitive_def),
            Kind::String(_) => activate!(string_def),
            Kind::Wstring(_) => activate!(wstring_def),
            Kind::Fixed { .. } => activate!(fixed_def),
            Kind::Sequence { .. } => activate!(sequence_def),
            Kind::Array { .. } => activate!(array_def),
        })
    }

    /// The object of a definition, typed.
    pub(super) fn reference<I: Interface + ?Sized>(&self, id: DefId) -> Result<Ref<I>> {
        self.object(id).map(|object| object.assume())
    }

    /// The object of a definition that was found a moment ago, typed; nil if there is none, or it
    /// was destroyed meanwhile.
    pub(super) fn found<I: Interface + ?Sized>(&self, id: Option<DefId>) -> Result<Ref<I>> {
        let object = id.map_or(Ok(None), |id| self.object_if_there(id))?;
        Ok(object.map_or_else(Ref::nil, |object| object.assume()))
    }

    /// The objects of definitions that were found a moment ago, typed, without those that were
    /// destroyed meanwhile: for who asks, the container is there, and they never were.
    pub(super) fn all_found<I: Interface + ?Sized>(&self, ids: &[DefId]) -> Result<Vec<Ref<I>>> {
        let found = ids.iter().map(|id| self.object_if_there(*id)).filter_map(Result::transpose);
        found.map(|object| object.map(|object| object.assume())).collect()
    }

    /// Describes definitions that were found a moment ago, without those that were destroyed
    /// meanwhile.
    pub(super) fn each_found<T>(
        &self,
        ids: &[DefId],
        describe: impl Fn(&Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        let describe = |id: &DefId| match describe(&self.other(*id)) {
            Err(_) if self.service.store().model().get(*id).is_none() => None,
            described => Some(described),
        };
        ids.iter().filter_map(describe).collect()
    }

    /// The objects of several definitions, typed.
    pub(super) fn references<I: Interface + ?Sized>(&self, ids: &[DefId]) -> Result<Vec<Ref<I>>> {
        ids.iter().map(|id| self.reference(*id)).collect()
    }

    /// The definition that a reference denotes.
    pub(super) fn id_of(&self, object: impl AsRef<Object>) -> Result<DefId> {
        let foreign = |_: PoaError| {
            let what = "a reference denotes no definition of this repository";
            SystemException::from(ModelError::Invalid(what.to_owned()))
        };
        let object_id =
            self.service.objects.poa.reference_to_id(object.as_ref()).map_err(foreign)?;
        let object_id = std::str::from_utf8(object_id.as_bytes()).unwrap_or_default();
        self.read(|model| model.lookup_object(object_id).ok_or(ModelError::Destroyed))
    }

    /// The definitions that references denote.
    pub(super) fn ids_of<O: AsRef<Object>>(&self, objects: &[O]) -> Result<Vec<DefId>> {
        objects.iter().map(|object| self.id_of(object.as_ref())).collect()
    }
}
