//! Routes: the targets that a call can go to, from the profiles of an IOR.
//!
//! The parsed profiles are in [`endpoint`](crate::client::endpoint).

use crate::client::endpoint::{Access, Member, read_profile};
use crate::client::request::{Name, ObjectAddress, TargetKey};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::Orb;
use armilla_giop::ior::Ior;
use armilla_giop::{AddressingDisposition, TargetAddress};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::{iter, ptr};

/// The targets of the calls through a reference: the addresses of its IOR, in their order.
///
/// A route is stored inline in its reference, so that a call reads no other memory of its object.
/// Most routes are one target with a short object key.
pub(crate) struct Route {
    first: Target,
}

/// The rarely used parts of a route.
struct RouteExtras {
    /// The index of the target that answered last.
    preferred: AtomicUsize,
    /// The targets after the first.
    others: Box<[Target]>,
    /// The reference of a temporary forward.
    forwarded: Option<Ior>,
    addressing: AddressingDisposition,
}

/// An object at one address.
pub(crate) struct Target {
    pub(crate) access: Arc<Access>,
    extras: Option<Box<TargetExtras>>,
    target_key: TargetKey,
    /// For the first target of a route: whether calls go there without any other check.
    fast: AtomicBool,
}

/// The rarely used parts of a target.
#[derive(Default)]
struct TargetExtras {
    name: Option<Name>,
    /// For the first target of a route.
    route_extras: Option<RouteExtras>,
}

impl Target {
    fn new(access: &Arc<Access>, address: TargetAddress<'_>) -> Self {
        let name = match address {
            TargetAddress::Key(key) => match TargetKey::of_key(access.version, key) {
                Some(target_key) if !access.has_numbers() => {
                    return Self::with_target_key(access, target_key);
                }
                _ => Name::Key(key.into()),
            },
            TargetAddress::Profile(profile) => Name::Profile(Box::new(profile.clone())),
            TargetAddress::Reference { selected, ior } => {
                Name::Reference(selected, Box::new(ior.clone()))
            }
        };
        let mut target = Self::with_target_key(access, TargetKey::unique());
        target.extras().name = Some(name);
        target
    }

    fn with_target_key(access: &Arc<Access>, target_key: TargetKey) -> Self {
        Self { access: access.clone(), extras: None, fast: AtomicBool::new(false), target_key }
    }

    fn extras(&mut self) -> &mut TargetExtras {
        self.extras.get_or_insert_default()
    }

    /// Whether the server has offered a connection for calls to this address.
    fn has_reverse_connection(&self) -> bool {
        let Access { endpoint, version, .. } = &*self.access;
        endpoint.reverse_connection(*version).is_some()
    }

    /// Whether it is the primary member of an object group.
    fn is_primary(&self) -> bool {
        self.access.member.is_some_and(|member| member.is_primary)
    }

    #[inline(always)]
    fn name(&self) -> Option<&Name> {
        self.extras.as_ref()?.name.as_ref()
    }

    fn is_protected(&self) -> bool {
        self.access.endpoint.address.is_protected()
    }

    fn is_in_clear(&self) -> bool {
        self.access.endpoint.address.is_in_clear()
    }

    /// How requests name the object.
    #[inline(always)]
    pub(crate) fn object(&self) -> ObjectAddress<'_> {
        ObjectAddress {
            version: self.access.version,
            target_key: &self.target_key,
            name: self.name(),
            numbers: self.access.numbers.as_ref(),
        }
    }
}

