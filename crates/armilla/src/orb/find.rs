//! From object keys and addresses to the objects of this process.

use super::Orb;
use crate::exception::{Completion, Minor, SystemException};
use crate::object::Object;
use crate::poa::{Activation, ObjectKey};
use arc_swap::Guard;
use armilla_giop::ior::{IiopProfile, Ior, iiop_object_key};
use armilla_giop::url::{Corbaloc, CorbalocAddress};
use std::sync::{Arc, PoisonError};

/// What an object key leads to.
pub(crate) enum Found {
    /// An object here.
    Object(Guard<Option<Arc<Activation>>>),
    /// A published name: the reference that it stands for.
    Elsewhere(Ior),
    /// Nothing.
    Nothing,
    /// The request names it by a profile that is not one of ours; its key would do.
    Unnamed,
}

impl Orb {
    /// What `key`, from a request, leads to.
    #[inline]
    pub(crate) fn find(&self, key: &[u8]) -> Found {
        match ObjectKey::parse(key) {
            Some(ObjectKey::Active { incarnation, slot }) if incarnation == self.0.incarnation => {
                self.0.objects.get(slot).map_or(Found::Nothing, Found::Object)
            }
            Some(ObjectKey::Active { .. }) => Found::Nothing,
            Some(ObjectKey::Named { incarnation, adapter, id }) => {
                self.find_named(incarnation, adapter, id)
            }
            None => self.find_published(key),
        }
    }

    fn find_named(&self, incarnation: u64, adapter: &[u8], id: &[u8]) -> Found {
        match self.0.adapters.find(adapter, id, incarnation, self.0.incarnation) {
            Some(activation) => Found::Object(Guard::from_inner(Some(activation))),
            None => Found::Nothing,
        }
    }

    #[cold]
    fn find_published(&self, name: &[u8]) -> Found {
        let published = self.0.published.read().unwrap_or_else(PoisonError::into_inner);
        published.get(name).cloned().map_or(Found::Nothing, Found::Elsewhere)
    }

    /// The object that `ior` denotes, when it is active in this process.
    pub(crate) fn local_activation(&self, ior: &Ior) -> Option<Arc<Activation>> {
        // Who never listened has given out no reference.
        let server = self.0.server.get()?.as_ref().ok()?;
        ior.profiles.iter().find_map(|profile| {
            let key = iiop_object_key(&profile.data).ok()?;
            let Found::Object(found) = self.find(key) else { return None };
            let activation = found.as_ref()?.clone();
            // A transient key is ours alone. A persistent one may be another server's of the same
            // make, so the address must be ours too.
            let transient = !activation.poa.is_persistent();
            let ours = transient || {
                let profile = IiopProfile::decode_data(&profile.data).ok()?;
                server.publications().addresses().contains(&(profile.host, profile.port))
            };
            ours.then_some(activation)
        })
    }

    /// A reference to an object of this process.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `BAD_INV_ORDER` when it was shut down.
    pub(crate) fn local_object(
        &self,
        activation: Arc<Activation>,
    ) -> Result<Object, SystemException> {
        self.check_running()?;
        let server = self.server()?;
        let type_id = activation.servant.repository_id().to_owned();
        let added = match self.interceptors() {
            Some(interceptors) => {
                interceptors.components(activation.poa.path(), &type_id, &activation.key)?
            }
            None => Vec::new(),
        };
        let profiles = server.publications().profiles(self.settings(), &activation.key, &added);
        let profiles =
            profiles.map_err(|error| SystemException::encoding(&error, Completion::No))?;
        Ok(Object::with_activation(self, Ior { type_id, profiles }, Some(activation)))
    }

    /// The URL of an object by its published name at our first address.
    pub(super) fn corbaloc(&self, name: &str) -> Result<String, SystemException> {
        let bad = |what: &str| SystemException::bad_param(Minor::BAD_ARGUMENT, what);
        if name.is_empty() {
            return Err(bad("an object cannot be published under an empty name"));
        }
        let address = self.server()?.publications().addresses().first().cloned();
        let (host, port) = address.ok_or_else(|| bad("the ORB has no IIOP address for a URL"))?;
        let address = CorbalocAddress::Iiop { version: None, host, port };
        Ok(Corbaloc { addresses: vec![address], key: name.into() }.to_string())
    }
}
