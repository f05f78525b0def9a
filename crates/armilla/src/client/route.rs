//! From the profiles of an IOR to the places that a call can go to.

use super::endpoint::Endpoint;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::operations::{Numbers, OperationNames};
use crate::orb::{ARMILLA_ORB_TYPE, Orb};
use crate::poa::put_operation_number;
use crate::settings::Settings;
use crate::transport::{ObjectProfile, Place};
use armilla_cdr::CodeSet;
use armilla_giop::ior::{CodeSetComponentInfo, Component, Ior, OrbType, TaggedProfile};
use armilla_giop::{AddressingDisposition, CodeSetContext, TargetAddress, Version};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Where the calls through a reference go: the addresses of its IOR in their order.
pub(crate) struct Route {
    targets: Box<[Target]>,
    /// Which of them answered last.
    preferred: AtomicUsize,
    /// The reference of a server that sent us here, when the call's own says something else.
    forwarded: Option<Box<Ior>>,
    addressing: AddressingDisposition,
}

/// An object at one address.
pub(crate) struct Target {
    /// Unlike that of any other target of this process.
    pub(crate) id: u64,
    pub(crate) endpoint: Arc<Endpoint>,
    pub(crate) version: Version,
    name: Name,
    /// The numbers of operations that its requests say.
    numbers: Option<Arc<Numbers>>,
}

/// How requests name the object.
#[derive(Clone)]
enum Name {
    Key(Box<[u8]>),
    Profile(Box<TaggedProfile>),
    Reference(u32, Arc<Ior>),
}

impl Target {
    /// The object, as requests name it.
    pub(crate) fn address(&self) -> TargetAddress<'_> {
        match &self.name {
            Name::Key(key) => TargetAddress::Key(key),
            Name::Profile(profile) => TargetAddress::Profile(profile),
            Name::Reference(selected, ior) => TargetAddress::Reference { selected: *selected, ior },
        }
    }

    /// The key, where requests name the object by that alone.
    pub(super) fn plain_key(&self) -> Option<&[u8]> {
        match &self.name {
            Name::Key(key) if self.numbers.is_none() => Some(key),
            _ => None,
        }
    }

    /// The key with the number of `operation`, where requests say that.
    pub(crate) fn numbered_key(&self, operation: &str) -> Option<Vec<u8>> {
        let (Name::Key(key), Some(numbers)) = (&self.name, &self.numbers) else { return None };
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
            let Some(read) = orb.transports().read(tagged, orb.settings()) else { continue };
            let (profile, places) = read.map_err(|error| {
                SystemException::new(ExceptionKind::InvObjref, Minor::NO_PROFILE, Completion::No)
                    .because(format!("a profile of the reference is malformed: {error}"))
            })?;
            let name = match (addressing, &whole) {
                (AddressingDisposition::Profile, _) => Name::Profile(Box::new(tagged.clone())),
                (AddressingDisposition::Reference, Some(ior)) => {
                    Name::Reference(index, ior.clone())
                }
                _ => Name::Key(profile.object_key.clone().into()),
            };
            targets.extend(profile_targets(&profile, &places, &name, orb)?);
        }
        if targets.is_empty() {
            return Err(no_profile(ior));
        }
        // One that the server itself has connected to us for, else the first.
        let claimed = |target: &Target| target.endpoint.claimed(target.version).is_some();
        let preferred = AtomicUsize::new(targets.iter().position(claimed).unwrap_or(0));
        let targets = targets.into();
        let forwarded = forwarded.map(|ior| Box::new(ior.clone()));
        Ok(Self { targets, preferred, forwarded, addressing })
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
        if wanted == self.addressing {
            let what = format!("the server wants objects named by {wanted:?}, as this one was");
            let kind = ExceptionKind::CommFailure;
            return Err(
                SystemException::new(kind, Minor::PROTOCOL_ERROR, Completion::No).because(what)
            );
        }
        let forwarded = self.forwarded.as_deref();
        let route = Self::new(orb, forwarded.unwrap_or(home), forwarded, wanted)?;
        let preferred = self.preferred.load(Ordering::Relaxed).min(route.targets.len() - 1);
        route.preferred.store(preferred, Ordering::Relaxed);
        Ok(route)
    }

    /// Whether a server sent us here and the call's own reference says something else.
    pub(crate) const fn is_forwarded(&self) -> bool {
        self.forwarded.is_some()
    }

    /// The reference that a server sent us to, if one did.
    pub(crate) fn forwarded_to(&self) -> Option<&Ior> {
        self.forwarded.as_deref()
    }

    pub(crate) fn len(&self) -> usize {
        self.targets.len()
    }

    /// The target to try first.
    #[inline]
    pub(crate) fn preferred(&self) -> &Target {
        // Always below the length, which is at least one.
        &self.targets[self.preferred.load(Ordering::Relaxed)]
    }

    /// Which target to try first, for [`at`](Self::at).
    pub(crate) fn preferred_place(&self) -> usize {
        self.preferred.load(Ordering::Relaxed)
    }

    /// The target at `place`, which came from [`preferred_place`](Self::preferred_place).
    pub(crate) fn at(&self, place: usize) -> &Target {
        &self.targets[place]
    }

    /// Goes on to the next target, unless another thread has already left `failed`.
    pub(crate) fn leave(&self, failed: &Target) {
        let Some(index) = self.targets.iter().position(|target| target.id == failed.id) else {
            return;
        };
        let next = (index + 1) % self.targets.len();
        // When the exchange fails another thread has chosen, and its choice stands.
        let _ = self.preferred.compare_exchange(index, next, Ordering::Relaxed, Ordering::Relaxed);
    }
}

