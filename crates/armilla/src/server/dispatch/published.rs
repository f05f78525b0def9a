//! Published references: objects that clients reach by a name in a URL, without a naming service.

use crate::client::Object;
use crate::exception::{Completion, SystemException};
use crate::runtime::{Orb, Part, PartSlot};
use crate::server::poa::Awaited;
use crate::server::reply::location_reply::KeyLocator;
use armilla_giop::ior::Ior;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Finds the reference for a name that was not published.
type Locator = Arc<dyn Fn(&str) -> Result<Option<Object>, SystemException> + Send + Sync>;

/// The published references, and the locators for further names and keys.
#[derive(Default)]
pub(crate) struct Published {
    names: RwLock<BTreeMap<String, Ior>>,
    locator: RwLock<Option<Locator>>,
    key_locator: RwLock<Option<KeyLocator>>,
}

impl Part for Published {
    const SLOT: PartSlot = PartSlot::Published;
}

impl Published {
    fn named(&self, name: &str) -> Option<Ior> {
        self.names.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(in crate::server) fn key_locator(&self) -> Option<KeyLocator> {
        self.key_locator.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(in crate::server) fn set_key_locator(&self, locator: KeyLocator) {
        let mut place = self.key_locator.write().unwrap_or_else(PoisonError::into_inner);
        let before = place.replace(locator);
        // Dropped without the lock: the old locator may run code of the program.
        drop(place);
        drop(before);
    }

    fn locator(&self) -> Option<Locator> {
        self.locator.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Orb {
    /// Publishes `reference` under `name`, so that clients reach it by the URL
    /// `corbaloc::HOST:PORT/name` without a naming service. Returns that URL. If the name is taken,
    /// the new reference replaces the old one.
    ///
    /// The first request of a client is answered with a forward to the reference.
    ///
    /// ```
    /// # use armilla::Orb;
    /// let server = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    /// let account = server.root_poa().create_object("IDL:Bank/Account:1.0")?;
    /// let url = server.publish("account", &account)?;
    /// assert!(url.starts_with("corbaloc:") && url.ends_with("/account"));
    /// assert_eq!(server.published_names(), ["account"]);
    /// # server.shutdown();
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    ///
    /// # Errors
    /// `INITIALIZE` when an endpoint cannot be opened, `INV_OBJREF` when the reference is nil.
    pub fn publish(
        &self,
        name: &str,
        reference: impl AsRef<Object>,
    ) -> Result<String, SystemException> {
        let ior = reference.as_ref().reference()?.ior().clone();
        let url = self.corbaloc(name)?;
        let mut names =
            self.part::<Published>().names.write().unwrap_or_else(PoisonError::into_inner);
        names.insert(name.to_owned(), ior);
        drop(names);
        self.root().manager().arrived(|| Awaited::Name(name.as_bytes().into()));
        Ok(url)
    }

    /// Removes a name that was [published](Self::publish). Returns whether it was published.
    /// Clients that were already forwarded keep using the object.
    pub fn unpublish(&self, name: &str) -> bool {
        let mut names =
            self.part::<Published>().names.write().unwrap_or_else(PoisonError::into_inner);
        names.remove(name).is_some()
    }

    /// The reference that was [published](Self::publish) under `name`.
    pub fn published(&self, name: &str) -> Option<Object> {
        self.part::<Published>().named(name).map(|ior| Object::from_ior(self, ior))
    }

    /// The names that were [published](Self::publish), in alphabetical order.
    pub fn published_names(&self) -> Vec<String> {
        let names = self.part::<Published>().names.read().unwrap_or_else(PoisonError::into_inner);
        names.keys().cloned().collect()
    }

    /// Sets the `locator` that finds references for names that were not [published](Self::publish).
    /// It is called for each request with such a name, by several threads at once. If it returns
    /// `None`, the client gets `OBJECT_NOT_EXIST`; while the server [is
    /// starting](crate::PoaManager::is_starting), the request waits. It replaces a locator that was
    /// set before.
    ///
    /// ```
    /// # use armilla::{Orb, Poa};
    /// # fn example(orb: &Orb, accounts: Poa) {
    /// orb.publish_on_demand(move |name| match name.strip_prefix("account/") {
    ///     Some(number) => {
    ///         Ok(Some(accounts.create_object_with_id("IDL:Bank/Account:1.0", number)?))
    ///     }
    ///     None => Ok(None),
    /// });
    /// # }
    /// ```
    pub fn publish_on_demand(
        &self,
        locator: impl Fn(&str) -> Result<Option<Object>, SystemException> + Send + Sync + 'static,
    ) {
        let mut place =
            self.part::<Published>().locator.write().unwrap_or_else(PoisonError::into_inner);
        let before = place.replace(Arc::new(locator));
        // Dropped without the lock: the old locator may run code of the program.
        drop(place);
        drop(before);
        self.root().manager().look_again();
    }

    /// Whether a request by this name may find a reference.
    pub(in crate::server) fn may_be_published(&self, name: &[u8]) -> bool {
        let named = std::str::from_utf8(name)
            .is_ok_and(|name| self.part::<Published>().named(name).is_some());
        named || self.part::<Published>().locator().is_some()
    }

    /// The key of the object of this process that was published under a name; `None` if the octets
    /// are no such name.
    pub(in crate::server) fn published_key(&self, name: &[u8]) -> Option<Box<[u8]>> {
        let name = std::str::from_utf8(name).ok()?;
        let ior = self.part::<Published>().named(name)?;
        self.find_local(&ior).map(|(key, _)| key)
    }

    /// The reference to which a request by this name leads.
    ///
    /// # Errors
    /// The exception that the locator raises.
    pub(in crate::server) fn named(&self, name: &[u8]) -> Result<Option<Ior>, SystemException> {
        let Ok(name) = std::str::from_utf8(name) else { return Ok(None) };
        if let Some(ior) = self.part::<Published>().named(name) {
            return Ok(Some(ior));
        }
        let Some(locator) = self.part::<Published>().locator() else { return Ok(None) };
        self.call_back("the locator of names", Completion::No, || {
            let found = locator(name)?;
            Ok(found.filter(|object| !object.is_nil()).map(|object| object.ior()))
        })?
    }
}
