//! Equivalence and hashes of references: whether they denote the same object, as far as the
//! references themselves tell (CORBA 3.4 Part 1, 8.3.5 and 8.3.6).

use super::object::Object;
use crate::object_key::ObjectKey;
use armilla_giop::ior::{
    AlternateAddress, CodeSetComponentInfo, Component, CsiSecMechList, FtGroup, IiopProfile, Ior,
    OrbType, SslSecTrans, TAG_INTERNET_IOP, TAG_MULTIPLE_COMPONENTS, TAG_UIOP, TaggedComponent,
    TaggedProfile, TlsSecTrans, UiopProfile,
};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

impl Object {
    /// Whether both references denote the same object, as far as they themselves tell:
    /// `_is_equivalent`. The same as `==`. Does not call the object: different references may
    /// denote the same object.
    ///
    /// ```
    /// # use armilla::Orb;
    /// let orb = Orb::new()?;
    /// let account = orb.string_to_object("corbaloc::bank.example.org/account")?;
    /// let same = orb.string_to_object(&orb.object_to_string(&account)?)?;
    /// assert!(account.is_equivalent(&same));
    /// assert_eq!(account.hash_up_to(100), same.hash_up_to(100));
    /// # Ok::<(), armilla::SystemException>(())
    /// ```
    #[doc(alias = "_is_equivalent")]
    pub fn is_equivalent(&self, other: &Self) -> bool {
        self == other
    }

    /// A number up to `maximum` that is the same for equivalent references, in every process of
    /// this build: `_hash`.
    #[doc(alias = "hash")]
    #[doc(alias = "_hash")]
    pub fn hash_up_to(&self, maximum: u32) -> u32 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        // The remainder is not larger than `maximum`.
        (hasher.finish() % (u64::from(maximum) + 1)) as u32
    }
}

impl PartialEq for Object {
    /// Whether the profiles have the same addresses and keys, or belong to the same object group
    /// (CORBA 3.0.3, 23.2.5). The components do not count, because
    /// other ORBs leave chance octets in them (TAO in the padding of `TAG_CODE_SETS`), nor do the
    /// hints in keys of this ORB.
    fn eq(&self, other: &Self) -> bool {
        match (&self.reference, &other.reference) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || same(one.ior(), other.ior()),
            (one, other) => one.is_none() && other.is_none(),
        }
    }
}

impl Eq for Object {}

/// The profiles that say where the object is.
fn addresses(ior: &Ior) -> impl Iterator<Item = &TaggedProfile> {
    ior.profiles.iter().filter(|profile| profile.id != TAG_MULTIPLE_COMPONENTS)
}

/// The object group that the profile belongs to, whatever the version of its membership.
fn group_in(profile: &IiopProfile) -> Option<(String, u64)> {
    let group: FtGroup = profile.component().ok()??;
    Some((group.domain, group.group))
}

fn group_of(ior: &Ior) -> Option<(String, u64)> {
    group_in(&ior.iiop_profiles().next()?.ok()?)
}

fn same(one: &Ior, other: &Ior) -> bool {
    let groups = (group_of(one), group_of(other));
    if groups != (None, None) {
        return groups.0 == groups.1;
    }
    let mut others = addresses(other);
    addresses(one).all(|one| others.next().is_some_and(|other| same_profile(one, other)))
        && others.next().is_none()
}

fn same_profile(one: &TaggedProfile, other: &TaggedProfile) -> bool {
    let decode = |profile: &TaggedProfile| IiopProfile::decode_data(&profile.data).ok();
    if one.id != other.id || one.data == other.data {
        return one == other;
    }
    if one.id == TAG_UIOP {
        let decode = |profile: &TaggedProfile| UiopProfile::decode_data(&profile.data).ok();
        return decode(one).zip(decode(other)).is_some_and(|(one, other)| {
            (one.rendezvous_point, one.object_key) == (other.rendezvous_point, other.object_key)
        });
    }
    let is_iiop = one.id == TAG_INTERNET_IOP;
    let (Some(one), Some(other)) = (decode(one), decode(other)) else { return false };
    let same_address = (&one.host, one.port) == (&other.host, other.port);
    // With port 0 the address is in a component, as for TLS.
    let addressed = is_iiop && one.port != 0;
    same_address
        && ObjectKey::is_same(&one.object_key, &other.object_key)
        && (addressed || (one.version, addressing(&one)) == (other.version, addressing(&other)))
}

/// The components of a profile that may say where the object is.
fn addressing(profile: &IiopProfile) -> Vec<TaggedComponent> {
    let says_more =
        |tagged: &&TaggedComponent| ![OrbType::ID, CodeSetComponentInfo::ID].contains(&tagged.id);
    profile.components.iter().filter(says_more).map(without_chance).collect()
}

/// The component without the chance octets that align its members. One that cannot be decoded stays
/// as it is.
fn without_chance(tagged: &TaggedComponent) -> TaggedComponent {
    let list = || {
        let mut list = CsiSecMechList::from_tagged(tagged).ok()??;
        for mechanism in &mut list.mechanisms {
            if let Some(plain) = plain_transport(&mechanism.transport) {
                mechanism.transport = plain;
            }
        }
        list.to_tagged().ok()
    };
    plain_transport(tagged).or_else(list).unwrap_or_else(|| tagged.clone())
}

/// A component with the address of a transport, encoded anew.
fn plain_transport(tagged: &TaggedComponent) -> Option<TaggedComponent> {
    fn again<C: Component>(tagged: &TaggedComponent) -> Option<TaggedComponent> {
        C::from_tagged(tagged).ok()??.to_tagged().ok()
    }
    again::<SslSecTrans>(tagged)
        .or_else(|| again::<TlsSecTrans>(tagged))
        .or_else(|| again::<AlternateAddress>(tagged))
}

impl Hash for Object {
    /// Hashes addresses and keys, but not the hints in keys of this ORB. Calls change none of
    /// these. A reference is therefore a valid key of a map, although clippy warns
    /// (`mutable_key_type`).
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Ok(reference) = self.reference() else { return };
        for profile in addresses(reference.ior()) {
            profile.id.hash(state);
            if profile.id == TAG_UIOP
                && let Ok(read) = UiopProfile::decode_data(&profile.data)
            {
                (read.rendezvous_point, read.object_key).hash(state);
                continue;
            }
            match IiopProfile::decode_data(&profile.data) {
                Ok(read) => {
                    if let Some(group) = group_in(&read) {
                        return group.hash(state);
                    }
                    (&read.host, read.port).hash(state);
                    ObjectKey::hash_same(&read.object_key, state);
                }
                Err(_) => profile.data.hash(state),
            }
        }
    }
}
