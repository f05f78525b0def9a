//! Where the calls through a reference go at present: to its own addresses, or to where a server has
//! sent them.

use super::route::Route;
use crate::exception::SystemException;
use crate::object::Reference;
use arc_swap::ArcSwapOption;
use armilla_giop::AddressingDisposition;
use armilla_giop::ior::Ior;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The present course of a reference's calls.
///
/// Most references are never forwarded. Their calls find the route at the price of two reads.
#[derive(Default)]
pub(crate) struct Course {
    /// By the reference's own addresses, once the first call has found it out.
    first: OnceLock<Arc<Route>>,
    /// Whether that is not where calls go.
    changed: AtomicBool,
    /// Where they go instead; nowhere when that is to be found out from `home`.
    later: ArcSwapOption<Route>,
    /// What takes the place of the IOR for calls, since a server said so.
    home: ArcSwapOption<Ior>,
}

/// A route for as long as a call uses it.
pub(crate) enum Leg<'r> {
    First(&'r Arc<Route>),
    Later(Arc<Route>),
}

impl Deref for Leg<'_> {
    type Target = Arc<Route>;

    fn deref(&self) -> &Arc<Route> {
        match self {
            Self::First(route) => route,
            Self::Later(route) => route,
        }
    }
}

impl Course {
    /// Whether any call has found out where to go.
    pub(super) fn is_set(&self) -> bool {
        self.first.get().is_some()
    }

    /// Whether a server has sent calls elsewhere.
    pub(crate) fn is_changed(&self) -> bool {
        self.changed.load(Ordering::Acquire)
    }

    /// The reference that says where the object is, where that is not the call's own.
    pub(crate) fn home(&self) -> Option<Arc<Ior>> {
        self.home.load_full()
    }

    /// Calls go by `route` from now on.
    pub(super) fn change(&self, route: Route) {
        self.later.store(Some(Arc::new(route)));
        self.changed.store(true, Ordering::Release);
    }

    /// The object is where `home` says, for good.
    pub(super) fn change_home(&self, home: Ior) {
        self.home.store(Some(Arc::new(home)));
    }

    /// Calls go by the reference's own addresses again, or by those that took their place.
    pub(super) fn turn_back(&self) {
        match self.home.load().is_some() {
            true => self.later.store(None),
            false => self.changed.store(false, Ordering::Release),
        }
    }
}

impl Reference {
    /// Where calls go now.
    pub(crate) fn route(&self) -> Result<Leg<'_>, SystemException> {
        self.usual_route().map_or_else(|| self.find_route(), |first| Ok(Leg::First(first)))
    }

    /// Where calls go as long as no server has sent them elsewhere, once one has found that out.
    #[inline(always)]
    pub(super) fn usual_route(&self) -> Option<&Arc<Route>> {
        self.course.first.get().filter(|_| !self.course.is_changed())
    }

    #[cold]
    pub(super) fn find_route(&self) -> Result<Leg<'_>, SystemException> {
        let course = &self.course;
        let lead =
            |ior: &Ior| Route::new(&self.orb, ior, None, AddressingDisposition::Key).map(Arc::new);
        if course.is_changed() {
            if let Some(route) = course.later.load_full() {
                return Ok(Leg::Later(route));
            }
            if let Some(home) = course.home() {
                let route = lead(&home)?;
                course.later.store(Some(route.clone()));
                return Ok(Leg::Later(route));
            }
        }
        let first = lead(self.ior())?;
        Ok(Leg::First(course.first.get_or_init(|| first)))
    }
}
