//! What servants need that are copied, moved and removed: `LifeCycleObject` (Life Cycle Service 1.2,
//! 2.2).

use super::corba::factory_finder::FindFactoriesRaises;
use super::corba::generic_factory::CreateObjectRaises;
use super::corba::life_cycle_object::CopyRaises;
use super::corba::{
    FactoryFinder, FactoryFinderRef, GenericFactory, LifeCycleObject, LifeCycleObjectRef,
    NameValuePair, NoFactory, NotCopyable,
};
use super::finder::first_generic;
use armilla::{
    AnyServant, Error, Object, ObjectId, Poa, ServantActivator, ServantManagerError,
    SystemException,
};
use armilla_cos_naming::NameComponent;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What can be made again elsewhere.
pub trait LifeCycle: Send + Sync {
    /// By which key factories make such objects.
    fn key(&self) -> Vec<NameComponent>;

    /// The criteria by which a factory makes one like this: its state. Those of the client come
    /// before them.
    ///
    /// # Errors
    /// It cannot be copied now.
    fn state(&self) -> Result<Vec<NameValuePair>, SystemException>;
}

/// Makes a copy of an object at another place: what `copy` of its servant does, and the first half of
/// `move`, whose exceptions differ by one.
///
/// # Errors
/// `NoFactory` if none of the factories there makes such objects; `NotCopyable` without a place, or if
/// what is made there is no `LifeCycleObject`; what the factory answers.
pub fn copy(
    object: &dyn LifeCycle,
    there: &FactoryFinderRef,
    criteria: &[NameValuePair],
) -> Result<LifeCycleObjectRef, Error<CopyRaises>> {
    let not = |reason: &str| NotCopyable { reason: reason.to_owned() };
    if there.is_nil() {
        return Err(not("no place is given").into());
    }
    let key = object.key();
    let none = || NoFactory { search_key: key.clone() };
    let factories = match there.find_factories(&key) {
        Ok(factories) => factories,
        Err(Error::System(exception)) => return Err(exception.into()),
        Err(Error::User(FindFactoriesRaises::NoFactory(error))) => return Err(error.into()),
    };
    let factory = first_generic(factories, &key)?.ok_or_else(none)?;
    let all = [criteria.to_vec(), object.state()?].concat();
    let made = factory.create_object(&key, &all).map_err(|error| -> Error<CopyRaises> {
        match error {
            Error::System(exception) => exception.into(),
            Error::User(CreateObjectRaises::NoFactory(error)) => error.into(),
            Error::User(CreateObjectRaises::InvalidCriteria(error)) => error.into(),
            Error::User(CreateObjectRaises::CannotMeetCriteria(error)) => error.into(),
        }
    })?;
    let made = made.narrow::<dyn LifeCycleObject>();
    made.map_err(|_| not("the factory there makes no LifeCycleObject").into())
}

/// The objects of a POA, some of which have moved: the activator of that POA. References to those
/// that have moved lead on to where they are.
#[derive(Clone)]
pub struct Moved {
    left: Arc<Mutex<HashMap<Vec<u8>, Object>>>,
    most: usize,
}

impl Moved {
    /// Nothing has moved yet. It remembers so many objects.
    pub fn new(most: usize) -> Self {
        Self { left: Arc::default(), most }
    }

    /// How many have moved.
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether none has.
    pub fn is_empty(&self) -> bool {
        self.lock().is_empty()
    }

    /// An object has moved: the servant is deactivated, and its references lead on. Called by `move`
    /// of the servant, when there is a copy.
    ///
    /// # Errors
    /// `IMP_LIMIT` when too many have moved, `OBJECT_NOT_EXIST` for an object that is not active.
    pub fn lead(
        &self,
        poa: &Poa,
        id: &ObjectId,
        to: &LifeCycleObjectRef,
    ) -> Result<(), SystemException> {
        let mut left = self.lock();
        if left.len() >= self.most {
            let what = "too many objects have moved away from here";
            return Err(armilla::ExceptionKind::ImpLimit.because(what));
        }
        left.insert(id.as_bytes().to_vec(), to.object().clone());
        drop(left);
        Ok(poa.deactivate(id).inspect_err(|_| {
            self.lock().remove(id.as_bytes());
        })?)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Vec<u8>, Object>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServantActivator for Moved {
    fn incarnate(&self, id: &ObjectId, _: &Poa) -> Result<AnyServant, ServantManagerError> {
        match self.lock().get(id.as_bytes()) {
            Some(to) => Err(ServantManagerError::Forward(to.clone())),
            None => Err(SystemException::object_not_exist().into()),
        }
    }

    fn etherealize(&self, _: &ObjectId, _: &Poa, _: AnyServant, _: bool, _: bool) {}
}

impl fmt::Debug for Moved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moved").field("objects", &self.len()).finish_non_exhaustive()
    }
}
