//! Conversions between references, servants and ids (CORBA 3.4 Part 1, 15.3.9).

use crate::client::{Object, Reference};
use crate::exception::SystemException;
use crate::object_key::ObjectKey;
use crate::object_key::{counted_id, parse_system_id, system_id};
#[cfg(doc)]
use crate::runtime::Orb;
use crate::server::poa::{
    Activation, Current, IdAssignment, IdUniqueness, ImplicitActivation, ObjectId, Poa, PoaError,
    PoaInner, RequestProcessing,
};
use crate::server::poa::{AnyServant, Interface, address};
use armilla_ipc::memory::{Handle, Slot};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Poa {
    /// [`create_reference`](Self::create_reference) for an interface of which the program knows
    /// only the repository id.
    ///
    /// # Errors
    /// As [`create_reference`](Self::create_reference).
    pub fn create_object(&self, repository_id: &str) -> Result<Object, PoaError> {
        self.require(self.inner.policies.assignment == IdAssignment::System)?;
        let number = self.inner.counted.fetch_add(1, Ordering::Relaxed);
        let id = counted_id(self.inner.incarnation, self.inner.first_counted() | number);
        self.refer_to(repository_id, &ObjectId::new(id))
    }

    /// [`create_reference_with_id`](Self::create_reference_with_id) for an interface of which the
    /// program knows only the repository id.
    ///
    /// # Errors
    /// As [`create_reference_with_id`](Self::create_reference_with_id).
    pub fn create_object_with_id(
        &self,
        repository_id: &str,
        id: impl Into<ObjectId>,
    ) -> Result<Object, PoaError> {
        let id = id.into();
        self.require(true)?;
        self.check_assigned(&id)?;
        self.refer_to(repository_id, &id)
    }

    /// Whether the POA has made this number for an object without a slot.
    pub(in crate::server::poa) fn has_counted(&self, number: u64) -> bool {
        let counted = self.inner.counted.load(Ordering::Relaxed);
        number.checked_sub(self.inner.first_counted()).is_some_and(|made| made < counted)
    }

    /// The id of the object that `servant` incarnates: `servant_to_id`. With implicit activation, a
    /// servant that incarnates none is activated; if ids are not unique, it is activated again by
    /// each call. For the default servant, while it serves a request, it is the id of the requested
    /// object.
    ///
    /// # Errors
    /// `ServantNotActive`; `WrongPolicy` when the policies allow none of these.
    pub fn servant_to_id<I: Interface + ?Sized>(
        &self,
        servant: &Arc<I>,
    ) -> Result<ObjectId, PoaError> {
        let has_default = self.inner.policies.processing == RequestProcessing::DefaultServant;
        self.require(has_default || self.knows_servants())?;
        if let Some(activation) = self.incarnated(servant)? {
            return Ok(activation.id());
        }
        // Not for a servant that is in the active object map itself.
        let by_default = |current: &Current| has_default && !current.is_active();
        let current = self.current(servant).filter(by_default);
        current.map(|current| current.object_id().clone()).ok_or(PoaError::ServantNotActive)
    }

    /// The result of `servant_to_reference`, and whether it is an active object with this servant.
    pub(crate) fn object_of_servant<I: Interface + ?Sized>(
        &self,
        servant: &Arc<I>,
    ) -> Result<(Object, bool), PoaError> {
        self.orb.prepare_references()?;
        let current = self.current(servant);
        self.require(current.is_some() || self.knows_servants())?;
        match (self.incarnated(servant)?, current) {
            (Some(activation), _) => Ok((self.refer_to_active(activation)?, true)),
            (None, Some(current)) => Ok((current.reference()?, false)),
            (None, None) => Err(PoaError::ServantNotActive),
        }
    }

    /// The servant of the object that `reference` denotes: `reference_to_servant`. If the object is
    /// not active, the default servant, if there is one.
    ///
    /// # Errors
    /// `WrongAdapter` when another POA made the reference; `ObjectNotActive`; `WrongPolicy` unless
    /// the POA retains servants or has a default servant.
    pub fn reference_to_servant(
        &self,
        reference: impl AsRef<Object>,
    ) -> Result<AnyServant, PoaError> {
        self.require(self.has_servants())?;
        self.id_to_servant(&self.reference_to_id(reference)?)
    }

    /// The id of the object that `reference` denotes, active or not: `reference_to_id`. A reference
    /// by a [published](Orb::publish) name denotes the object that was published.
    ///
    /// # Errors
    /// `WrongAdapter` when another POA made the reference. Also when the POA has assigned the id,
    /// the object is no longer active, and its slot was reused.
    pub fn reference_to_id(&self, reference: impl AsRef<Object>) -> Result<ObjectId, PoaError> {
        self.require(true)?;
        // Once the slot is reused, nothing tells which POA owned it.
        let ours = |activation: &&Handle<Activation>| Arc::ptr_eq(&activation.poa, &self.inner);
        if let Some(activation) = reference.as_ref().activation().filter(ours) {
            return Ok(activation.id());
        }
        let is_this = |poa: Arc<PoaInner>| Arc::ptr_eq(&poa, &self.inner);
        // Another ORB of this process may have persistent POAs with the same names.
        let here =
            |reference: &&Arc<Reference>| reference.orb.incarnation() == self.orb.incarnation();
        let known = reference.as_ref().reference().ok().filter(here);
        let key = known.and_then(|known| known.local_key()).ok_or(PoaError::WrongAdapter)?;
        let published = match ObjectKey::parse(&key) {
            None => self.orb.published_key(&key),
            Some(_) => None,
        };
        match ObjectKey::parse(published.as_deref().unwrap_or(&key)) {
            Some(ObjectKey::Active { incarnation, slot })
                if self.inner.keys_are_slots
                    && (self.orb.objects().owner(slot) == Some(self.inner.serial)
                        || self.orb.adapters().moved(slot).is_some_and(is_this)) =>
            {
                Ok(ObjectId::new(system_id(incarnation, slot)))
            }
            Some(ObjectKey::Named(key))
                if key.adapter == self.inner.path() && self.inner.made(&key) =>
            {
                Ok(ObjectId::new(key.id))
            }
            _ => Err(PoaError::WrongAdapter),
        }
    }

    /// Whether it maps servants to objects, or activates them implicitly.
    fn knows_servants(&self) -> bool {
        let policies = &self.inner.policies;
        let unique = policies.uniqueness == IdUniqueness::Unique;
        policies.retains() && (unique || policies.implicit == ImplicitActivation::On)
    }

    /// The only object that `servant` incarnates; it is activated if there is none.
    fn incarnated<I: Interface + ?Sized>(
        &self,
        servant: &Arc<I>,
    ) -> Result<Option<Handle<Activation>>, PoaError> {
        let found = self.inner.servants.find(&self.orb, &self.inner, address(servant));
        if let Some(activation) = found {
            return Ok(Some(activation.to_handle()));
        }
        if self.inner.policies.implicit == ImplicitActivation::Off {
            return Ok(None);
        }
        match self.activate_servant(servant.clone()) {
            Ok(object) => Ok(object.activation().cloned()),
            // Another thread has activated it meanwhile.
            Err(PoaError::ServantAlreadyActive) => self.incarnated(servant),
            Err(error) => Err(error),
        }
    }

    /// The request for an object of this POA that `servant` is serving in the calling thread.
    fn current<I: Interface + ?Sized>(&self, servant: &Arc<I>) -> Option<Current> {
        let current = self.orb.poa_current().ok().filter(|current| current.poa() == self)?;
        (current.servant().get().address() == address(servant)).then_some(current)
    }

    /// A reference to an active object, made by the reference factory of this POA.
    pub(in crate::server::poa) fn refer_to_active(
        &self,
        activation: Handle<Activation>,
    ) -> Result<Object, SystemException> {
        self.orb.prepare_references()?;
        match self.inner.reference_factory() {
            None => Ok(Object::active(&self.orb, activation)),
            Some(factory) => {
                let interface = activation.skeleton().repository_id(&|| activation.id());
                factory.make_object(&interface, &activation.id())
            }
        }
    }

    /// A reference to the object `id`, active or not, made by the reference factory of this POA.
    pub(in crate::server::poa) fn refer_to(
        &self,
        repository_id: &str,
        id: &ObjectId,
    ) -> Result<Object, PoaError> {
        match self.inner.reference_factory() {
            None => self.named(repository_id, id),
            Some(factory) => Ok(factory.make_object(repository_id, id)?),
        }
    }

    /// A reference to the object `id`, active or not, made by the POA itself.
    pub(crate) fn plain_object(
        &self,
        repository_id: &str,
        id: &ObjectId,
    ) -> Result<Object, PoaError> {
        self.check_assigned(id)?;
        self.named(repository_id, id)
    }

    /// The same, without checking the id.
    fn named(&self, repository_id: &str, id: &ObjectId) -> Result<Object, PoaError> {
        if let Some(activation) = self.active(id) {
            self.orb.prepare_references()?;
            return Ok(Object::active(&self.orb, activation));
        }
        // If keys are slots, the key of an object that had a slot remains the same.
        let place = parse_system_id(id.as_bytes()).filter(|(incarnation, slot)| {
            self.inner.keys_are_slots
                && *incarnation == self.inner.incarnation
                && *slot != Slot::NONE
        });
        let key = match place {
            Some((incarnation, slot)) => ObjectKey::Active { incarnation, slot }.encode(),
            None => self.inner.named(id.as_bytes(), Slot::NONE).encode(),
        };
        Ok(self.orb.named_object(&self.inner, repository_id, &key)?)
    }
}

impl PoaInner {
    /// The first number for an object without a slot. Those of different POAs are far apart.
    fn first_counted(&self) -> u64 {
        // Ids have room for 63 bits.
        u64::from(self.serial) << 40 & u64::MAX >> 1
    }
}
