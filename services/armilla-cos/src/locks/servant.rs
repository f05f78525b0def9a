//! The objects of the service. A lock set is what its id says: it has no state but its locks, so one
//! that nobody uses costs nothing, and a reference to it outlives the process.

use super::corba::lock_set::{self, ChangeModeRaises, UnlockRaises};
use super::corba::operator::{self, ReleaseRaises};
use super::corba::transactional_lock_set::{
    self, ChangeModeRaises as TransactionalChangeModeRaises,
    UnlockRaises as TransactionalUnlockRaises,
};
use super::corba::{
    AmhLockSet, AmhTransactionalLockSet, LockCoordinator, LockCoordinatorRef, LockInfos, LockMode,
    LockNotHeld, LockSet, LockSetFactory, LockSetFactoryRef, LockSetRef, Operator,
    TransactionalLockSet, TransactionalLockSetRef, UnknownHolder, lock_coordinator,
    lock_set_factory,
};
use super::model::{Holder, Refusal, SetId};
use super::modes::mode;
use super::refusal::exception;
use super::service::{Reply, Shared};
use crate::operators;
use armilla::{Error, ExceptionKind, IdUniqueness, Object, Poa, ResponseHandler, SystemException};
use armilla_ipc::random;
use armilla_transactions::OtsPolicy;
use armilla_transactions::corba::CoordinatorRef;
use std::sync::{Arc, Weak};

/// The object key of the factory in `corbaloc:` URLs.
pub const KEY: &str = "LockSetFactory";

/// The object key of what operators call.
pub const OPERATOR_KEY: &str = "LockOperator";

/// The POA above those of the service.
const ADAPTER: &str = "locks";

/// The POAs of what the service makes references to.
pub(super) struct Poas {
    sets: Poa,
    transactional: Poa,
    coordinators: Poa,
    pub(super) weak: Weak<Shared>,
}

/// Makes the objects. Returns the factory and its URL.
pub(super) fn serve(shared: &Arc<Shared>) -> Result<(LockSetFactoryRef, String), SystemException> {
    let orb = &shared.orb;
    let service = Service(Arc::downgrade(shared));
    let poa = orb.root_poa().create_poa(ADAPTER).persistent().user_ids().build()?;
    let child = |name: &str| {
        let child = poa.create_poa(name).user_ids().policy(IdUniqueness::Multiple);
        child.manager(poa.manager())
    };
    // Only these hear of the transactions that travel with requests.
    let sets = child("sets").persistent().policy(OtsPolicy::Adapts);
    let poas = Poas {
        sets: sets.default_servant(lock_set::tie_amh(Sets(service.clone()))).build()?,
        transactional: child("transactional")
            .persistent()
            .default_servant(transactional_lock_set::tie_amh(Transactional(service.clone())))
            .build()?,
        coordinators: child("coordinators")
            .default_servant(lock_coordinator::tie(Coordinators(service.clone())))
            .build()?,
        weak: Arc::downgrade(shared),
    };
    shared.poas.set(poas).ok();
    let factory =
        poa.activate_with_id("factory", lock_set_factory::tie(Factory(service.clone())))?;
    let url = orb.publish(KEY, &factory)?;
    let operator = poa.activate_with_id("operator", operator::tie(Operators(service)))?;
    orb.publish(OPERATOR_KEY, &operator)?;
    Ok((factory, url))
}

#[cold]
pub(super) fn ended() -> SystemException {
    ExceptionKind::ObjectNotExist.because("the lock service has ended")
}

/// The service, which its servants do not keep alive.
#[derive(Clone)]
struct Service(Weak<Shared>);

impl Service {
    fn get(&self) -> Result<Arc<Shared>, SystemException> {
        self.0.upgrade().ok_or_else(ended)
    }

    /// The service, and the two numbers of the id of the object that is called.
    fn called(&self) -> Result<(Arc<Shared>, [u64; 2]), SystemException> {
        let shared = self.get()?;
        let current = shared.orb.poa_current()?;
        let numbers = numbers(current.object_id().as_bytes());
        Ok((shared, numbers.ok_or_else(SystemException::object_not_exist)?))
    }

    /// The set that is called, and whose locks it is called for.
    fn implicit(&self) -> Result<(Arc<Shared>, SetId, Option<Holder>), SystemException> {
        let (shared, [group, set]) = self.called()?;
        let holder = shared.implicit()?;
        Ok((shared, SetId { group, set }, holder))
    }

    fn explicit(
        &self,
        coordinator: &CoordinatorRef,
    ) -> Result<(Arc<Shared>, SetId, Option<Holder>), SystemException> {
        let (shared, [group, set]) = self.called()?;
        let holder = shared.explicit(coordinator)?;
        Ok((shared, SetId { group, set }, Some(holder)))
    }

