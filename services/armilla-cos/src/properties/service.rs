//! The service: property sets by their numbers, changes that are kept before they are seen, limits.

use super::corba::operators::SetInfos;
use super::corba::{PropertySetDefFactoryRef, PropertySetFactoryRef};
use super::iterators::{IteratorLimits, Iterators};
use super::model::{Property, PropertySet};
use super::servant::{self, Poas};
use super::store::{Change, Keeper, Sets, Store};
use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_ipc::random;
use armilla_store::StoreError;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What a property service holds for its clients. More is refused with `IMP_LIMIT`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PropertyLimits {
    /// How many sets there are at most. The Property Service has no operation that ends one.
    /// Default: 100,000.
    pub sets: usize,
    /// How many properties a set has at most. Default: 10,000.
    pub properties: usize,
    /// How long a name is at most, in octets. Default: 1,024.
    pub name: usize,
    /// The limits of iterators.
    pub iterators: IteratorLimits,
    /// Whether operators may be on other hosts. Default: no.
    pub remote_operators: bool,
}

impl Default for PropertyLimits {
    fn default() -> Self {
        Self {
            sets: 100_000,
            properties: 10_000,
            name: 1024,
            iterators: IteratorLimits::default(),
            remote_operators: false,
        }
    }
}

pub(super) struct Shared {
    pub(super) orb: Orb,
    pub(super) iterators: Iterators,
    pub(super) limits: PropertyLimits,
    pub(super) poas: OnceLock<Poas>,
    sets: RwLock<Sets>,
    keeper: Keeper,
    /// Held by who changes something, from the look at what is there until it is seen.
    writer: Mutex<()>,
}

/// A property service in an ORB, as long as it lives. Clones are the same. Any thread may call it.
///
/// ```
/// use armilla::{Any, Orb};
/// use armilla_cos::properties::corba::{PropertySet, PropertySetFactory};
/// use armilla_cos::properties::{PropertyLimits, PropertyService, Store};
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let service = PropertyService::serve(&orb, Store::memory(), PropertyLimits::default())?;
/// let set = service.factory().create_propertyset()?;
/// set.define_property("colour", &Any::new("red")?).expect("it is new");
/// assert_eq!(set.get_property_value("colour").expect("it is there").get::<String>()?, Some("red".into()));
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PropertyService {
    shared: Arc<Shared>,
    factory: PropertySetFactoryRef,
    defs: PropertySetDefFactoryRef,
    url: String,
}

impl PropertyService {
    /// Makes the objects of the service.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen.
    pub fn serve(orb: &Orb, store: Store, limits: PropertyLimits) -> Result<Self, SystemException> {
        let shared = Arc::new(Shared {
            orb: orb.clone(),
            iterators: Iterators::new(limits.iterators.clone()),
            limits,
            poas: OnceLock::new(),
            sets: RwLock::new(store.sets),
            keeper: store.keeper,
            writer: Mutex::new(()),
        });
        let (factory, defs, url) = servant::serve(&shared)?;
        Ok(Self { shared, factory, defs, url })
    }

    /// The factory of property sets.
    pub const fn factory(&self) -> &PropertySetFactoryRef {
        &self.factory
    }

    /// The factory of property sets that show modes.
    pub const fn def_factory(&self) -> &PropertySetDefFactoryRef {
        &self.defs
    }

    /// The URL of the factory, `corbaloc::HOST:PORT/PropertySetFactory`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// All sets.
    ///
    /// # Errors
    /// Those of making references.
    pub fn list(&self) -> Result<SetInfos, SystemException> {
        self.shared.list()
    }

    /// How many sets there are, how many properties they have, and how many iterators are open.
    pub fn totals(&self) -> (usize, usize, usize) {
        let sets = self.shared.read();
        let properties = sets.values().map(PropertySet::len).sum();
        (sets.len(), properties, self.shared.iterators.count())
    }

    /// Whether changes could be kept now.
    ///
    /// # Errors
    /// They could not; the text says why.
    pub fn check_store(&self) -> Result<(), String> {
        self.shared.keeper.check()
    }
}

impl fmt::Debug for PropertyService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PropertyService").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A property by its name; `None` when it is deleted.
pub(super) type Planned = (String, Option<Property>);

