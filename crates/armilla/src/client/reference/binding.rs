//! The binding of a reference: whether its calls go to the reference's own addresses or to those of
//! a forward.
//!
//! [`Route`](super::route) chooses among the addresses of one binding.

use super::extension::{CallSelector, ClientExtension};
use super::object::Reference;
use super::route::{Route, Target};
use crate::client::request::{Addressed, ObjectAddress};
use crate::exception::SystemException;
use crate::object_key::KeyOctets;
use crate::sync::lock;
use arc_swap::ArcSwapOption;
use armilla_giop::AddressingDisposition;
use armilla_giop::ior::Ior;
use once_cell::race::OnceBox;
use std::collections::VecDeque;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The current binding of a reference.
///
/// Most references are never forwarded. Their route is stored inline, so that a call finds it
/// without following a pointer.
#[derive(Default)]
#[repr(C)]
pub(in crate::client) struct Binding {
    /// The route to the reference's own addresses, set by the first call.
    first: OnceLock<Route>,
    /// Allocated at the first forward.
    forwarding: OnceBox<Forwarding>,
}

/// Where servers have forwarded the calls.
#[derive(Default)]
struct Forwarding {
    /// Held while the binding changes: `active` and the fast flag of `first` must agree.
    change_lock: Mutex<()>,
    /// Whether calls go by the forward and not by the first route.
    active: AtomicBool,
    /// The route of the forward; `None` when it must be built from `permanent_ior`.
    forwarded: ArcSwapOption<Route>,
    /// The reference from LOCATION_FORWARD_PERM; calls use it in place of the reference's own IOR.
    permanent_ior: ArcSwapOption<Ior>,
    /// The permanent references before that one, the last first.
    earlier: Mutex<VecDeque<Arc<Ior>>>,
    /// Set if an extension has attached to the reference.
    selector: OnceLock<Arc<dyn CallSelector>>,
    /// Set if another extension than that of the ORB looks at where calls are forwarded.
    extension: OnceLock<Arc<dyn ClientExtension>>,
    /// Set while calls go by a forward to a reference to which an extension attaches.
    forward_selector: ArcSwapOption<Arc<dyn CallSelector>>,
}

impl Forwarding {
    fn lock_changes(&self) -> MutexGuard<'_, ()> {
        self.change_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many permanent references a binding remembers beside the latest.
const MOST_EARLIER: usize = 3;

/// A route, held for the duration of a call.
pub(in crate::client) enum RouteRef<'r> {
    First(&'r Route),
    Forwarded(Arc<Route>),
}

impl Deref for RouteRef<'_> {
    type Target = Route;

    fn deref(&self) -> &Route {
        match self {
            Self::First(route) => route,
            Self::Forwarded(route) => route,
        }
    }
}

/// The target of an attempt; it may outlive the caller.
#[derive(Clone)]
pub(in crate::client) struct AttemptTarget {
    reference: Arc<Reference>,
    /// `None` for the first route.
    forwarded: Option<Arc<Route>>,
    /// The index of the target in its route.
    index: usize,
    /// Whether the target is collocated, that is, an object of this process.
    collocated: bool,
}

impl AttemptTarget {
    /// The target that calls through `reference` go to now.
    pub(in crate::client) fn of(reference: &Arc<Reference>) -> Result<Self, SystemException> {
        let bound = reference.route()?;
        let index = bound.preferred_index();
        let collocated = reference.is_collocated() && reference.is_route_collocated(&bound);
        let forwarded = match bound {
            RouteRef::First(_) => None,
            RouteRef::Forwarded(route) => Some(route),
        };
        Ok(Self { reference: reference.clone(), forwarded, index, collocated })
    }

    /// Whether the target is an object of this process.
    pub(in crate::client) const fn is_collocated(&self) -> bool {
        self.collocated
    }

    pub(in crate::client) fn route(&self) -> &Route {
        let first = || self.reference.binding.first.get();
        // The call found the first route, and a route is never removed once set.
        self.forwarded.as_deref().or_else(first).expect("a call went by a route")
    }

    pub(in crate::client) fn target(&self) -> &Target {
        self.route().at(self.index)
    }

    /// The route and the target, unless the latter is an object of this process.
    pub(in crate::client) fn remote(&self) -> Option<(&Route, &Target)> {
        (!self.collocated).then(|| (self.route(), self.target()))
    }
}

impl Addressed for AttemptTarget {
    fn object_address(&self) -> ObjectAddress<'_> {
        self.target().object()
    }
}

impl Binding {
    /// Whether a call has set the first route.
    pub(in crate::client) fn is_set(&self) -> bool {
        self.first.get().is_some()
    }

    /// Whether calls currently go by a forward.
    pub(super) fn is_changed(&self) -> bool {
        self.forwarding().is_some()
    }

    fn selector(&self) -> Option<&Arc<dyn CallSelector>> {
        self.forwarding.get()?.selector.get()
    }