    fn coordinator(&self, which: &CoordinatorRef) -> Result<LockCoordinatorRef, SystemException> {
        let (shared, [group, _]) = self.called()?;
        let Holder(holder) = shared.explicit(which)?;
        let poas = shared.poas.get().ok_or_else(ended)?;
        let id = octets([group, holder]);
        Ok(poas.coordinators.create_reference_with_id::<dyn LockCoordinator>(id)?)
    }
}

fn numbers(id: &[u8]) -> Option<[u64; 2]> {
    let (one, other) = id.split_first_chunk::<8>()?;
    let other: &[u8; 8] = other.try_into().ok()?;
    Some([u64::from_be_bytes(*one), u64::from_be_bytes(*other)])
}

fn octets([one, other]: [u64; 2]) -> Vec<u8> {
    [one.to_be_bytes(), other.to_be_bytes()].concat()
}

/// Tells a client whether it has its lock.
impl Reply for ResponseHandler<(), SystemException> {
    fn reply(self: Box<Self>, result: Result<(), (Refusal, bool)>) {
        self.complete(result.map_err(|(why, is_transaction)| exception(why, is_transaction)));
    }

    fn is_cancelled(&self) -> bool {
        Self::is_cancelled(self)
    }
}

macro_rules! reply_of_change {
    ($($raises:ty)*) => {
        $(impl Reply for ResponseHandler<(), Error<$raises>> {
            fn reply(self: Box<Self>, result: Result<(), (Refusal, bool)>) {
                self.complete(result.map_err(|(why, is_transaction)| match why {
                    Refusal::NotHeld => LockNotHeld {}.into(),
                    _ => exception(why, is_transaction).into(),
                }));
            }

            fn is_cancelled(&self) -> bool {
                Self::is_cancelled(self)
            }
        })*
    };
}

reply_of_change! { ChangeModeRaises TransactionalChangeModeRaises }

/// All lock sets.
struct Sets(Service);

impl AmhLockSet for Sets {
    fn lock_amh(&self, wanted: LockMode, reply: ResponseHandler<(), SystemException>) {
        match self.0.implicit() {
            Ok((shared, set, holder)) => shared.lock(set, holder, mode(wanted), Box::new(reply)),
            Err(exception) => reply.complete(Err(exception)),
        }
    }

    fn change_mode_amh(
        &self,
        held: LockMode,
        new: LockMode,
        reply: ResponseHandler<(), Error<ChangeModeRaises>>,
    ) {
        match self.0.implicit() {
            Ok((shared, set, holder)) => {
                shared.change_mode(set, holder, (mode(held), mode(new)), Box::new(reply));
            }
            Err(exception) => reply.complete(Err(exception.into())),
        }
    }
}

impl LockSet for Sets {
    fn lock(&self, wanted: LockMode) -> Result<(), SystemException> {
        ResponseHandler::wait_for(|reply| self.lock_amh(wanted, reply))
    }

    fn try_lock(&self, wanted: LockMode) -> Result<bool, SystemException> {
        let (shared, set, holder) = self.0.implicit()?;
        shared.try_lock(set, holder, mode(wanted))
    }

    fn unlock(&self, held: LockMode) -> Result<(), Error<UnlockRaises>> {
        let (shared, set, holder) = self.0.implicit()?;
        match shared.unlock(set, holder, mode(held)) {
            true => Ok(()),
            false => Err(LockNotHeld {}.into()),
        }
    }

    fn change_mode(&self, held: LockMode, new: LockMode) -> Result<(), Error<ChangeModeRaises>> {
        ResponseHandler::wait_for(|reply| self.change_mode_amh(held, new, reply))
    }

    fn get_coordinator(
        &self,
        which: &CoordinatorRef,
    ) -> Result<LockCoordinatorRef, SystemException> {
        self.0.coordinator(which)
    }
}

/// All transactional lock sets.
struct Transactional(Service);

impl AmhTransactionalLockSet for Transactional {
    fn lock_amh(
        &self,
        current: &CoordinatorRef,
        wanted: LockMode,
        reply: ResponseHandler<(), SystemException>,
    ) {
        match self.0.explicit(current) {
            Ok((shared, set, holder)) => shared.lock(set, holder, mode(wanted), Box::new(reply)),
            Err(exception) => reply.complete(Err(exception)),
        }
    }