impl Route {
    /// The route to the object that `ior` denotes. `forwarded` is the reference of a temporary
    /// forward.
    pub(crate) fn new(
        orb: &Orb,
        ior: &Ior,
        forwarded: Option<&Ior>,
        addressing: AddressingDisposition,
    ) -> Result<Self, SystemException> {
        let (mut first, mut others) = (None, Vec::new());
        for (selected, tagged) in (0..).zip(&ior.profiles) {
            read_profile(orb, tagged, |accesses, key| {
                let address = match addressing {
                    AddressingDisposition::Key => TargetAddress::Key(key),
                    AddressingDisposition::Profile => TargetAddress::Profile(tagged),
                    AddressingDisposition::Reference => TargetAddress::Reference { selected, ior },
                };
                let mut targets = accesses.iter().map(|access| Target::new(access, address));
                first = first.take().or_else(|| targets.next());
                others.extend(targets);
            })?;
        }
        let first = first.ok_or_else(|| no_profile(ior))?;
        let (mut first, others) = without_clear_beside_protected(first, others);
        let short = others.is_empty() && forwarded.is_none();
        if !short || addressing != AddressingDisposition::Key {
            // Prefer a target whose server has offered a connection, then the primary of a group;
            // otherwise the first.
            let place = |is: fn(&Target) -> bool| iter::once(&first).chain(&others).position(is);
            let preferred =
                place(Target::has_reverse_connection).or_else(|| place(Target::is_primary));
            let preferred = AtomicUsize::new(preferred.unwrap_or(0));
            let (others, forwarded) = (others.into(), forwarded.cloned());
            first.extras().route_extras =
                Some(RouteExtras { preferred, others, forwarded, addressing });
        }
        Ok(Self { first })
    }

    /// The route to the object of `latest`, and to the same object at the addresses of `others` that are
    /// not among those. The first `tried` addresses come last.
    pub(super) fn to_any<'i>(
        orb: &Orb,
        latest: &'i Ior,
        others: impl Iterator<Item = &'i Ior>,
        tried: usize,
    ) -> Result<Self, SystemException> {
        let (mut all, mut seen) = (latest.clone(), Vec::new());
        for tagged in iter::once(latest).chain(others).flat_map(|ior| &ior.profiles) {
            let mut is_new = false;
            read_profile(orb, tagged, |accesses, _| {
                let is_unseen = |access: &Arc<Access>| {
                    !seen.iter().any(|known| Arc::ptr_eq(known, &access.endpoint))
                };
                is_new = accesses.iter().any(is_unseen);
                seen.extend(accesses.iter().map(|access| access.endpoint.clone()));
            })?;
            if is_new && !latest.profiles.contains(tagged) {
                all.profiles.push(tagged.clone());
            }
        }
        let route = Self::new(orb, &all, None, AddressingDisposition::Key)?;
        if let Some(route_extras) = route.route_extras().filter(|_| tried < route.len()) {
            route_extras.preferred.store(tried, Ordering::Relaxed);
        }
        Ok(route)
    }

    fn route_extras(&self) -> Option<&RouteExtras> {
        self.first.extras.as_ref()?.route_extras.as_ref()
    }

    /// Whether calls go by this route without any other check.
    #[inline(always)]
    pub(super) fn is_fast(&self) -> bool {
        self.first.fast.load(Ordering::Relaxed)
    }

    /// Sets whether calls go by this route without any other check.
    pub(super) fn set_fast(&self, fast: bool) {
        self.first.fast.store(fast, Ordering::Relaxed);
    }

    /// This route with another addressing mode. `permanent_ior` is the reference to use without a
    /// temporary forward.
    ///
    /// # Errors
    /// `COMM_FAILURE` when the route already has this addressing mode.
    pub(crate) fn readdressed(
        &self,
        orb: &Orb,
        permanent_ior: &Ior,
        wanted: AddressingDisposition,
    ) -> Result<Self, SystemException> {
        let addressing = self
            .route_extras()
            .map_or(AddressingDisposition::Key, |route_extras| route_extras.addressing);
        if wanted == addressing {
            let what = format!(
                "the server asks for the addressing mode {wanted:?}, which the request has used"
            );
            let kind = ExceptionKind::CommFailure;
            return Err(
                SystemException::new(kind, Minor::PROTOCOL_ERROR, Completion::No).with_reason(what)
            );
        }
        let forwarded = self.forwarded_to();
        let route = Self::new(orb, forwarded.unwrap_or(permanent_ior), forwarded, wanted)?;
        if let Some(route_extras) = route.route_extras() {
            route_extras
                .preferred
                .store(self.preferred_index().min(route_extras.others.len()), Ordering::Relaxed);
        }
        Ok(route)
    }

    /// Whether this route may take the place of the one `before`: what was asked of an object that is
    /// reached over protected connections never goes on in clear.
    ///
    /// # Errors
    /// `NO_PERMISSION` where it leads in clear to what was protected.
    pub(crate) fn check_protection(&self, before: &Self) -> Result<(), SystemException> {
        let protected = before.all().find(|target| target.is_protected());
        match protected.zip(self.all().find(|target| target.is_in_clear())) {
            Some((from, to)) => Err(leaves_protection(from, to)),
            None => Ok(()),
        }
    }

    /// Whether this is the route of a temporary forward.
    pub(crate) fn is_forwarded(&self) -> bool {
        self.forwarded_to().is_some()
    }

    /// The reference of a temporary forward.
    pub(super) fn forwarded_to(&self) -> Option<&Ior> {
        self.route_extras()?.forwarded.as_ref()
    }

    /// What it says of the object group to whose members it leads, if it leads to one.
    pub(in crate::client) fn group(&self) -> Option<&Member> {
        self.first.access.member.as_ref()
    }

    /// The target, if it is certain that there is no other.
    #[inline(always)]
    pub(crate) fn only(&self) -> Option<&Target> {
        self.first.extras.is_none().then_some(&self.first)
    }

    fn all(&self) -> impl Iterator<Item = &Target> {
        iter::once(&self.first).chain(self.others())
    }

    pub(crate) fn len(&self) -> usize {
        1 + self.others().len()
    }

    /// The target to try first.
    pub(crate) fn preferred(&self) -> &Target {
        self.only().unwrap_or_else(|| self.at(self.preferred_index()))
    }

    /// The index of the target to try first, for [`at`](Self::at).
    pub(super) fn preferred_index(&self) -> usize {
        self.route_extras().map_or(0, |route_extras| route_extras.preferred.load(Ordering::Relaxed))
    }

    /// The target at `index`, an index from [`preferred_index`](Self::preferred_index).
    pub(super) fn at(&self, index: usize) -> &Target {
        match index {
            0 => &self.first,
            _ => &self.others()[index - 1],
        }
    }

    fn others(&self) -> &[Target] {
        self.route_extras().map_or(&[], |route_extras| &route_extras.others)
    }

    /// Prefers the next target, unless another thread has already moved on from `failed`.
    pub(crate) fn prefer_next(&self, failed: &Target) {
        let Some(route_extras) = self.route_extras() else { return };
        let mut indexes = 0..self.len();
        let Some(index) = indexes.find(|index| ptr::eq(self.at(*index), failed)) else { return };
        let next = (index + 1) % self.len();
        // If the exchange fails, the choice of another thread stands.
        let _ = route_extras.preferred.compare_exchange(
            index,
            next,
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
    }
}