impl Shared {
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Sets> {
        self.sets.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Sets> {
        self.sets.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a set.
    pub(super) fn look<R>(
        &self,
        number: u64,
        look: impl FnOnce(&PropertySet) -> R,
    ) -> Result<R, SystemException> {
        self.read().get(&number).map(look).ok_or_else(gone)
    }

    /// Makes a set. Returns its number, which nobody can guess.
    pub(super) fn make(&self, set: PropertySet) -> Result<u64, SystemException> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        self.bound(self.read().len() < self.limits.sets, "sets")?;
        self.bound(set.len() <= self.limits.properties, "properties of a set")?;
        let fits = |(name, _): (&String, _)| name.len() <= self.limits.name;
        self.bound(set.behind(None).all(fits), "octets of a name")?;
        let number = random::number().map_err(|error| {
            ExceptionKind::NoResources.because(format!("no random numbers: {error}"))
        })?;
        let number = number.get();
        let put = |(name, property)| Change::Put(name, Some(property));
        let puts = set.behind(None).map(|(name, property)| (name.as_str(), property)).map(put);
        let changes: Vec<_> = [Change::Make(&set)].into_iter().chain(puts).collect();
        self.keeper.keep(number, &changes).map_err(|error| not_kept(&error))?;
        drop(changes);
        self.write().insert(number, set);
        Ok(number)
    }

    /// Ends a set. Returns whether it was there.
    pub(super) fn remove(&self, number: u64) -> Result<bool, SystemException> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.read().contains_key(&number) {
            return Ok(false);
        }
        self.keeper.keep(number, &[Change::Remove]).map_err(|error| not_kept(&error))?;
        self.write().remove(&number);
        Ok(true)
    }

    /// Changes a set: `plan` sees it, and says what is to be. All of that is kept, or nothing.
    pub(super) fn change<R>(
        &self,
        number: u64,
        plan: impl FnOnce(&PropertySet) -> (Vec<Planned>, R),
    ) -> Result<R, SystemException> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let (planned, result) = {
            let sets = self.read();
            let set = sets.get(&number).ok_or_else(gone)?;
            let (planned, result) = plan(set);
            let news = planned.iter().filter(|(name, it)| it.is_some() && set.get(name).is_err());
            let grows = news.clone().next().is_some();
            let fits = !grows || set.len() + news.clone().count() <= self.limits.properties;
            self.bound(fits, "properties of a set")?;
            let fits = news.map(|(name, _)| name.len()).all(|length| length <= self.limits.name);
            self.bound(fits, "octets of a name")?;
            (planned, result)
        };
        if planned.is_empty() {
            return Ok(result);
        }
        let changes: Vec<_> =
            planned.iter().map(|(name, it)| Change::Put(name, it.as_ref())).collect();
        self.keeper.keep(number, &changes).map_err(|error| not_kept(&error))?;
        drop(changes);
        if let Some(set) = self.write().get_mut(&number) {
            planned.into_iter().for_each(|(name, it)| set.put(&name, it));
        }
        Ok(result)
    }

    fn bound(&self, holds: bool, what: &str) -> Result<(), SystemException> {
        match holds {
            true => Ok(()),
            false => Err(ExceptionKind::ImpLimit
                .because(format!("the service takes no more {what}"))
                .with_hint("the limits are those of `PropertyLimits`")),
        }
    }

    /// The host of the client of the current request, as limits count it; empty for this process.
    pub(super) fn client(&self) -> String {
        match self.orb.caller() {
            Ok(Some(address)) => address.site().unwrap_or_else(|| address.to_string()),
            Ok(None) | Err(_) => String::new(),
        }
    }
}

#[cold]
pub(super) fn gone() -> SystemException {
    ExceptionKind::ObjectNotExist.because("there is no such property set")
}

fn not_kept(error: &StoreError) -> SystemException {
    let (completed, what) = match error.is_undecided() {
        true => (Completion::Maybe, "the change may be there after a restart"),
        false => (Completion::No, "nothing was changed"),
    };
    SystemException::new(ExceptionKind::PersistStore, Minor::default(), completed)
        .with_reason(format!("{what}: {error}"))
}