fn profile_targets(
    profile: &ObjectProfile,
    places: &[Place],
    name: &Name,
    orb: &Orb,
) -> Result<Vec<Target>, SystemException> {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    let version = profile.version.min(orb.settings().max_giop);
    // In GIOP 1.0 nothing is agreed.
    let agrees = version >= Version::V1_1;
    let code_sets = if agrees { code_sets(profile, orb.settings())? } else { None };
    let numbers = component::<OperationNames>(profile).map(|names| Arc::new(names.into()));
    let targets = places.iter().map(|place| Target {
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        endpoint: orb.client().endpoint(place, code_sets),
        version,
        name: name.clone(),
        numbers: numbers.clone(),
    });
    Ok(targets.collect())
}

/// The code sets to agree on with the server of `profile`; `None` where the profile says nothing,
/// and then nothing is agreed and ISO 8859-1 holds (CORBA 3.4 Part 2, 7.10.2.6).
///
/// Servers usually name ISO 8859-1 as theirs, in which every octet of an IDL `char` is a character,
/// so that is what it usually comes to. Our own kind has the strings of Unicode in memory, whatever
/// its native code set is, and takes any octet for a `char`: there UTF-8 is chosen where it can be.
fn code_sets(
    profile: &ObjectProfile,
    settings: &Settings,
) -> Result<Option<CodeSetContext>, SystemException> {
    let Some(offered) = component::<CodeSetComponentInfo>(profile) else { return Ok(None) };
    let mut agreed =
        CodeSetContext::choose(&offered, settings.native_code_sets()).map_err(|error| {
            SystemException::new(ExceptionKind::CodesetIncompatible, Minor::OMG_1, Completion::No)
                .because(error.to_string())
        })?;
    let ours = matches!(component(profile), Some(OrbType(ARMILLA_ORB_TYPE)));
    if ours && offered.char.conversion.contains(&CodeSet::Utf8.id()) {
        agreed.char = CodeSet::Utf8.id();
    }
    Ok(Some(agreed))
}

/// The first component of this type, unless it is malformed.
fn component<C: Component>(profile: &ObjectProfile) -> Option<C> {
    profile.components.iter().find_map(|component| C::from_tagged(component).transpose())?.ok()
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
