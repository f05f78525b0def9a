//! A generic factory: the objects that a program makes for others, by keys (Life Cycle Service 1.2,
//! 2.4).

use super::corba::generic_factory::CreateObjectRaises;
use super::corba::{CannotMeetCriteria, GenericFactory, InvalidCriteria, NameValuePair, NoFactory};
use super::finder::Finder;
use armilla::{Error, Object, SystemException};
use armilla_cos_naming::NameComponent;
use std::collections::HashMap;
use std::fmt;

/// Why an object is not made.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum MakeError {
    /// These criteria are not understood.
    Invalid(Vec<NameValuePair>),
    /// These criteria are understood, and cannot be met.
    Unmet(Vec<NameValuePair>),
    /// The ORB failed.
    Orb(SystemException),
}

impl From<SystemException> for MakeError {
    fn from(exception: SystemException) -> Self {
        Self::Orb(exception)
    }
}

type Make = dyn Fn(&[NameValuePair]) -> Result<Object, MakeError> + Send + Sync;

/// What a program makes for others: a servant of `GenericFactory`.
///
/// ```
/// use armilla::Orb;
/// use armilla_cos::lifecycle::corba::{GenericFactory, GenericFactoryRef, generic_factory};
/// use armilla_cos::lifecycle::{Factories, MakeError};
/// use armilla_cos_naming::NameComponent;
///
/// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
/// let bank = orb.clone();
/// let factories = Factories::new().make("account", move |criteria| match criteria {
///     [] => Ok(bank.string_to_object("corbaloc::bank.example.org/Account")?),
///     all => Err(MakeError::Invalid(all.to_vec())),
/// });
/// let factory: GenericFactoryRef = orb.root_poa().activate(generic_factory::tie(factories))?;
/// let key = [NameComponent { id: "account".to_owned(), kind: String::new() }];
/// assert!(factory.supports(&key)?);
/// # orb.shutdown();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
#[must_use = "it makes nothing until it is activated"]
pub struct Factories {
    by_key: HashMap<String, Box<Make>>,
    elsewhere: Option<Finder>,
}

impl Factories {
    /// A factory of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes objects by keys whose last step has this id, with a function that gets the criteria: by
    /// `account` and by `bank/account`, under which a naming service may have the factory.
    pub fn make(
        mut self,
        key: impl Into<String>,
        make: impl Fn(&[NameValuePair]) -> Result<Object, MakeError> + Send + Sync + 'static,
    ) -> Self {
        self.by_key.insert(key.into(), Box::new(make));
        self
    }

    /// Leaves other keys to the factories that this finder finds. It must not find this one.
    pub fn elsewhere(mut self, finder: Finder) -> Self {
        self.elsewhere = Some(finder);
        self
    }

    fn find(&self, key: &[NameComponent]) -> Option<&Make> {
        self.by_key.get(&key.last()?.id).map(|make| &**make)
    }
}

impl fmt::Debug for Factories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Factories").field("keys", &self.by_key.keys()).finish_non_exhaustive()
    }
}

impl GenericFactory for Factories {
    fn supports(&self, key: &[NameComponent]) -> Result<bool, SystemException> {
        if self.find(key).is_some() {
            return Ok(true);
        }
        match &self.elsewhere {
            Some(finder) => Ok(finder.generic(key)?.is_some()),
            None => Ok(false),
        }
    }

    fn create_object(
        &self,
        key: &[NameComponent],
        criteria: &[NameValuePair],
    ) -> Result<Object, Error<CreateObjectRaises>> {
        if let Some(make) = self.find(key) {
            return make(criteria).map_err(|error| match error {
                MakeError::Invalid(invalid_criteria) => InvalidCriteria { invalid_criteria }.into(),
                MakeError::Unmet(unmet_criteria) => CannotMeetCriteria { unmet_criteria }.into(),
                MakeError::Orb(exception) => exception.into(),
            });
        }
        let elsewhere = self.elsewhere.as_ref().map(|finder| finder.generic(key)).transpose()?;
        match elsewhere.flatten() {
            Some(factory) => factory.create_object(key, criteria),
            None => Err(NoFactory { search_key: key.to_vec() }.into()),
        }
    }
}
