//! Addresses of servers, as the profiles of their references give them.
//!
//! The profiles of a server's objects differ only in the object key. The client therefore parses
//! them once and caches the result: all references to objects of one server share it. Connections
//! are kept in [`pool`](super::pool), the choice among addresses in
//! the route of a reference.

use super::connection_pool::ConnectionPool;
use super::pool::Endpoint;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::operations::{Numbers, OperationNames};
use crate::runtime::Orb;
use crate::settings::Settings;
use crate::sync::lock;
use crate::transport::{EndpointAddress, ObjectProfile};
use crate::wire::ARMILLA_ORB_TYPE;
use arc_swap::ArcSwapOption;
use armilla_cdr::CodeSet;
use armilla_giop::ior::{
    CodeSetComponentInfo, Component, FtGroup, FtPrimary, OrbType, TaggedProfile, key_between,
    split_at_key,
};
use armilla_giop::{CodeSetContext, Version};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// One address of a server, with the GIOP version for requests sent to it.
pub(crate) struct Access {
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) version: Version,
    /// The operation numbers that requests may use in place of operation names.
    pub(in crate::client) numbers: Option<Numbers>,
    /// Set if the profile leads to a member of an object group.
    pub(in crate::client) member: Option<Member>,
}

/// What a profile says of the object group to whose member it leads.
#[derive(Debug, Clone, Copy)]
pub(in crate::client) struct Member {
    /// The version of the group's membership.
    pub(in crate::client) version: u32,
    /// Whether it is the primary.
    pub(in crate::client) is_primary: bool,
}

impl Access {
    /// Whether requests may use operation numbers in place of operation names.
    #[inline]
    pub(in crate::client) fn has_numbers(&self) -> bool {
        self.numbers.is_some()
    }
}

/// The addresses from a profile, for all profiles with the same octets around the object key.
pub(in crate::client) struct CachedProfile {
    /// The octets before the key and those after it.
    octets_around_key: [Arc<[u8]>; 2],
    /// In the order in which to try them.
    accesses: Box<[Arc<Access>]>,
}

impl CachedProfile {
    /// The object key in the data of a profile, if its other octets are the same.
    #[inline]
    fn key_in<'p>(&self, data: &'p [u8]) -> Option<&'p [u8]> {
        let [before, behind] = &self.octets_around_key;
        key_between(data, [before, behind])
    }

    /// Whether any reference uses these addresses.
    fn are_used(&self) -> bool {
        self.accesses.iter().any(|access| Arc::strong_count(access) > 1)
    }
}

type ByOctets<T> = HashMap<Arc<[u8]>, T>;

/// The cache of parsed profiles. Repeated lookups for one server compare with the last entry found;
/// they take no lock.
#[derive(Default)]
pub(in crate::client) struct AccessCache {
    last: ArcSwapOption<CachedProfile>,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    /// By the octets before the key, then by those after it.
    by_octets: ByOctets<ByOctets<Arc<CachedProfile>>>,
    /// The last entry found under the lock. Two finds in a row make it `last`. One find does not:
    /// references to several servers that take turns would replace each other there.
    sought: Weak<CachedProfile>,
}

impl AccessCache {
    /// Passes the addresses in a profile with this data and the object key to `take`. `false` when
    /// the profile is not in the cache.
    fn find(&self, data: &[u8], take: &mut impl FnMut(&[Arc<Access>], &[u8])) -> bool {
        if let Some(cached) = &*self.last.load()
            && let Some(key) = cached.key_in(data)
        {
            take(&cached.accesses, key);
            return true;
        }
        let sought =
            split_at_key(data).ok().and_then(|split| Some((self.find_locked(split)?, split)));
        if let Some((cached, [_, key, _])) = &sought {
            take(&cached.accesses, key);
        }
        sought.is_some()
    }

    fn find_locked(&self, [before, _, behind]: [&[u8]; 3]) -> Option<Arc<CachedProfile>> {
        let mut all = lock(&self.all);
        let same = all.by_octets.get(before)?;
        let found = match same.len() {
            // Comparing with the only entry is cheaper than hashing.
            1 => same.values().next().filter(|cached| *cached.octets_around_key[1] == *behind),
            _ => same.get(behind),
        };
        let found = found?.clone();
        if all.sought.as_ptr() == Arc::as_ptr(&found) {
            self.last.store(Some(found.clone()));
        } else {
            all.sought = Arc::downgrade(&found);
        }
        Some(found)
    }

    /// Caches the addresses from a profile with this data.
    fn keep(&self, data: &[u8], accesses: &[Arc<Access>]) {
        let Ok([before, _, behind]) = split_at_key(data) else { return };
        let [before, behind] = [before, behind].map(Arc::<[u8]>::from);
        let octets_around_key = [before.clone(), behind.clone()];
        let cached = CachedProfile { octets_around_key, accesses: accesses.into() };
        let mut all = lock(&self.all);
        all.by_octets.entry(before).or_default().insert(behind, Arc::new(cached));
    }

    /// Removes the entries that no reference uses.
    pub(in crate::client) fn forget_unused(&self) {
        let mut all = lock(&self.all);
        all.by_octets.retain(|_, same| {
            same.retain(|_, cached| cached.are_used());
            !same.is_empty()
        });
        if self.last.load().as_ref().is_some_and(|last| !last.are_used()) {
            self.last.store(None);
        }
    }
}

