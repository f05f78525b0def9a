//! How requests name their object.

use crate::object_key::put_operation_number;
use crate::operations::Numbers;
use armilla_giop::ior::{Ior, TaggedProfile};
use armilla_giop::{TargetAddress, Version};
use std::sync::atomic::{AtomicU64, Ordering};

/// An object as the requests to one address name it.
#[derive(Clone, Copy)]
pub(crate) struct ObjectAddress<'t> {
    /// The GIOP version of the requests.
    pub(in crate::client) version: Version,
    pub(in crate::client) target_key: &'t TargetKey,
    /// The name, if the target key does not contain it.
    pub(in crate::client) name: Option<&'t Name>,
    /// The operation numbers that requests may use in place of operation names.
    pub(in crate::client) numbers: Option<&'t Numbers>,
}

/// What has an address for requests, and may outlive the caller.
pub(in crate::client) trait Addressed: Send + Sync {
    /// How requests name the object.
    fn object_address(&self) -> ObjectAddress<'_>;
}

/// The address of an object in requests, where the [`TargetKey`] does not contain it.
pub(in crate::client) enum Name {
    Key(Box<[u8]>),
    Profile(Box<TaggedProfile>),
    Reference(u32, Box<Ior>),
}

/// Identifies the object of a target, so that a request template can be reused for it. It contains
/// the GIOP version and the object key, if the key is short. Otherwise it contains a number that is
/// unique in the process. It is small so that the part of a reference that a call reads fits into
/// 64 octets.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::client) struct TargetKey([u8; 3 + SHORT]);

/// The longest object key that fits into a target key, in octets.
const SHORT: usize = 28;

impl TargetKey {
    /// `None` if the object key is too long or empty.
    pub(in crate::client) fn of_key(version: Version, key: &[u8]) -> Option<Self> {
        let mut octets = [0; SHORT];
        octets.get_mut(..key.len())?.copy_from_slice(key);
        Some(Self::new(version, key.len() as u8, octets)).filter(|_| !key.is_empty())
    }

    /// A target key that is unlike any other.
    pub(in crate::client) fn unique() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut octets = [0; SHORT];
        octets[..8].copy_from_slice(&NEXT.fetch_add(1, Ordering::Relaxed).to_ne_bytes());
        Self::new(Version { major: 0, minor: 0 }, 0, octets)
    }

    fn new(Version { major, minor }: Version, len: u8, octets: [u8; SHORT]) -> Self {
        let mut target_key = [0; 3 + SHORT];
        (target_key[0], target_key[1], target_key[2]) = (major, minor, len);
        target_key[3..].copy_from_slice(&octets);
        Self(target_key)
    }

    fn key(&self) -> Option<&[u8]> {
        let [_, _, len, octets @ ..] = &self.0;
        octets.get(..usize::from(*len)).filter(|key| !key.is_empty())
    }
}

impl<'t> ObjectAddress<'t> {
    fn key(&self) -> Option<&'t [u8]> {
        self.target_key.key().or_else(|| match self.name? {
            Name::Key(key) => Some(&**key),
            Name::Profile(_) | Name::Reference(..) => None,
        })
    }

    /// The address of the object in requests.
    pub(crate) fn named(&self) -> TargetAddress<'t> {
        match self.name {
            Some(Name::Profile(profile)) => TargetAddress::Profile(profile),
            Some(Name::Reference(selected, ior)) => {
                TargetAddress::Reference { selected: *selected, ior }
            }
            Some(Name::Key(_)) | None => TargetAddress::Key(self.key().unwrap_or_default()),
        }
    }

    /// The object key, if requests name the object by it alone.
    pub(super) fn plain_key(&self) -> Option<&'t [u8]> {
        if self.numbers.is_some() {
            return None;
        }
        self.key()
    }

    /// The object key with the number of `operation`, if requests use operation numbers.
    pub(super) fn numbered_key(&self, operation: &str) -> Option<Vec<u8>> {
        let (Some(key), Some(numbers)) = (self.key(), self.numbers) else {
            return None;
        };
        let mut key = key.to_vec();
        put_operation_number(&mut key, numbers.of(operation)?);
        Some(key)
    }
}
