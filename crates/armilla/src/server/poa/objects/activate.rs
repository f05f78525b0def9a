//! The operations of a POA on objects and servants (CORBA 3.4 Part 1, 15.3.9).

use super::lifecycle::NewObject;
use crate::client::Object;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object_key::{counted_number, parse_system_id};
use crate::server::poa::AnyServant;
use crate::server::poa::admission::gate::GateFlag;
use crate::server::poa::object_map::activation::Ending;
use crate::server::poa::{
    Activation, Awaited, IdAssignment, ObjectId, Poa, PoaError, RequestProcessing, ServantManager,
};
use crate::threads::wait_limit;
use armilla_ipc::memory::{Handle, Slot};
use std::sync::Arc;

impl Poa {
    /// [`activate`](Self::activate) for a type-erased servant, or one with a
    /// [skeleton](AnyServant::with_skeleton) before its own.
    ///
    /// # Errors
    /// As [`activate`](Self::activate).
    pub fn activate_servant(&self, servant: impl Into<AnyServant>) -> Result<Object, PoaError> {
        self.require(self.inner.policies.retains())?;
        self.require(self.inner.policies.assignment == IdAssignment::System)?;
        self.orb.prepare_references()?;
        let object = NewObject { servant: servant.into(), id: None };
        let activation = self.inner.insert(&self.orb, object)?;
        self.object_of(activation)
    }

    /// [`activate_with_id`](Self::activate_with_id) for such a servant.
    ///
    /// # Errors
    /// As [`activate_with_id`](Self::activate_with_id).
    pub fn activate_servant_with_id(
        &self,
        id: impl Into<ObjectId>,
        servant: impl Into<AnyServant>,
    ) -> Result<Object, PoaError> {
        let id = id.into();
        self.require(self.inner.policies.retains())?;
        self.check_assigned(&id)?;
        self.orb.prepare_references()?;
        wait_limit::without_limit(|| self.inner.await_retired(&self.orb, &id).map(drop))?;
        let object = NewObject { servant: servant.into(), id: Some(id.as_bytes()) };
        let activation = self.inner.insert(&self.orb, object)?;
        self.object_of(activation)
    }

    /// Deactivates the object: `deactivate_object`. New calls find no object, calls in progress
    /// continue. When the last of them has ended, the servant is etherealized by the servant
    /// activator, or dropped. This does not wait for that.
    ///
    /// # Errors
    /// `ObjectNotActive`; `WrongPolicy` unless the POA retains servants.
    #[doc(alias = "deactivate_object")]
    pub fn deactivate(&self, id: &ObjectId) -> Result<(), PoaError> {
        self.require(self.inner.policies.retains())?;
        let activation = self.active(id).ok_or(PoaError::ObjectNotActive)?;
        match self.inner.retire(&activation, Ending::Deactivated) {
            true => Ok(()),
            false => Err(PoaError::ObjectNotActive),
        }
    }

    /// The servant that incarnates the object: `id_to_servant`. If the object is not active, the
    /// default servant, if there is one.
    ///
    /// # Errors
    /// `ObjectNotActive`; `WrongPolicy` unless the POA retains servants or has a default servant.
    pub fn id_to_servant(&self, id: &ObjectId) -> Result<AnyServant, PoaError> {
        self.require(self.has_servants())?;
        let by_default = || self.default_servant().map_err(|_| PoaError::ObjectNotActive);
        self.active(id).map_or_else(by_default, |activation| Ok(activation.servant.clone()))
    }

    /// Whether the policies let the POA tell which servant an object has.
    pub(in crate::server::poa) fn has_servants(&self) -> bool {
        let policies = &self.inner.policies;
        policies.retains() || policies.processing == RequestProcessing::DefaultServant
    }

    /// A reference to the object that is active under `id`: `id_to_reference`.
    ///
    /// # Errors
    /// `ObjectNotActive`; `WrongPolicy` unless the POA retains servants.
    pub fn id_to_reference(&self, id: &ObjectId) -> Result<Object, PoaError> {
        self.require(self.inner.policies.retains())?;
        let activation = self.active(id).ok_or(PoaError::ObjectNotActive)?;
        Ok(self.refer_to_active(activation)?)
    }

    /// The default servant: `get_servant`.
    ///
    /// # Errors
    /// `NoServant`; `WrongPolicy` unless the POA uses a default servant.
    #[doc(alias = "get_servant")]
    pub fn default_servant(&self) -> Result<AnyServant, PoaError> {
        self.require(self.inner.policies.processing == RequestProcessing::DefaultServant)?;
        self.inner.default_servant.load().as_deref().cloned().ok_or(PoaError::NoServant)
    }