/// Passes the addresses and the object key in `tagged` to `take`. Does nothing for a profile that
/// no transport knows.
pub(in crate::client) fn read_profile(
    orb: &Orb,
    tagged: &TaggedProfile,
    mut take: impl FnMut(&[Arc<Access>], &[u8]),
) -> Result<(), SystemException> {
    let known = orb.transports().are_usual_for(tagged).then(|| orb.client().accesses());
    if known.is_some_and(|known| known.find(&tagged.data, &mut take)) {
        return Ok(());
    }
    let Some(read) = orb.transports().read(tagged, orb.settings()) else { return Ok(()) };
    let (profile, places) = read.map_err(|error| {
        SystemException::new(ExceptionKind::InvObjref, Minor::NO_USABLE_PROFILE, Completion::No)
            .with_reason(format!("a profile of the reference is malformed: {error}"))
    })?;
    let accesses = find(orb, &profile, &places)?;
    if let Some(known) = known {
        known.keep(&tagged.data, &accesses);
    }
    take(&accesses, &profile.object_key);
    Ok(())
}

fn find(
    orb: &Orb,
    profile: &ObjectProfile,
    places: &[EndpointAddress],
) -> Result<Vec<Arc<Access>>, SystemException> {
    let version = profile.version.min(orb.settings().max_giop);
    // GIOP 1.0 does not negotiate code sets.
    let agrees = version >= Version::V1_1;
    let code_sets = if agrees { code_sets(profile, orb.settings())? } else { None };
    // A number that came from elsewhere names no pool.
    let pool = component::<ConnectionPool>(profile);
    let pool = pool.filter(|pool| orb.client().pools().settings(*pool).is_some());
    let member = component::<FtGroup>(profile).map(|group| Member {
        version: group.version,
        is_primary: matches!(component(profile), Some(FtPrimary(true))),
    });
    let access = |place| {
        Arc::new(Access {
            endpoint: orb.client().endpoint(place, code_sets, pool),
            version,
            numbers: component::<OperationNames>(profile).map(Numbers::from),
            member,
        })
    };
    Ok(places.iter().map(access).collect())
}

/// Negotiates code sets with the server of `profile`. `None` if the profile names none: nothing is
/// negotiated, and ISO 8859-1 holds (CORBA 3.4 Part 2, 7.10.2.6).
///
/// Most servers name ISO 8859-1 as their native code set, because every octet of an IDL `char` is a
/// character in it. It is therefore the usual result. This ORB holds strings as Unicode whatever
/// its native code set is, and accepts any octet for a `char`. Between two of its kind UTF-8 is
/// chosen where possible.
fn code_sets(
    profile: &ObjectProfile,
    settings: &Settings,
) -> Result<Option<CodeSetContext>, SystemException> {
    let Some(offered) = component::<CodeSetComponentInfo>(profile) else { return Ok(None) };
    let mut agreed =
        CodeSetContext::choose(&offered, settings.native_code_sets()).map_err(|error| {
            SystemException::new(
                ExceptionKind::CodesetIncompatible,
                Minor::CODESET_INCOMPATIBLE_NEGOTIATION_FAILED,
                Completion::No,
            )
            .with_reason(error.to_string())
        })?;
    let ours = matches!(component(profile), Some(OrbType(ARMILLA_ORB_TYPE)));
    if ours && offered.char.conversion.contains(&CodeSet::Utf8.id()) {
        agreed.char = CodeSet::Utf8.id();
    }
    Ok(Some(agreed))
}

/// The first component of this type; `None` if it is malformed.
fn component<C: Component>(profile: &ObjectProfile) -> Option<C> {
    profile.components.iter().find_map(|component| C::from_tagged(component).transpose())?.ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_giop::ior::IiopProfile;

    fn profile(port: u16, key: &[u8]) -> TaggedProfile {
        let (host, object_key) = ("127.0.0.1".into(), key.to_vec());
        let components = Vec::new();
        let profile = IiopProfile { version: Version::V1_2, host, port, object_key, components };
        profile.to_tagged().unwrap()
    }

    /// The first address for `profile`, as a reference caches it after a call.
    fn first_address(orb: &Orb, profile: &TaggedProfile) -> Arc<Access> {
        let mut found = None;
        read_profile(orb, profile, |accesses, _| found = accesses.first().cloned()).unwrap();
        found.unwrap()
    }

    #[test]
    fn objects_of_a_server_share_their_addresses() {
        let orb = Orb::new().unwrap();
        let (one, other) =
            (first_address(&orb, &profile(1, b"a")), first_address(&orb, &profile(2, b"a")));
        assert!(!Arc::ptr_eq(&one, &other));
        for key in [&b"a"[..], b"b", b"long", b"longer", b"c"] {
            assert!(Arc::ptr_eq(&first_address(&orb, &profile(1, key)), &one));
            assert!(Arc::ptr_eq(&first_address(&orb, &profile(1, key)), &one));
            assert!(Arc::ptr_eq(&first_address(&orb, &profile(2, key)), &other));
        }
    }

    #[test]
    fn addresses_are_forgotten_when_no_reference_uses_them() {
        let orb = Orb::new().unwrap();
        let known = orb.client().accesses();
        let is_known = |port| known.find(&profile(port, b"key").data, &mut |_, _| {});
        let kept = first_address(&orb, &profile(1, b"key"));
        // Held until the lookups are done, or the ORB's own housekeeping could forget it first.
        let dropped = first_address(&orb, &profile(2, b"key"));
        // Repeated lookups make it the last entry found.
        (0..3).for_each(|_| assert!(is_known(2)));
        let forgotten = Arc::downgrade(&dropped);
        drop(dropped);
        known.forget_unused();
        assert!(is_known(1) && !is_known(2) && forgotten.upgrade().is_none());
        (0..3).for_each(|_| assert!(is_known(1)));
        drop(kept);
        known.forget_unused();
        assert!(!is_known(1) && lock(&known.all).by_octets.is_empty());
    }
}
