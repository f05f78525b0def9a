//! From the profiles of an IOR to the places that a call can go to.

use super::access::{self, Access};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::orb::Orb;
use crate::poa::put_operation_number;
use armilla_giop::ior::{Ior, TaggedProfile};
use armilla_giop::{AddressingDisposition, TargetAddress};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Where the calls through a reference go: the addresses of its IOR in their order.
///
/// It lies within the reference, so that a call waits for no other memory that is this object's
/// alone: most routes are one target with a short key.
pub(crate) struct Route {
    /// Which of the targets answered last.
    preferred: AtomicUsize,
    first: Target,
    rest: Option<Box<Rest>>,
}

/// What few routes have.
struct Rest {
    /// The targets behind the first.
    others: Box<[Target]>,
    /// The reference of a server that sent us here, when the call's own says something else.
    forwarded: Option<Ior>,
    addressing: AddressingDisposition,
}

/// An object at one address.
pub(crate) struct Target {
    /// Unlike that of any other target of this process.
    pub(crate) id: u64,
    pub(crate) access: Arc<Access>,
    name: Name,
}

/// How requests name the object.
#[derive(Clone)]
enum Name {
    /// By a key of so many octets, the first of these.
    ShortKey(u8, [u8; SHORT]),
    Key(Box<[u8]>),
    Profile(Box<TaggedProfile>),
    Reference(u32, Arc<Ior>),
}

/// How long a key may be to lie within the name: as long as the name has room anyway.
const SHORT: usize = 30;

impl Name {
    fn of_key(key: &[u8]) -> Self {
        let mut octets = [0; SHORT];
        match (octets.get_mut(..key.len()), u8::try_from(key.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(key);
                Self::ShortKey(len, octets)
            }
            _ => Self::Key(key.into()),
        }
    }

    #[inline]
    fn key(&self) -> Option<&[u8]> {
        match self {
            Self::ShortKey(len, octets) => octets.get(..usize::from(*len)),
            Self::Key(key) => Some(key),
            Self::Profile(_) | Self::Reference(..) => None,
        }
    }
}

impl Target {
    fn new(access: &Arc<Access>, name: Name) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        Self { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), access: access.clone(), name }
    }

    /// The object, as requests name it.
    pub(crate) fn address(&self) -> TargetAddress<'_> {
        match &self.name {
            Name::Profile(profile) => TargetAddress::Profile(profile),
            Name::Reference(selected, ior) => TargetAddress::Reference { selected: *selected, ior },
            name @ (Name::ShortKey(..) | Name::Key(_)) => {
                TargetAddress::Key(name.key().unwrap_or_default())
            }
        }
    }

    /// The key, where requests name the object by that alone.
    #[inline]
    pub(super) fn plain_key(&self) -> Option<&[u8]> {
        self.name.key().filter(|_| self.access.numbers.is_none())
    }

    /// The key with the number of `operation`, where requests say that.
    pub(crate) fn numbered_key(&self, operation: &str) -> Option<Vec<u8>> {
        let (Some(key), Some(numbers)) = (self.name.key(), &self.access.numbers) else {
            return None;
        };
        let mut key = key.to_vec();
        put_operation_number(&mut key, numbers.of(operation)?);
        Some(key)
    }
}

impl Route {
    /// The route to the object that `ior` denotes. It is remembered where a server sent us there.
    pub(crate) fn new(
        orb: &Orb,
        ior: &Ior,
        forwarded: Option<&Ior>,
        addressing: AddressingDisposition,
    ) -> Result<Self, SystemException> {
        let mut targets = Vec::new();
        // Shared by the targets, where requests are to carry it.
        let whole = (addressing == AddressingDisposition::Reference).then(|| Arc::new(ior.clone()));
        for (index, tagged) in (0..).zip(&ior.profiles) {
            let Some((accesses, key)) = access::read(orb, tagged)? else { continue };
            let name = match (addressing, &whole) {
                (AddressingDisposition::Profile, _) => Name::Profile(Box::new(tagged.clone())),
                (AddressingDisposition::Reference, Some(ior)) => {
                    Name::Reference(index, ior.clone())
                }
                _ => Name::of_key(&key),
            };
            targets.extend(accesses.iter().map(|access| Target::new(access, name.clone())));
        }
        // One that the server itself has connected to us for, else the first.
        let claimed = |target: &Target| {
            let Access { endpoint, version, .. } = &*target.access;
            endpoint.claimed(*version).is_some()
        };
        let preferred = AtomicUsize::new(targets.iter().position(claimed).unwrap_or(0));
        let mut targets = targets.into_iter();
        let first = targets.next().ok_or_else(|| no_profile(ior))?;
        let (others, forwarded) = (targets.collect::<Box<[_]>>(), forwarded.cloned());
        let usual = others.is_empty() && forwarded.is_none();
        let rest = (!usual || addressing != AddressingDisposition::Key)
            .then(|| Box::new(Rest { others, forwarded, addressing }));
        Ok(Self { preferred, first, rest })
    }

