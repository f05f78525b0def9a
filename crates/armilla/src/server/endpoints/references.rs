//! Making references to the objects of this process: they carry the addresses of its endpoints.

use super::listeners::Listeners;
use crate::client::Object;
use crate::exception::{Completion, Minor, SystemException};
use crate::runtime::Orb;
use crate::server::addresses::publications::{Added, Publications};
use crate::server::poa::{Activation, PoaInner, number_components};
use armilla_giop::Version;
use armilla_giop::ior::{Ior, TaggedComponent};
use armilla_giop::url::{Corbaloc, CorbalocAddress};

impl Orb {
    /// Checks that references can be made. It raises `INITIALIZE` when the ORB cannot listen, and
    /// `BAD_INV_ORDER` when it is shut down.
    pub(crate) fn prepare_references(&self) -> Result<(), SystemException> {
        self.check_running()?;
        // No object is activated unless what every reference carries can be encoded.
        self.server()?;
        let encodable = || {
            let profiles =
                self.server()?.publications().profiles(self.settings(), &[], &[], Added::default());
            profiles.map(drop).map_err(|error| SystemException::encoding(&error, Completion::No))
        };
        self.part::<Listeners>().references.get_or_init(encodable).clone()
    }

    /// A reference to an object of this process that need not be active.
    ///
    /// # Errors
    /// Those of [`prepare_references`](Self::prepare_references).
    pub(crate) fn named_object(
        &self,
        poa: &PoaInner,
        repository_id: &str,
        key: &[u8],
    ) -> Result<Object, SystemException> {
        self.prepare_references()?;
        Ok(Object::from_ior(self, self.ior(poa, repository_id, key, Vec::new())?))
    }

    /// The IOR of an active object.
    ///
    /// # Errors
    /// None if [`prepare_references`](Self::prepare_references) has succeeded.
    pub(crate) fn active_ior(&self, activation: &Activation) -> Result<Ior, SystemException> {
        let own = number_components(activation.skeleton())?;
        let type_id = activation.skeleton().repository_id(&|| activation.id());
        self.ior(&activation.poa, &type_id, &activation.key(), own)
    }

    /// The IOR of the object of `poa` with this key. Its profiles carry the components `own`, and
    /// those that interceptors added for the POA.
    ///
    /// # Errors
    /// Those of [`active_ior`](Self::active_ior).
    fn ior(
        &self,
        poa: &PoaInner,
        type_id: &str,
        key: &[u8],
        own: Vec<TaggedComponent>,
    ) -> Result<Ior, SystemException> {
        let mut added = own;
        added.extend_from_slice(poa.components());
        let (settings, publications) = (self.settings(), self.server()?.publications());
        let other = poa.addresses_of(key)?;
        added.extend(other.iter().flat_map(|other| other.components.iter().cloned()));
        let added = Added { components: &added, by_addresses: poa.components_by_addresses() };
        let profiles = match other {
            None if poa.is_behind_imr() => {
                let imr = Publications::of_protected(poa.imr_protected());
                imr.profiles(settings, poa.imr(), key, added)
            }
            None => publications.profiles(settings, poa.published(), key, added),
            Some(other) if other.only_these => {
                Publications::empty().profiles(settings, &other.iiop, key, added)
            }
            Some(other) => publications.profiles(settings, &other.iiop, key, added),
        };
        let profiles =
            profiles.map_err(|error| SystemException::encoding(&error, Completion::No))?;
        Ok(Ior { type_id: type_id.to_owned(), profiles })
    }

    /// The corbaloc URL of a published object, with the first address of this ORB.
    pub(crate) fn corbaloc(&self, name: &str) -> Result<String, SystemException> {
        let bad = |what: &str| SystemException::bad_param(Minor::BAD_ARGUMENT, what);
        if name.is_empty() {
            return Err(bad("an object cannot be published under an empty name"));
        }
        let publications = self.server()?.publications();
        let plain = publications.addresses().first().cloned();
        let plain = plain.map(|(host, port)| CorbalocAddress::Iiop { version: None, host, port });
        let protected = || {
            let own = publications.protected().first()?.clone();
            let (version, host, port) = (Some(Version::V1_2), own.host, own.port);
            Some(CorbalocAddress::Ssliop { version, host, port })
        };
        let address = plain.or_else(protected);
        let address = address.ok_or_else(|| bad("the ORB has no IIOP address for a URL"))?;
        Ok(Corbaloc { addresses: vec![address], key: name.into() }.to_string())
    }
}
