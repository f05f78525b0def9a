//! Where the objects of the service are: the POAs, and references to what is in them.

use crate::context::{context, identify};
use crate::corba::{
    Control, ControlRef, Coordinator, CoordinatorRef, PropagationContext, RecoveryCoordinator,
    RecoveryCoordinatorRef, Resource, ResourceRef, Status, SubtransactionAwareResource,
    SubtransactionAwareResourceRef, Synchronization, SynchronizationRef, Terminator, TerminatorRef,
    TransIdentity,
};
use crate::current::internally;
use crate::engine::{Elsewhere, Engine, Entry, Host};
use crate::model::{Key, SuperiorAnswer};
use crate::resource::ResourceError;
use crate::servant::remote::{RemoteResource, has_not_answered, refusal};
use armilla::{Error, ExceptionKind, Object, Orb, Poa, SystemException};
use std::fmt::Write;
use std::iter;
use std::sync::{Arc, OnceLock};

/// The POAs, one for each interface: the id of an object is the number of its transaction.
pub(crate) struct Poas {
    pub(super) control: Poa,
    pub(super) coordinator: Poa,
    pub(super) terminator: Poa,
    pub(super) recovery: Poa,
    pub(super) resource: Poa,
    pub(super) synchronization: Poa,
    pub(super) subtransaction: Poa,
}

/// The service in an ORB.
pub(crate) struct Site {
    pub(crate) orb: Orb,
    pub(crate) engine: Arc<Engine>,
    pub(super) poas: OnceLock<Poas>,
}

impl Site {
    pub(crate) fn new(orb: &Orb, engine: &Arc<Engine>) -> Self {
        Self { orb: orb.clone(), engine: engine.clone(), poas: OnceLock::new() }
    }

    fn poas(&self) -> Result<&Poas, SystemException> {
        self.poas.get().ok_or_else(|| {
            ExceptionKind::TransactionUnavailable.because("the transaction service has not started")
        })
    }

    pub(crate) fn control(&self, key: Key) -> Result<ControlRef, SystemException> {
        let poa = &self.poas()?.control;
        Ok(poa.create_reference_with_id::<dyn Control>(key.0.to_vec())?)
    }

    pub(crate) fn coordinator(&self, key: Key) -> Result<CoordinatorRef, SystemException> {
        let poa = &self.poas()?.coordinator;
        Ok(poa.create_reference_with_id::<dyn Coordinator>(key.0.to_vec())?)
    }

    pub(crate) fn terminator(&self, key: Key) -> Result<TerminatorRef, SystemException> {
        let poa = &self.poas()?.terminator;
        Ok(poa.create_reference_with_id::<dyn Terminator>(key.0.to_vec())?)
    }

    /// Where the participant with this number asks for the outcome.
    pub(crate) fn recovery(
        &self,
        key: Key,
        number: u64,
    ) -> Result<RecoveryCoordinatorRef, SystemException> {
        let id = [&key.0[..], &number.to_be_bytes()].concat();
        Ok(self.poas()?.recovery.create_reference_with_id::<dyn RecoveryCoordinator>(id)?)
    }

    fn resource(&self, key: Key) -> Result<ResourceRef, SystemException> {
        let poa = &self.poas()?.resource;
        Ok(poa.create_reference_with_id::<dyn Resource>(key.0.to_vec())?)
    }

    fn synchronization(&self, key: Key) -> Result<SynchronizationRef, SystemException> {
        let poa = &self.poas()?.synchronization;
        Ok(poa.create_reference_with_id::<dyn Synchronization>(key.0.to_vec())?)
    }

    fn subtransaction(&self, key: Key) -> Result<SubtransactionAwareResourceRef, SystemException> {
        let poa = &self.poas()?.subtransaction;
        Ok(poa.create_reference_with_id::<dyn SubtransactionAwareResource>(key.0.to_vec())?)
    }

    fn identity(&self, entry: &Entry) -> Result<TransIdentity, SystemException> {
        let terminator = match entry.subordinate {
            true => TerminatorRef::nil(),
            false => self.terminator(entry.key)?,
        };
        Ok(identify(self.coordinator(entry.key)?, terminator, &entry.global))
    }

    /// The context of a transaction.
    pub(crate) fn context_of(&self, entry: &Entry) -> Result<PropagationContext, SystemException> {
        let deadline = entry.machine().deadline();
        let left = deadline.map(|deadline| deadline.saturating_sub(self.engine.now()));
        let above = iter::successors(entry.parent.as_ref(), |it| it.parent.as_ref());
        let parents = above.map(|it| self.identity(it)).collect::<Result<_, _>>()?;
        Ok(context(self.identity(entry)?, parents, left))
    }