    fn change_mode_amh(
        &self,
        current: &CoordinatorRef,
        held: LockMode,
        new: LockMode,
        reply: ResponseHandler<(), Error<TransactionalChangeModeRaises>>,
    ) {
        match self.0.explicit(current) {
            Ok((shared, set, holder)) => {
                shared.change_mode(set, holder, (mode(held), mode(new)), Box::new(reply));
            }
            Err(exception) => reply.complete(Err(exception.into())),
        }
    }
}

impl TransactionalLockSet for Transactional {
    fn lock(&self, current: &CoordinatorRef, wanted: LockMode) -> Result<(), SystemException> {
        ResponseHandler::wait_for(|reply| self.lock_amh(current, wanted, reply))
    }

    fn try_lock(
        &self,
        current: &CoordinatorRef,
        wanted: LockMode,
    ) -> Result<bool, SystemException> {
        let (shared, set, holder) = self.0.explicit(current)?;
        shared.try_lock(set, holder, mode(wanted))
    }

    fn unlock(
        &self,
        current: &CoordinatorRef,
        held: LockMode,
    ) -> Result<(), Error<TransactionalUnlockRaises>> {
        let (shared, set, holder) = self.0.explicit(current)?;
        match shared.unlock(set, holder, mode(held)) {
            true => Ok(()),
            false => Err(LockNotHeld {}.into()),
        }
    }

    fn change_mode(
        &self,
        current: &CoordinatorRef,
        held: LockMode,
        new: LockMode,
    ) -> Result<(), Error<TransactionalChangeModeRaises>> {
        ResponseHandler::wait_for(|reply| self.change_mode_amh(current, held, new, reply))
    }

    fn get_coordinator(
        &self,
        which: &CoordinatorRef,
    ) -> Result<LockCoordinatorRef, SystemException> {
        self.0.coordinator(which)
    }
}

/// The locks of all transactions.
struct Coordinators(Service);

impl LockCoordinator for Coordinators {
    fn drop_locks(&self) -> Result<(), SystemException> {
        let (shared, [group, holder]) = self.0.called()?;
        shared.drop_locks(Holder(holder), group);
        Ok(())
    }
}

struct Factory(Service);

impl Factory {
    /// The id of a new set, which is related to one of a POA.
    fn related(poa: &Poa, which: &Object) -> Result<Vec<u8>, SystemException> {
        let foreign = || {
            ExceptionKind::BadParam
                .because("the lock set is not one of this service, or of another kind")
        };
        let id = poa.reference_to_id(which).map_err(|_| foreign())?;
        let [group, _] = numbers(id.as_bytes()).ok_or_else(foreign)?;
        Ok(octets([group, number()?]))
    }
}

/// A number that nobody can guess.
fn number() -> Result<u64, SystemException> {
    let number = random::number();
    Ok(number
        .map_err(|error| ExceptionKind::NoResources.because(format!("no random numbers: {error}")))?
        .get())
}

impl LockSetFactory for Factory {
    fn create(&self) -> Result<LockSetRef, SystemException> {
        let shared = self.0.get()?;
        let poa = &shared.poas.get().ok_or_else(ended)?.sets;
        Ok(poa.create_reference_with_id::<dyn LockSet>(octets([number()?, number()?]))?)
    }

    fn create_related(&self, which: &LockSetRef) -> Result<LockSetRef, SystemException> {
        let shared = self.0.get()?;
        let poa = &shared.poas.get().ok_or_else(ended)?.sets;
        let id = Self::related(poa, which.object())?;
        Ok(poa.create_reference_with_id::<dyn LockSet>(id)?)
    }

    fn create_transactional(&self) -> Result<TransactionalLockSetRef, SystemException> {
        let shared = self.0.get()?;
        let poa = &shared.poas.get().ok_or_else(ended)?.transactional;
        let id = octets([number()?, number()?]);
        Ok(poa.create_reference_with_id::<dyn TransactionalLockSet>(id)?)
    }

    fn create_transactional_related(
        &self,
        which: &TransactionalLockSetRef,
    ) -> Result<TransactionalLockSetRef, SystemException> {
        let shared = self.0.get()?;
        let poa = &shared.poas.get().ok_or_else(ended)?.transactional;
        let id = Self::related(poa, which.object())?;
        Ok(poa.create_reference_with_id::<dyn TransactionalLockSet>(id)?)
    }
}

struct Operators(Service);

impl Operator for Operators {
    fn list(&self) -> Result<LockInfos, SystemException> {
        Ok(self.0.get()?.list())
    }

    fn release(&self, holder: u64) -> Result<(), Error<ReleaseRaises>> {
        let shared = self.0.get()?;
        operators::check(shared.options.remote_operators)?;
        match shared.release(holder) {
            true => Ok(()),
            false => Err(UnknownHolder {}.into()),
        }
    }
}
