//! Finding the objects of this process by object keys and by references.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object_key::{KeyId, ObjectKey, system_id};
use crate::runtime::Located;
use crate::runtime::Orb;
use crate::server::poa::{
    Activation, Awaited, Found, MAX_CREATION_RETRIES, ObjectAdapters, PoaInner, StartupHold,
    Upcall, destroyed_repeatedly,
};
use crate::server::reply::location_reply::KeyLocator;
use armilla_giop::OperationName;
use armilla_giop::ior::{
    Component, FtGroup, IiopProfile, Ior, SslSecTrans, TaggedProfile, iiop_object_key,
};
use armilla_ipc::memory::{Handle, Slot};
use std::sync::Arc;

/// The key of an object of this process, and its activation if it is active.
type LocalTarget = (Box<[u8]>, Option<Handle<Activation>>);

/// A POA, an object id, and the slot where the object may be.
type KeyTarget<'k> = (Arc<PoaInner>, KeyId<'k>, Slot);

/// Looks for the object of a request: what it may wait for, and what it may reach.
pub(in crate::server) struct Seeker<'o> {
    hold: StartupHold<'o>,
    /// Whether the request arrived on a connection that this ORB opened. It then reaches only
    /// objects of POAs that allow that (CORBA 3.4 Part 2, 9.8), and no name leads it elsewhere.
    originated: bool,
}

impl<'o> Seeker<'o> {
    pub(in crate::server) fn new(orb: &'o Orb, originated: bool) -> Self {
        // A name that is published later leads no client to an object over this ORB's own
        // connections.
        Self { hold: StartupHold::new(orb, !originated), originated }
    }

    /// Whether the request may reach the objects of a POA.
    ///
    /// # Errors
    /// `NO_PERMISSION` when it may not.
    fn check(&self, poa: &PoaInner) -> Result<(), SystemException> {
        match self.originated && !poa.allows_bidirectional() {
            true => Err(not_bidirectional()),
            false => Ok(()),
        }
    }
}

impl ObjectAdapters {
    /// Prefetches the object to which `key`, the likely key of a request, leads.
    #[inline(always)]
    pub(crate) fn prefetch(&self, key: &[u8]) {
        if let Some(index) = ObjectKey::likely_index(key) {
            self.objects.expect(index);
        }
    }

    /// Finds the object of a request by a `key` that names its slot. `None` when that is not
    /// enough: a servant manager has to be asked, the POA holds requests, or the object is not
    /// active.
    #[inline(always)]
    pub(crate) fn find_active(&self, key: &[u8]) -> Option<Upcall<'_>> {
        let object = match ObjectKey::parse(key)? {
            ObjectKey::Active { incarnation, .. } if incarnation != self.incarnation => None,
            ObjectKey::Active { slot, .. } => self.objects.get(slot),
            ObjectKey::Named(key) => {
                let object = self.objects.get(key.hint)?;
                if object.matches_key(&key) { Some(object) } else { None }
            }
        };
        Upcall::begin(object?)
    }
}