    /// Registers a subordinate with its superior, unless that was done.
    ///
    /// # Errors
    /// The superior takes no more participants, or cannot be reached.
    pub(crate) fn join(&self, entry: &Entry, synchronizes: bool) -> Result<(), SystemException> {
        let Some(superior) = superior_of(entry) else { return Ok(()) };
        let mut upward = crate::engine::lock(&entry.upward);
        if entry.parent.is_some() {
            if !upward.resource {
                entry.count_in().map_err(|_| ended_above())?;
                let part = self.subtransaction(entry.key)?;
                internally(|| superior.register_subtran_aware(&part)).map_err(inactive)?;
                upward.resource = true;
            }
            return Ok(());
        }
        if !upward.resource && !synchronizes {
            let resource = self.resource(entry.key)?;
            let recovery = internally(|| superior.register_resource(&resource));
            let recovery = recovery.map_err(inactive)?;
            let text = match recovery.is_nil() {
                // Some have none: then nobody can be asked, and the superior tells.
                true => String::new(),
                false => self.orb.object_to_string(&recovery)?,
            };
            entry.machine().set_superior(text.into());
            upward.resource = true;
        }
        if !upward.synchronization && synchronizes {
            let synchronization = self.synchronization(entry.key)?;
            internally(|| superior.register_synchronization(&synchronization)).map_err(inactive)?;
            upward.synchronization = true;
        }
        Ok(())
    }
}

/// The superior that a request has told of; `None` for one that was recovered, and for roots.
pub(crate) fn superior_of(entry: &Entry) -> Option<CoordinatorRef> {
    entry.superior.get()?.downcast_ref::<CoordinatorRef>().cloned()
}

/// The components of a profile that have further addresses: TAG_ALTERNATE_IIOP_ADDRESS, TAG_SSL_SEC_TRANS
/// and TAG_CSI_SEC_MECH_LIST.
const ADDRESSES: [u32; 3] = [3, 20, 33];

/// Where an object is: its addresses, in the order in which they are tried. `None` without one of a
/// network.
pub(crate) fn host_of(object: &Object) -> Option<Host> {
    let mut hosts = String::new();
    for profile in object.ior().iiop_profiles().flatten() {
        write!(hosts, "{}:{} ", profile.host, profile.port).ok()?;
        for component in profile.components.iter().filter(|it| ADDRESSES.contains(&it.id)) {
            component.data.iter().try_for_each(|octet| write!(hosts, "{octet:02x}")).ok()?;
        }
    }
    (!hosts.is_empty()).then(|| hosts.into())
}

fn ended_above() -> SystemException {
    ExceptionKind::InvalidTransaction.because("the transaction around it is being ended")
}

fn inactive<E: std::fmt::Display>(error: Error<E>) -> SystemException {
    match error {
        Error::System(exception) if exception.kind() == ExceptionKind::ObjectNotExist => {
            ExceptionKind::TransactionRolledback.because("the superior has ended the transaction")
        }
        Error::System(exception) => exception,
        Error::User(_) => {
            ExceptionKind::InvalidTransaction.because("the superior takes no more participants")
        }
    }
}

/// Notes the superior of which a request has told.
pub(crate) fn set_superior(entry: &Entry, coordinator: &CoordinatorRef) {
    entry.superior.set(Box::new(coordinator.clone())).ok();
}

impl Elsewhere for Site {
    fn resource(
        &self,
        reference: &str,
    ) -> Result<Arc<dyn crate::resource::Resource>, ResourceError> {
        let found = self.orb.string_to_object(reference);
        let found = found.map_err(|error| ResourceError::Refused(refusal(&error)))?;
        Ok(Arc::new(RemoteResource(found.assume())))
    }

    fn host(&self, reference: &str) -> Option<Host> {
        host_of(&self.orb.string_to_object(reference).ok()?)
    }

    fn join(&self, entry: &Entry) -> bool {
        let joined = Self::join(self, entry, false);
        if let Err(error) = &joined {
            let key = entry.key;
            tracing::info!(%key, %error, "what a subtransaction has done could not be handed up");
        }
        joined.is_ok()
    }

    fn ask(&self, superior: &str, entry: &Entry) -> SuperiorAnswer {
        let ask = || -> Result<Status, Error<_>> {
            let recovery = self.orb.string_to_object(superior).map_err(Error::System)?;
            let recovery: RecoveryCoordinatorRef = recovery.assume();
            let resource = self.resource(entry.key).map_err(Error::System)?;
            internally(|| recovery.replay_completion(&resource))
        };
        let answer = ask();
        let key = entry.key;
        tracing::debug!(%key, ?answer, "the superior of a transaction was asked");
        match answer {
            Ok(Status::StatusCommitted) => SuperiorAnswer::Committed,
            Ok(Status::StatusRolledBack) => SuperiorAnswer::RolledBack,
            Err(Error::System(error)) if error.kind() == ExceptionKind::ObjectNotExist => {
                SuperiorAnswer::RolledBack
            }
            Err(Error::System(error)) if has_not_answered(&error) => SuperiorAnswer::Unreachable,
            // The numbers from 6 on mean other things to some: one must not decide on them.
            Ok(_) | Err(_) => SuperiorAnswer::AskAgain,
        }
    }
}
