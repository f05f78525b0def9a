//! Where the calls through a reference go at present: to its own addresses, or to where a server has
//! sent them.

use super::route::{Route, Target};
use crate::client::Reference;
use crate::exception::SystemException;
use arc_swap::ArcSwapOption;
use armilla_giop::AddressingDisposition;
use armilla_giop::ior::Ior;
use once_cell::race::OnceBox;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The present binding of a reference's calls.
///
/// Most references are never forwarded. Their calls find the route beside what else they read of the
/// reference.
#[derive(Default)]
#[repr(C)]
pub(crate) struct Binding {
    /// By the reference's own addresses, once the first call has found it out.
    first: OnceLock<Route>,
    /// Made when a server sends calls elsewhere for the first time.
    forwarding: OnceBox<Forwarding>,
}

/// Where a server has sent the calls.
#[derive(Default)]
struct Forwarding {
    /// Held by who changes the binding: it is told in two places.
    turning: Mutex<()>,
    /// Whether calls do not go by the first route.
    taken: AtomicBool,
    /// Where they go instead; nowhere when that is to be found out from `permanent_ior`.
    later: ArcSwapOption<Route>,
    /// What takes the place of the IOR for calls, since a server said so.
    permanent_ior: ArcSwapOption<Ior>,
}

impl Forwarding {
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turning.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A route for as long as a call uses it.
pub(crate) enum RouteRef<'r> {
    First(&'r Route),
    Later(Arc<Route>),
}

impl Deref for RouteRef<'_> {
    type Target = Route;

    fn deref(&self) -> &Route {
        match self {
            Self::First(route) => route,
            Self::Later(route) => route,
        }
    }
}

/// Where a call went that outlives who made it.
#[derive(Clone)]
pub(super) struct AttemptTarget {
    reference: Arc<Reference>,
    /// Nothing where it went by the first route.
    later: Option<Arc<Route>>,
    /// Which of the targets it was.
    place: usize,
    /// Whether that is an object of this process.
    here: bool,
}

impl AttemptTarget {
    /// Where calls through `reference` go now.
    pub(super) fn of(reference: &Arc<Reference>) -> Result<Self, SystemException> {
        let bound = reference.route()?;
        let place = bound.preferred_place();
        let later = match bound {
            RouteRef::First(_) => None,
            RouteRef::Later(route) => Some(route),
        };
        let here = reference.is_near()
            && match &later {
                None => true,
                Some(route) => reference.leads_here(route),
            };
        Ok(Self { reference: reference.clone(), later, place, here })
    }

    /// Whether it was to an object of this process.
    pub(super) const fn is_here(&self) -> bool {
        self.here
    }

    pub(super) fn route(&self) -> &Route {
        let first = || self.reference.binding.first.get();
        // The call found the first route, which stays once it is there.
        self.later.as_deref().or_else(first).expect("a call went by a route")
    }

    pub(super) fn target(&self) -> &Target {
        self.route().at(self.place)
    }
}

impl Binding {
    /// Whether any call has found out where to go.
    pub(super) fn is_set(&self) -> bool {
        self.first.get().is_some()
    }

    /// Whether a server has sent calls elsewhere.
    pub(crate) fn is_changed(&self) -> bool {
        self.forwarding().is_some()
    }

    /// Where it has sent them, if they go there.
    fn forwarding(&self) -> Option<&Forwarding> {
        self.forwarding.get().filter(|forwarding| forwarding.taken.load(Ordering::Acquire))
    }

    /// The reference that says where the object is, where that is not the call's own.
    pub(crate) fn permanent_ior(&self) -> Option<Arc<Ior>> {
        self.forwarding.get()?.permanent_ior.load_full()
    }

    /// Calls go by `route` from now on.
    pub(super) fn change(&self, route: Route) {
        let forwarding = self.forwarding.get_or_init(Box::default);
        let _turning = forwarding.turn();
        forwarding.later.store(Some(Arc::new(route)));
        forwarding.taken.store(true, Ordering::Release);
        self.first.get().inspect(|first| first.set_fast(false));
    }

    /// The object is where `permanent_ior` says, for good.
    pub(super) fn set_permanent_ior(&self, permanent_ior: Ior) {
        self.forwarding
            .get_or_init(Box::default)
            .permanent_ior
            .store(Some(Arc::new(permanent_ior)));
    }

    /// Calls go by the reference's own addresses again, or by those that took their place. Whether they leave
    /// the process `leaves` says.
    pub(super) fn fall_back(&self, leaves: bool) {
        let Some(forwarding) = self.forwarding.get() else { return };
        let _turning = forwarding.turn();
        if forwarding.permanent_ior.load().is_some() {
            return forwarding.later.store(None);
        }
        forwarding.taken.store(false, Ordering::Release);
        self.first.get().inspect(|first| first.set_fast(leaves));
    }
}

impl Reference {
    /// Whether calls through this reference to an object of this process go to one of them still.
    pub(crate) fn stays_here(&self) -> bool {
        !self.binding.is_changed() || self.route().is_ok_and(|bound| self.leads_here(&bound))
    }

    /// Whether the object to which it was sent by this route is one of this process.
    fn leads_here(&self, route: &Route) -> bool {
        let permanent_ior = self.binding.permanent_ior();
        let ior = route.forwarded_to().or(permanent_ior.as_deref());
        ior.is_none_or(|ior| self.orb.local_key(ior).is_some())
    }

    /// Where calls go now.
    pub(crate) fn route(&self) -> Result<RouteRef<'_>, SystemException> {
        self.fast_route().map_or_else(|| self.find_route(), |first| Ok(RouteRef::First(first)))
    }

    /// Where calls go that leave the process, as long as no server has sent them elsewhere, once one has
    /// found that out.
    #[inline(always)]
    pub(super) fn fast_route(&self) -> Option<&Route> {
        self.binding.first.get().filter(|route| route.is_fast())
    }

    #[cold]
    pub(super) fn find_route(&self) -> Result<RouteRef<'_>, SystemException> {
        let binding = &self.binding;
        let lead = |ior: &Ior| Route::new(&self.orb, ior, None, AddressingDisposition::Key);
        if let Some(forwarding) = binding.forwarding() {
            if let Some(route) = forwarding.later.load_full() {
                return Ok(RouteRef::Later(route));
            }
            if let Some(permanent_ior) = forwarding.permanent_ior.load_full() {
                let route = Arc::new(lead(&permanent_ior)?);
                forwarding.later.store(Some(route.clone()));
                return Ok(RouteRef::Later(route));
            }
        }
        if let Some(first) = binding.first.get() {
            return Ok(RouteRef::First(first));
        }
        let first = lead(self.ior())?;
        first.set_fast(!self.is_near());
        Ok(RouteRef::First(binding.first.get_or_init(|| first)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::Orb;
    use std::sync::Barrier;
    use std::thread;

    #[test]
    fn a_forward_and_a_way_back_at_once_leave_one_of_both() {
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
                    binding.change(route);
                });
                ready.wait();
                binding.fall_back(true);
            });
            assert_eq!(binding.is_changed(), reference.fast_route().is_none());
        }
    }
}