    /// Sets the default servant: `set_servant`. Calls in progress continue with the old one.
    ///
    /// # Errors
    /// `WrongPolicy` unless the POA uses a default servant.
    #[doc(alias = "set_servant")]
    pub fn set_default_servant(&self, servant: impl Into<AnyServant>) -> Result<(), PoaError> {
        self.require(self.inner.policies.processing == RequestProcessing::DefaultServant)?;
        let servant = servant.into();
        let servant = self.inner.with_lookup(servant);
        self.inner.default_servant.store(Some(Arc::new(servant)));
        self.inner.manager.arrived(|| Awaited::DefaultServant(self.inner.path.clone()));
        Ok(())
    }

    /// The servant manager, once one was set: `get_servant_manager`.
    ///
    /// # Errors
    /// `WrongPolicy` unless the POA uses a servant manager.
    #[doc(alias = "get_servant_manager")]
    pub fn servant_manager(&self) -> Result<Option<ServantManager>, PoaError> {
        self.require(self.inner.policies.processing == RequestProcessing::ServantManager)?;
        Ok(self.inner.servant_manager.get().cloned())
    }

    /// Sets the servant manager, which cannot be changed afterwards: `set_servant_manager`.
    ///
    /// # Errors
    /// `WrongPolicy` unless the POA uses a servant manager; `OBJ_ADAPTER`
    /// ([`Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER`]) when it needs an activator and this is a
    /// locator, or the other way round; `BAD_INV_ORDER`
    /// ([`Minor::BAD_INV_ORDER_SERVANT_MANAGER_EXISTS`]) when one was set before.
    pub fn set_servant_manager(&self, manager: ServantManager) -> Result<(), PoaError> {
        let policies = &self.inner.policies;
        self.require(policies.processing == RequestProcessing::ServantManager)?;
        let is_activator = matches!(manager, ServantManager::Activator(_));
        if is_activator != policies.retains() {
            let what = "a POA that retains servants has a servant activator, others a locator";
            return Err(refused(
                ExceptionKind::ObjAdapter,
                Minor::OBJ_ADAPTER_NO_SERVANT_MANAGER,
                what,
            )
            .into());
        }
        self.inner.servant_manager.set(manager).map_err(|_| {
            let what = "the POA has a servant manager already";
            refused(ExceptionKind::BadInvOrder, Minor::BAD_INV_ORDER_SERVANT_MANAGER_EXISTS, what)
        })?;
        self.inner.manager.arrived(|| Awaited::ServantManager(self.inner.path.clone()));
        Ok(())
    }

    /// A reference to a newly activated object. If that fails, the object is deactivated.
    fn object_of(&self, activation: Handle<Activation>) -> Result<Object, PoaError> {
        let object = self.refer_to_active(activation.clone()).inspect_err(|_| {
            self.inner.retire(&activation, Ending::Quiet);
        })?;
        Ok(object)
    }

    /// The object that is active under `id`.
    pub(in crate::server::poa) fn active(&self, id: &ObjectId) -> Option<Handle<Activation>> {
        let found = self.inner.lookup(&self.orb, id.as_bytes(), Slot::NONE)?;
        found.is_active().then(|| found.to_handle())
    }

    /// Fails with `WrongPolicy` unless the policies allow the operation.
    pub(in crate::server::poa) fn require(&self, allowed: bool) -> Result<(), PoaError> {
        if self.inner.gate.is(GateFlag::Destroyed) {
            return Err(self.inner.destroyed().into());
        }
        if allowed { Ok(()) } else { Err(PoaError::WrongPolicy) }
    }

    /// Fails when the POA assigns ids and cannot have assigned this one
    /// ([`Minor::BAD_PARAM_INVALID_OBJECT_ID`]).
    pub(in crate::server::poa) fn check_assigned(&self, id: &ObjectId) -> Result<(), PoaError> {
        let policies = &self.inner.policies;
        let ours = match parse_system_id(id.as_bytes()) {
            _ if policies.assignment == IdAssignment::User => true,
            Some(_) if policies.is_persistent() => true,
            Some((incarnation, _)) if incarnation != self.inner.incarnation => false,
            Some((_, slot)) => match counted_number(id.as_bytes()) {
                Some(number) => self.has_counted(number),
                None => self.orb.objects().may_have_been(slot, self.inner.serial),
            },
            None => false,
        };
        if ours {
            return Ok(());
        }
        let what = format!("POA {:?} assigns ids and has not made {id:?}", self.name());
        Err(SystemException::bad_param(Minor::BAD_PARAM_INVALID_OBJECT_ID, what).into())
    }
}

fn refused(kind: ExceptionKind, minor: Minor, what: &str) -> SystemException {
    SystemException::new(kind, minor, Completion::No).with_reason(what)
}