/// The targets of a reference without those in clear, if others of it are protected: a client never
/// falls back to a plain port, that of another member of a group included.
fn without_clear_beside_protected(first: Target, mut others: Vec<Target>) -> (Target, Vec<Target>) {
    if others.is_empty() || !iter::once(&first).chain(&others).any(Target::is_protected) {
        return (first, others);
    }
    others.retain(|target| !target.is_in_clear());
    match first.is_in_clear() {
        // One of them is protected.
        true => (others.remove(0), others),
        false => (first, others),
    }
}

#[cold]
fn leaves_protection(from: &Target, to: &Target) -> SystemException {
    let [from, to] = [from, to].map(|target| &target.access.endpoint.address);
    SystemException::new(ExceptionKind::NoPermission, Minor::TLS_NEEDED, Completion::No)
        .with_reason(format!("the call to {from} is forwarded to {to}, where there is no TLS"))
        .with_hint("the server there needs an endpoint ssliop://HOST:PORT")
}

/// The addresses of an IOR, for messages.
pub(super) fn describe(orb: &Orb, ior: &Ior) -> String {
    let read = ior.profiles.iter().filter_map(|p| orb.transports().read(p, orb.settings()));
    let addresses: Vec<_> = read.flatten().map(|(profile, _)| profile.address).collect();
    if addresses.is_empty() { "no known address".into() } else { addresses.join(", ") }
}

fn no_profile(ior: &Ior) -> SystemException {
    let what = match ior.profiles.len() {
        0 => "the reference has no profile".to_owned(),
        n => format!("no transport of this ORB knows any of the {n} profiles of the reference"),
    };
    SystemException::new(ExceptionKind::InvObjref, Minor::NO_USABLE_PROFILE, Completion::No)
        .with_reason(what)
}
