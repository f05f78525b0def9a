//! References, servants and ids, each from the other (CORBA 3.4 Part 1, 15.3.9).

use super::object_key::{counted_id, parse_system_id};
use super::{
    Activation, IdAssignment, IdUniqueness, ImplicitActivation, ObjectId, ObjectKey, Poa, PoaError,
    RequestProcessing, Slot,
};
use crate::object::{AnyServant, Interface, Object, Ref, address};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Poa {
    /// A reference to an object that is not active, with an id that the POA assigns:
    /// `create_reference`. Who serves it when it is called is for the policies to say.
    ///
    /// # Errors
    /// `WrongPolicy` when the program assigns ids; `INITIALIZE` when the ORB cannot listen.
    pub fn create_reference<I: Interface + ?Sized>(&self) -> Result<Ref<I>, PoaError> {
        self.require(self.inner.policies.assignment == IdAssignment::System)?;
        let number = self.inner.counted.fetch_add(1, Ordering::Relaxed);
        // The serial keeps the ids of different POAs apart, too.
        let number = u64::from(self.inner.serial) << 40 ^ number;
        let id = counted_id(self.inner.incarnation, number & (u64::MAX >> 1));
        Ok(self.named(I::REPOSITORY_ID, &ObjectId::new(id))?.assume())
    }

    /// A reference to the object `id`, active or not: `create_reference_with_id`. Where the POA
    /// assigns ids, `id` must be one that it has made.
    ///
    /// # Errors
    /// `BAD_PARAM` (reason 14) for an id that cannot be the POA's; `INITIALIZE` when the ORB cannot
    /// listen.
    pub fn create_reference_with_id<I: Interface + ?Sized>(
        &self,
        id: impl Into<ObjectId>,
    ) -> Result<Ref<I>, PoaError> {
        Ok(self.create_object_with_id(I::REPOSITORY_ID, id)?.assume())
    }

    /// [`create_reference_with_id`](Self::create_reference_with_id) for an interface that the
    /// program knows by its repository id only.
    ///
    /// # Errors
    /// The same.
    pub fn create_object_with_id(
        &self,
        repository_id: &str,
        id: impl Into<ObjectId>,
    ) -> Result<Object, PoaError> {
        let id = id.into();
        self.require(true)?;
        self.check_assigned(&id)?;
        self.named(repository_id, &id)
    }

    /// The id of the object that `servant` incarnates: `servant_to_id`. A servant that incarnates
    /// none is activated where the POA activates implicitly; where ids are not unique each time
    /// anew. To the default servant, while it serves a request, it is the id of that object.
    ///
    /// # Errors
    /// `ServantNotActive`; `WrongPolicy` where the policies allow none of that.
    pub fn servant_to_id<I: Interface + ?Sized>(
        &self,
        servant: &Arc<I>,
    ) -> Result<ObjectId, PoaError> {
        match self.serving(servant)? {
            Serving::Active(activation) => Ok(activation.id()),
            Serving::Passing(id) => Ok(id),
        }
    }

    /// A reference to the object that `servant` incarnates, by the rules of
    /// [`servant_to_id`](Self::servant_to_id): `servant_to_reference`, and in other mappings
    /// `_this`.
    ///
    /// # Errors
    /// `ServantNotActive`; `WrongPolicy` where the policies allow none of that.
    pub fn servant_to_reference<I: Interface + ?Sized>(
        &self,
        servant: &Arc<I>,
    ) -> Result<Ref<I>, PoaError> {
        self.orb.prepare_references()?;
        match self.serving(servant)? {
            Serving::Active(activation) => {
                Ok(Ref::to_servant(self.orb.active_object(activation)?, servant.clone()))
            }
            Serving::Passing(id) => Ok(self.named(servant.object_type(), &id)?.assume()),
        }
    }

    /// The servant of the object that `reference` denotes: `reference_to_servant`; the default
    /// servant where the object is not active and there is one.
    ///
    /// # Errors
    /// `WrongAdapter` when another POA made the reference; `ObjectNotActive`; `WrongPolicy` unless
    /// the POA retains servants or has a default servant.
    pub fn reference_to_servant(
        &self,
        reference: impl AsRef<Object>,
    ) -> Result<AnyServant, PoaError> {
        self.id_to_servant(&self.reference_to_id(reference)?)
    }

    /// The id of the object that `reference` denotes, active or not: `reference_to_id`.
    ///
    /// # Errors
    /// `WrongAdapter` when another POA made the reference.
    pub fn reference_to_id(&self, reference: impl AsRef<Object>) -> Result<ObjectId, PoaError> {
        self.require(true)?;
        let key = reference.as_ref().local_key().ok_or(PoaError::WrongAdapter)?;
        match ObjectKey::parse(&key) {
            Some(ObjectKey::Active { slot, .. }) => {
                let found = self.orb.objects().get(slot).ok_or(PoaError::WrongAdapter)?;
                let object = found.as_ref().filter(|a| Arc::ptr_eq(&a.poa, &self.inner));
                object.map(|object| object.id()).ok_or(PoaError::WrongAdapter)
            }
            Some(ObjectKey::Named(key))
                if key.adapter == self.inner.path() && self.inner.made(&key) =>
            {
                Ok(ObjectId::new(key.id))
            }
            _ => Err(PoaError::WrongAdapter),
        }
    }

    /// The object that `servant` incarnates, if need be from now on.
    fn serving<I: Interface + ?Sized>(&self, servant: &Arc<I>) -> Result<Serving, PoaError> {
        let policies = &self.inner.policies;
        let implicit = policies.implicit == ImplicitActivation::On;
        let unique = policies.retains() && policies.uniqueness == IdUniqueness::Unique;
        let has_default = policies.processing == RequestProcessing::DefaultServant;
        self.require(has_default || policies.retains() && (unique || implicit))?;
        let address = address(servant);
        let found = self.inner.servants.find(&self.orb, &self.inner, address);
        if let Some(activation) = found.as_ref().and_then(|found| found.as_ref()) {
            return Ok(Serving::Active(activation.clone()));
        }
        if implicit {
            let activated = self.activate(servant.clone());
            return match activated {
                Ok(reference) => {
                    let activation = reference.object().activation().cloned();
                    activation.map(Serving::Active).ok_or(PoaError::ServantNotActive)
                }
                // Another thread was faster.
                Err(PoaError::ServantAlreadyActive) => self.serving(servant),
                Err(error) => Err(error),
            };
        }
        let current = self.orb.poa_current().ok().filter(|current| current.poa() == self);
        let serves =
            |current: &super::Current| has_default && current.servant().get().address() == address;
        match current.filter(serves) {
            Some(current) => Ok(Serving::Passing(current.object_id().clone())),
            None => Err(PoaError::ServantNotActive),
        }
    }

    /// A reference to the object `id`, whether it is active or not.
    fn named(&self, repository_id: &str, id: &ObjectId) -> Result<Object, PoaError> {
        if let Some(activation) = self.active(id) {
            return Ok(self.orb.active_object(activation)?);
        }
        // Where keys are places, that of an object which had a place is what it was.
        let place = parse_system_id(id.as_bytes()).filter(|(incarnation, slot)| {
            self.inner.has_places && *incarnation == self.inner.incarnation && *slot != Slot::NONE
        });
        let key = match place {
            Some((incarnation, slot)) => ObjectKey::Active { incarnation, slot }.encode(),
            None => self.inner.named_key(id.as_bytes(), Slot::NONE),
        };
        Ok(self.orb.named_object(self.inner.path(), repository_id, key)?)
    }
}

/// What a servant is asked about as.
enum Serving {
    Active(Arc<Activation>),
    /// The object that it serves as the default servant.
    Passing(ObjectId),
}