impl Orb {
    /// Finds what a request with `key` for `operation` leads to.
    pub(in crate::server) fn find(
        &self,
        key: &[u8],
        operation: OperationName<'_>,
        seeker: &mut Seeker<'_>,
    ) -> Found<'_> {
        match self.object_adapters().find_active(key) {
            Some(upcall) => match seeker.check(upcall.poa()) {
                Ok(()) => Found::Object(upcall),
                Err(exception) => Found::Refused(exception),
            },
            None => self.find_slow(key, operation, seeker),
        }
    }

    /// The same for a key that does not name an active slot, or when servant managers have to be
    /// asked or requests are held.
    #[cold]
    fn find_slow(
        &self,
        octets: &[u8],
        operation: OperationName<'_>,
        seeker: &mut Seeker<'_>,
    ) -> Found<'_> {
        let Some(key) = ObjectKey::parse(octets) else { return self.find_named(octets, seeker) };
        for _ in 0..MAX_CREATION_RETRIES {
            let (poa, id, hint) = match self.owner(key, seeker) {
                Ok(Some(owned)) => owned,
                Ok(None) if matches!(key, ObjectKey::Named(_)) => {
                    let refused = || Found::Refused(SystemException::no_adapter());
                    return self.locator_for(octets, seeker).map_or_else(refused, Found::ByLocator);
                }
                Ok(None) => return Found::Nothing,
                Err(exception) => return Found::Refused(exception),
            };
            let hold = &mut seeker.hold;
            if let Some(found) = poa.serve(self, &id, hint, operation.as_str(), hold) {
                return found;
            }
            // The POA was destroyed before the request began. The request is treated as one that
            // arrives now, since the POA may be created again (CORBA 3.4 Part 1, 15.3.9,
            // `destroy`).
            if !matches!(key, ObjectKey::Named(key) if key.incarnation == 0) {
                return Found::Refused(SystemException::no_adapter());
            }
        }
        Found::Refused(destroyed_repeatedly())
    }

    /// The same for octets that are no key of this ORB: a published name, or a key that the locator
    /// knows.
    fn find_named(&self, octets: &[u8], seeker: &mut Seeker<'_>) -> Found<'_> {
        if seeker.originated {
            // A name that is not published leads to no object, so there is nothing to protect.
            return match self.may_be_published(octets) {
                true => Found::Refused(not_bidirectional()),
                false => Found::Nothing,
            };
        }
        match self.await_named(octets, &mut seeker.hold) {
            Ok(Some(ior)) => Found::Elsewhere(ior),
            Ok(None) => self.key_locator(octets).map_or(Found::Nothing, Found::ByLocator),
            Err(exception) => Found::Refused(exception),
        }
    }

    /// The locator for this key, which is not asked for requests on this ORB's own connections.
    fn locator_for(&self, octets: &[u8], seeker: &Seeker<'_>) -> Option<KeyLocator> {
        if seeker.originated { None } else { self.key_locator(octets) }
    }

    /// The reference to which a request by this name leads. While the server starts, the request
    /// waits for it.
    ///
    /// # Errors
    /// Those of [`named`](Self::named) and [`StartupHold::wait`].
    fn await_named(
        &self,
        name: &[u8],
        hold: &mut StartupHold<'_>,
    ) -> Result<Option<Ior>, SystemException> {
        // Octets that are not UTF-8 are never published.
        let may_come = std::str::from_utf8(name).is_ok();
        loop {
            let root = self.root();
            let waits = may_come && hold.applies_to_names(root.manager());
            if waits {
                hold.expect(root.manager(), Awaited::Name(name.into()));
            }
            let found = self.named(name)?;
            if found.is_some() || !waits {
                return Ok(found);
            }
            hold.wait()?;
        }
    }

    /// The POA to which a request with this key goes, created by adapter activators if needed;
    /// `None` when the key names no POA. Later steps of the request need not look it up again.
    ///
    /// # Errors
    /// `OBJECT_NOT_EXIST` ([`Minor::OBJECT_NOT_EXIST_NO_ADAPTER`]) when the POA does not exist and
    /// no adapter activator creates it; `NO_PERMISSION` when the request may not reach it; the
    /// exception that an adapter activator raises; those of [`StartupHold::wait`].
    pub(in crate::server) fn adapter_for(
        &self,
        octets: &[u8],
        seeker: &mut Seeker<'_>,
    ) -> Result<Option<Arc<PoaInner>>, SystemException> {
        let Some(key) = ObjectKey::parse(octets) else { return Ok(None) };
        match self.owner(key, seeker)? {
            Some((poa, ..)) => Ok(Some(poa)),
            None if matches!(key, ObjectKey::Named(_))
                && self.locator_for(octets, seeker).is_none() =>
            {
                Err(SystemException::no_adapter())
            }
            None => Ok(None),
        }
    }

    /// Where the object with this key is. `originated` says whether the client asks over a
    /// connection that this ORB opened. No servant manager is asked; a default servant is whether
    /// the object exists.
    #[cold]
    pub(in crate::server) fn locate_object(
        &self,
        key: &[u8],
        originated: bool,
    ) -> Result<Located, SystemException> {
        let mut seeker = Seeker::new(self, originated);
        let Some(parsed) = ObjectKey::parse(key) else {
            let found = if originated { None } else { self.await_named(key, &mut seeker.hold)? };
            return Ok(found.map_or(Located::Nowhere, Located::Elsewhere));
        };
        loop {
            let (poa, id, hint) = match self.owner(parsed, &mut seeker) {
                Ok(Some(owned)) => owned,
                Ok(None) => break,
                // Who may not reach it does not learn whether it is there.
                Err(error) if error.minor() == Minor::CONNECTION_NOT_BIDIRECTIONAL => break,
                Err(error) => return Err(error),
            };
            let hold = &mut seeker.hold;
            let waits = hold.applies(poa.manager());
            if poa.may_serve(self, &id, hint) {
                let denied = poa.is_denied(self, &id, hint);
                return Ok(if denied { Located::Nowhere } else { Located::Here });
            }
            match poa.missing(self, &id, hint) {
                Some(awaited) if waits => {
                    if !hold.expect(poa.manager(), awaited) {
                        hold.wait()?;
                    }
                }
                _ => break,
            }
        }
        Ok(Located::Nowhere)
    }

    /// The POA that a key belongs to, the object id, and the slot where the object may be. Adapter
    /// activators create POAs that are missing; those of POAs that the request may not reach are not
    /// asked.
    ///
    /// # Errors
    /// Those of [`adapter_for`](Self::adapter_for).
    fn owner<'k>(
        &self,
        key: ObjectKey<'k>,
        seeker: &mut Seeker<'_>,
    ) -> Result<Option<KeyTarget<'k>>, SystemException> {
        let key = match key {
            ObjectKey::Active { incarnation, slot } if incarnation == self.incarnation() => {
                let poa = self.adapter_of_slot(slot);
                poa.iter().try_for_each(|poa| seeker.check(poa))?;
                return Ok(poa.map(|poa| (poa, KeyId::Place(system_id(incarnation, slot)), slot)));
            }
            ObjectKey::Active { .. } => return Ok(None),
            ObjectKey::Named(key) => key,
        };
        let poa = match key.incarnation {
            // A transient POA that was not created by this process cannot come back.
            0 => {
                if seeker.originated
                    && let Some(nearest) = self.adapters().nearest(key.adapter)
                {
                    seeker.check(&nearest)?;
                }
                self.adapter(key.adapter, &mut seeker.hold)?
            }
            _ => self.adapters().get(key.adapter),
        };
        poa.iter().try_for_each(|poa| seeker.check(poa))?;
        let poa = poa.filter(|poa| poa.made(&key));
        Ok(poa.map(|poa| (poa, KeyId::Named(key.id), key.hint)))
    }

    /// The POA that a key belongs to, if it exists.
    pub(crate) fn known_adapter(&self, key: &[u8]) -> Option<Arc<PoaInner>> {
        match ObjectKey::parse(key)? {
            ObjectKey::Active { incarnation, slot } => {
                self.adapter_of_slot(slot).filter(|_| incarnation == self.incarnation())
            }
            ObjectKey::Named(key) => self.adapters().get(key.adapter).filter(|poa| poa.made(&key)),
        }
    }

    /// The POA of the object in a slot, or of the object that was there and has moved to another
    /// slot.
    fn adapter_of_slot(&self, slot: Slot) -> Option<Arc<PoaInner>> {
        let here = self.objects().get(slot);
        here.map(|object| object.poa.clone()).or_else(|| self.adapters().moved(slot))
    }

    /// The key in `ior` of an object of this process, and its activation if it is active.
    pub(in crate::server) fn find_local(&self, ior: &Ior) -> Option<LocalTarget> {
        // A process that never listened has not given out references.
        let server = self.open_server()?;
        ior.profiles.iter().find_map(|profile| {
            let octets = iiop_object_key(&profile.data).ok()?;
            let key = ObjectKey::parse(octets);
            let incarnation = match key {
                Some(ObjectKey::Active { incarnation, .. }) => incarnation,
                Some(ObjectKey::Named(key)) => key.incarnation,
                None if self.may_be_published(octets) || self.key_locator(octets).is_some() => 0,
                None => return None,
            };
            // Transient keys are unique to this incarnation. Persistent keys and published names
            // are not: another server of the same program may use them, so the address must match
            // too.
            let ours = incarnation == self.incarnation()
                || incarnation == 0
                    && IiopProfile::decode_data(&profile.data).is_ok_and(|profile| {
                        let address = (&*profile.host, port_of(&profile));
                        server.is_at(address.0, address.1) || self.publishes(key, address)
                    });
            // A group is not its member here: another one may be the primary.
            let ours = ours && !(ior.profiles.len() > 1 && is_of_group(profile));
            ours.then(|| (octets.into(), key.and_then(|key| self.active(key))))
        })
    }

    /// Whether references made by the POA of this key carry this address.
    fn publishes(&self, key: Option<ObjectKey<'_>>, (host, port): (&str, u16)) -> bool {
        let Some(ObjectKey::Named(key)) = key else { return false };
        self.adapters().get(key.adapter).is_some_and(|poa| {
            let plain = poa.published().iter().chain(poa.imr()).map(|(name, at)| (name, *at));
            let protected = poa.imr_protected().iter().map(|address| (&address.host, address.port));
            plain.chain(protected).any(|(name, at)| at == port && name.eq_ignore_ascii_case(host))
        })
    }

    /// The activation of the object with this key, if it is active.
    pub(crate) fn active(&self, key: ObjectKey<'_>) -> Option<Handle<Activation>> {
        let found = match key {
            ObjectKey::Active { incarnation, slot } => self.objects().get(slot).or_else(|| {
                let poa = self.adapters().moved(slot)?;
                poa.lookup(self, &system_id(incarnation, slot), slot)
            }),
            ObjectKey::Named(key) => {
                let poa = self.adapters().get(key.adapter).filter(|poa| poa.made(&key))?;
                poa.lookup(self, key.id, key.hint)
            }
        };
        found.filter(|object| object.is_active()).map(|object| object.to_handle())
    }
}

/// Why a request is not served that arrived on a connection opened by this ORB.
#[cold]
fn not_bidirectional() -> SystemException {
    let what = "the object's POA does not serve requests over connections that its ORB has made";
    SystemException::new(
        ExceptionKind::NoPermission,
        Minor::CONNECTION_NOT_BIDIRECTIONAL,
        Completion::No,
    )
    .with_reason(what)
    .with_hint("a POA with the policy Bidirectional::Both does")
}

/// Whether the profile leads to a member of an object group.
#[cold]
fn is_of_group(profile: &TaggedProfile) -> bool {
    let profile = IiopProfile::decode_data(&profile.data);
    profile.is_ok_and(|profile| profile.components.iter().any(|it| it.id == FtGroup::ID))
}

/// The port of a profile; that for TLS if there is no other one.
fn port_of(profile: &IiopProfile) -> u16 {
    if profile.port != 0 {
        return profile.port;
    }
    let components = profile.components.iter();
    let mut tls = components.filter_map(|tagged| SslSecTrans::from_tagged(tagged).ok()?);
    tls.next().map_or(0, |tls| tls.port)
}