    /// The same route with the object named in another way; `home` is the call's own reference.
    ///
    /// # Errors
    /// `COMM_FAILURE` when it was named in this way already.
    #[cold]
    pub(crate) fn readdressed(
        &self,
        orb: &Orb,
        home: &Ior,
        wanted: AddressingDisposition,
    ) -> Result<Self, SystemException> {
        let addressing = self.rest.as_ref().map_or(AddressingDisposition::Key, |r| r.addressing);
        if wanted == addressing {
            let what = format!("the server wants objects named by {wanted:?}, as this one was");
            let kind = ExceptionKind::CommFailure;
            return Err(
                SystemException::new(kind, Minor::PROTOCOL_ERROR, Completion::No).because(what)
            );
        }
        let forwarded = self.forwarded_to();
        let route = Self::new(orb, forwarded.unwrap_or(home), forwarded, wanted)?;
        let preferred = self.preferred.load(Ordering::Relaxed).min(route.len() - 1);
        route.preferred.store(preferred, Ordering::Relaxed);
        Ok(route)
    }

    /// Whether a server sent us here and the call's own reference says something else.
    pub(crate) fn is_forwarded(&self) -> bool {
        self.forwarded_to().is_some()
    }

    /// The reference that a server sent us to, if one did.
    pub(crate) fn forwarded_to(&self) -> Option<&Ior> {
        self.rest.as_ref()?.forwarded.as_ref()
    }

    pub(crate) fn len(&self) -> usize {
        1 + self.others().len()
    }

    /// The target to try first.
    #[inline]
    pub(crate) fn preferred(&self) -> &Target {
        self.at(self.preferred_place())
    }

    /// Which target to try first, for [`at`](Self::at).
    #[inline]
    pub(crate) fn preferred_place(&self) -> usize {
        self.preferred.load(Ordering::Relaxed)
    }

    /// The target at `place`, which came from [`preferred_place`](Self::preferred_place).
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &Target {
        match place {
            0 => &self.first,
            _ => &self.others()[place - 1],
        }
    }

    fn others(&self) -> &[Target] {
        self.rest.as_ref().map_or(&[], |rest| &rest.others)
    }

    /// Goes on to the next target, unless another thread has already left `failed`.
    pub(crate) fn leave(&self, failed: &Target) {
        let mut places = 0..self.len();
        let Some(place) = places.find(|place| self.at(*place).id == failed.id) else { return };
        let next = (place + 1) % self.len();
        // When the exchange fails another thread has chosen, and its choice stands.
        let _ = self.preferred.compare_exchange(place, next, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// The addresses of an IOR in words.
pub(crate) fn describe(orb: &Orb, ior: &Ior) -> String {
    let read = ior.profiles.iter().filter_map(|p| orb.transports().read(p, orb.settings()));
    let places: Vec<_> = read.flatten().map(|(profile, _)| profile.address).collect();
    if places.is_empty() { "no address that is known".into() } else { places.join(", ") }
}

fn no_profile(ior: &Ior) -> SystemException {
    let what = match ior.profiles.len() {
        0 => "the reference has no profile".to_owned(),
        n => format!("no transport of this ORB knows any of the {n} profiles of the reference"),
    };
    SystemException::new(ExceptionKind::InvObjref, Minor::NO_PROFILE, Completion::No).because(what)
}