    /// Attaches a selector to a new reference.
    pub(super) fn attach(&self, selector: Arc<dyn CallSelector>) {
        self.forwarding.get_or_init(Box::default).selector.get_or_init(|| selector);
    }

    /// Has `extension` look at where calls are forwarded, instead of that of the ORB.
    pub(super) fn set_extension(&self, extension: Arc<dyn ClientExtension>) {
        self.forwarding.get_or_init(Box::default).extension.get_or_init(|| extension);
    }

    /// The forward, if calls go by it.
    fn forwarding(&self) -> Option<&Forwarding> {
        self.forwarding.get().filter(|forwarding| forwarding.active.load(Ordering::Acquire))
    }

    /// The reference that replaces the reference's own, after LOCATION_FORWARD_PERM.
    pub(crate) fn permanent_ior(&self) -> Option<Arc<Ior>> {
        self.forwarding.get()?.permanent_ior.load_full()
    }

    /// What chooses a copy for each call while calls go by a forward, if an extension attaches to
    /// where that leads.
    pub(in crate::client) fn forward_selector(&self) -> Option<Arc<dyn CallSelector>> {
        Some(Arc::clone(&*self.forwarding.get()?.forward_selector.load_full()?))
    }

    /// Directs calls to `route` from now on; each is chosen by `selector`, if there is one.
    pub(in crate::client) fn change(&self, route: Route, selector: Option<Arc<dyn CallSelector>>) {
        let forwarding = self.forwarding.get_or_init(Box::default);
        let _changes = forwarding.lock_changes();
        forwarding.forwarded.store(Some(Arc::new(route)));
        forwarding.forward_selector.store(selector.map(Arc::new));
        forwarding.active.store(true, Ordering::Release);
        self.first.get().inspect(|first| first.set_fast(false));
    }

    /// Makes `permanent_ior` the reference to build routes from.
    pub(in crate::client) fn set_permanent_ior(&self, permanent_ior: Ior) {
        let forwarding = self.forwarding.get_or_init(Box::default);
        let before = forwarding.permanent_ior.swap(Some(Arc::new(permanent_ior)));
        let mut earlier = lock(&forwarding.earlier);
        earlier.truncate(MOST_EARLIER - 1);
        before.into_iter().for_each(|before| earlier.push_front(before));
    }

    /// The permanent references before the one from which routes are built.
    fn earlier(&self) -> Vec<Arc<Ior>> {
        let earlier = |forwarding: &Forwarding| lock(&forwarding.earlier).iter().cloned().collect();
        self.forwarding.get().map(earlier).unwrap_or_default()
    }

    /// Directs calls to the reference's own addresses again, or to those of the permanent forward.
    /// `leaves` tells whether the reference's own object is outside the process.
    pub(in crate::client) fn fall_back(&self, leaves: bool) {
        let Some(forwarding) = self.forwarding.get() else { return };
        let _changes = forwarding.lock_changes();
        forwarding.forward_selector.store(None);
        if forwarding.permanent_ior.load().is_some() {
            return forwarding.forwarded.store(None);
        }
        forwarding.active.store(false, Ordering::Release);
        let fast = leaves && forwarding.selector.get().is_none();
        self.first.get().inspect(|first| first.set_fast(fast && first.group().is_none()));
    }
}

impl Reference {
    /// Whether calls through this reference go to an object of this process, and stay in it.
    pub(crate) fn stays_here(&self) -> bool {
        self.is_collocated()
            && (!self.binding.is_changed()
                || self.route().is_ok_and(|bound| self.is_route_collocated(&bound)))
    }

    /// The key of the object of this process to which calls through this reference go.
    pub(in crate::client) fn key_here(&self) -> Option<KeyOctets> {
        if self.stays_here() { self.local_key() } else { None }
    }

    /// Whether `route` ends at an object of this process.
    fn is_route_collocated(&self, route: &Route) -> bool {
        let permanent_ior = self.binding.permanent_ior();
        let ior = route.forwarded_to().or(permanent_ior.as_deref());
        ior.is_none_or(|ior| self.orb.local_key(ior).is_some())
    }

