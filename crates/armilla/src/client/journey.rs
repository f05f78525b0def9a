//! Where a call goes next: after a forward, after a failure, and when it has to turn back.
//!
//! What may be tried again is decided here, and nowhere else.

use super::route::{Route, Target};
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::object::Reference;
use arc_swap::Guard;
use armilla_giop::AddressingDisposition;
use armilla_giop::ior::Ior;
use std::sync::Arc;

/// How far a call has come.
#[derive(Default)]
pub(crate) struct Journey {
    /// How often it was forwarded.
    forwards: u32,
    /// How many addresses of the present route have failed.
    failures: usize,
    /// Whether it came back from where an earlier call was forwarded to.
    returned: bool,
}

/// Where a server sends a call instead of answering it.
pub(crate) enum Forward {
    /// To where this reference denotes the object for now.
    To(Ior),
    /// To where this reference denotes it from now on.
    ForGood(Ior),
    /// To the same place, with the object named in another way.
    Readdress(AddressingDisposition),
}

impl Reference {
    /// Fails when the ORB was shut down, and when the object lived in this process and was
    /// deactivated.
    #[inline]
    pub(crate) fn callable(&self) -> Result<(), SystemException> {
        match &self.activation {
            Some(activation) if !activation.is_active() => Err(SystemException::object_not_exist()
                .because("the object was deactivated in this process")),
            _ => self.orb.check_running(),
        }
    }

    /// Where calls go now.
    #[inline]
    pub(crate) fn route(&self) -> Result<Guard<Option<Arc<Route>>>, SystemException> {
        let route = self.route.load();
        if route.is_some() {
            return Ok(route);
        }
        self.find_route()?;
        Ok(self.route.load())
    }

    #[cold]
    fn find_route(&self) -> Result<(), SystemException> {
        let home = self.home.load();
        let ior = home.as_deref().unwrap_or(&self.ior);
        self.take_route(Route::new(&self.orb, ior, None, AddressingDisposition::Key)?);
        Ok(())
    }

    /// Sends this call and later ones where the server says that the object is, or in the way in
    /// which it wants them.
    #[cold]
    pub(crate) fn follow(
        &self,
        route: &Route,
        forward: Forward,
        journey: &mut Journey,
    ) -> Result<(), SystemException> {
        journey.forwards += 1;
        journey.failures = 0;
        if journey.forwards > self.orb.settings().max_forwards {
            return Err(too_many_forwards(journey.forwards));
        }
        let by_key = AddressingDisposition::Key;
        self.take_route(match forward {
            Forward::To(ior) => Route::new(&self.orb, &ior, Some(&ior), by_key)?,
            Forward::ForGood(ior) => {
                let route = Route::new(&self.orb, &ior, None, by_key)?;
                self.home.store(Some(Arc::new(ior)));
                route
            }
            Forward::Readdress(wanted) => {
                let home = self.home.load();
                let home = home.as_deref().unwrap_or(&self.ior);
                route.readdressed(&self.orb, home, wanted)?
            }
        });
        Ok(())
    }

    fn take_route(&self, route: Route) {
        self.route.store(Some(Arc::new(route)));
    }

    /// After a system exception: when it says that the server does not have the object, the call
    /// may [turn back](Self::turn_back). Everything else is returned.
    #[cold]
    pub(crate) fn return_home(
        &self,
        route: &Route,
        journey: &mut Journey,
        exception: SystemException,
    ) -> Result<(), SystemException> {
        let gone = matches!(
            exception.kind(),
            ExceptionKind::ObjectNotExist | ExceptionKind::Transient | ExceptionKind::ObjAdapter
        );
        match gone && exception.completed() == Completion::No && self.turn_back(route, journey) {
            true => Ok(()),
            false => Err(exception),
        }
    }

    /// After a failed attempt: prepares the next one, or returns the error. Only calls that were
    /// certainly not begun are tried again: at the next address of the route, and after its last
    /// the call may [turn back](Self::turn_back).
    #[cold]
    pub(crate) fn go_on(
        &self,
        route: &Route,
        failed: &Target,
        journey: &mut Journey,
        error: SystemException,
    ) -> Result<(), SystemException> {
        let unreached =
            matches!(error.kind(), ExceptionKind::Transient | ExceptionKind::CommFailure);
        if error.completed() != Completion::No || !unreached {
            return Err(error);
        }
        journey.failures += 1;
        if journey.failures < route.len() {
            route.leave(failed);
            return Ok(());
        }
        if self.turn_back(route, journey) { Ok(()) } else { Err(error) }
    }

    /// Sends the call to the reference's own addresses again, once, when it failed at a place that
    /// an earlier call was forwarded to. What this very call was forwarded to is no older than what
    /// they would say.
    #[cold]
    pub(crate) fn turn_back(&self, route: &Route, journey: &mut Journey) -> bool {
        if !route.is_forwarded() || journey.forwards > 0 || journey.returned {
            return false;
        }
        journey.returned = true;
        journey.failures = 0;
        self.route.store(None);
        true
    }
}

#[cold]
fn too_many_forwards(count: u32) -> SystemException {
    let what = format!("the servers forwarded the call {count} times (the limit is max_forwards)");
    SystemException::new(ExceptionKind::Transient, Minor::TOO_MANY_FORWARDS, Completion::No)
        .because(what)
}