    /// The reference that calls by `route` go to; `permanent` is the one that replaces its own.
    pub(in crate::client) fn ior_of<'r>(
        &'r self,
        route: &'r Route,
        permanent: Option<&'r Ior>,
    ) -> &'r Ior {
        route.forwarded_to().or(permanent).unwrap_or_else(|| self.ior())
    }

    /// The route that calls go by now.
    pub(in crate::client) fn route(&self) -> Result<RouteRef<'_>, SystemException> {
        self.fast_route().map_or_else(|| self.find_route(), |first| Ok(RouteRef::First(first)))
    }

    /// The first route, for an object outside the process. `None` before the first call and after a
    /// forward.
    #[inline(always)]
    pub(in crate::client) fn fast_route(&self) -> Option<&Route> {
        self.binding.first.get().filter(|route| route.is_fast())
    }

    #[cold]
    pub(super) fn find_route(&self) -> Result<RouteRef<'_>, SystemException> {
        let binding = &self.binding;
        let lead = |ior: &Ior| Route::new(&self.orb, ior, None, AddressingDisposition::Key);
        if let Some(forwarding) = binding.forwarding() {
            if let Some(route) = forwarding.forwarded.load_full() {
                return Ok(RouteRef::Forwarded(route));
            }
            if let Some(permanent_ior) = forwarding.permanent_ior.load_full() {
                let route = Arc::new(lead(&permanent_ior)?);
                forwarding.forwarded.store(Some(route.clone()));
                return Ok(RouteRef::Forwarded(route));
            }
        }
        if let Some(first) = binding.first.get() {
            return Ok(RouteRef::First(first));
        }
        let first = lead(self.ior())?;
        let plain = binding.selector().is_none() && first.group().is_none();
        let fast = !self.is_collocated() && plain;
        first.set_fast(fast);
        Ok(RouteRef::First(binding.first.get_or_init(|| first)))
    }

    /// The selector of an extension that has attached to this reference, or to where its calls are
    /// forwarded. The extension is asked before the first call, and with each forward.
    ///
    /// # Errors
    /// Those of the extension.
    #[cold]
    pub(in crate::client) fn selector(
        &self,
    ) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        let binding = &self.binding;
        if let Some(selector) = binding.forward_selector() {
            return Ok(Some(selector));
        }
        if let Some(selector) = binding.selector() {
            return Ok(Some(selector.clone()));
        }
        let Some(extension) = self.orb.client_extension() else { return Ok(None) };
        if binding.is_set() || self.is_collocated() {
            return Ok(None);
        }
        let Some(selector) = extension.attach(&self.orb, self.ior())? else { return Ok(None) };
        let forwarding = binding.forwarding.get_or_init(Box::default);
        Ok(Some(forwarding.selector.get_or_init(|| selector).clone()))
    }

    /// The selector of an extension that attaches to `ior`, where calls are forwarded.
    ///
    /// # Errors
    /// Those of the extension.
    pub(in crate::client) fn selector_of_forward(
        &self,
        ior: &Ior,
    ) -> Result<Option<Arc<dyn CallSelector>>, SystemException> {
        let own = self.binding.forwarding.get().and_then(|forwarding| forwarding.extension.get());
        match own.or_else(|| self.orb.client_extension()) {
            Some(extension) if self.orb.local_key(ior).is_none() => {
                extension.attach(&self.orb, ior)
            }
            _ => Ok(None),
        }
    }

    /// Directs calls to all members of a group that any of its references has named, because none that
    /// `route` leads to can be reached. Members that the latest view did not have may have joined
    /// again, and know the group.
    ///
    /// # Errors
    /// None that `route` did not have.
    #[cold]
    pub(in crate::client) fn widen(&self, route: &Route) -> Result<(), SystemException> {
        let binding = &self.binding;
        let Some(latest) = binding.permanent_ior().filter(|_| !route.is_forwarded()) else {
            return Ok(());
        };
        if binding.forward_selector().is_some() {
            return Ok(());
        }
        let earlier = binding.earlier();
        let known = earlier.iter().map(|ior| &**ior).chain([self.ior()]);
        let wide = Route::to_any(&self.orb, &latest, known, route.len())?;
        if wide.len() > route.len() {
            binding.change(wide, None);
        }
        Ok(())
    }

    /// Gives up a forward to a reference to which an extension attaches, after a call that has
    /// failed there: the next one begins at the reference's own addresses. Whether there was one.
    pub(in crate::client) fn leave_forward(&self) -> bool {
        let is_led = self.binding.forward_selector().is_some();
        if is_led {
            self.binding.fall_back(!self.is_collocated());
        }
        is_led
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Orb;
    use std::sync::Barrier;
    use std::thread;

    #[test]
    fn a_forward_and_a_fall_back_at_once_leave_a_consistent_binding() {
        let orb = Orb::new().unwrap();
        let object = orb.string_to_object("corbaloc::127.0.0.1:1/key").unwrap();
        let reference = object.reference().unwrap();
        let binding = &reference.binding;
        let elsewhere = || {
            let key = AddressingDisposition::Key;
            Route::new(&orb, reference.ior(), Some(reference.ior()), key).unwrap()
        };
        reference.route().unwrap();
        let ready = Barrier::new(2);
        for _ in 0..2_000 {
            thread::scope(|scope| {
                scope.spawn(|| {
                    let route = elsewhere();
                    ready.wait();
                    binding.change(route, None);
                });
                ready.wait();
                binding.fall_back(true);
            });
            assert_eq!(binding.is_changed(), reference.fast_route().is_none());
        }
    }
}
