//! Direct collocated calls: from a typed reference to the servant in the same process.
//!
//! A reference keeps the servant that was active when the reference was created, so a call only has
//! to test flags. While the reference exists, the object may be deactivated and activated again
//! with another servant, even in another POA of the same name. A call that finds its servant
//! deactivated looks up the present servant and keeps it for the next calls. References to objects
//! in other processes skip all of this.

use crate::client::Object;
use crate::exception::{ReplyError, SystemException};
use crate::object::FactoryLimit;
use crate::panics::catch;
use crate::server::poa::{Activation, DirectUpcall, FastUpcall};
use crate::server::{Interface, nesting, servant_panicked};
use crate::settings::Collocation;
use arc_swap::{ArcSwap, Guard};
use armilla_ipc::memory::{DataArc, Handle};
use once_cell::race::OnceBox;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The target of calls that need no request.
pub(super) enum Direct<I: ?Sized> {
    /// None: calls send a request, or go through the POA.
    Never,
    /// Calls go through the POA. Where nobody can tell lent values from copies, they reach this
    /// servant, which was active when the reference was created, without a request.
    ThroughPoa(Active<I>),
    /// The stub of a factory, for an object of another process.
    Stub(Arc<I>, FactoryLimit),
    /// The servant of an object of this process.
    Servant(Active<I>, LatestActivation<I>),
    /// The object of this process was not active when the reference was created.
    Inactive(LatestActivation<I>),
}

/// An activation of an object, with the servant. The object may have been deactivated since.
pub(super) struct Active<I: ?Sized> {
    servant: DataArc<I>,
    activation: Handle<Activation>,
}

/// The latest activation, found by a call after the reference was created. Clones share it once it
/// is set. Most references never set it, so it takes one pointer only.
type LatestActivation<I> = OnceBox<Arc<ArcSwap<Active<I>>>>;

impl<I: Interface + ?Sized> Direct<I> {
    /// The target of calls of `object`, which has this activation, if it is active. `servant` finds
    /// its servant.
    pub(super) fn to(
        object: &Object,
        activation: Option<Handle<Activation>>,
        servant: impl FnOnce(Handle<Activation>) -> Option<Active<I>>,
    ) -> Self {
        let Ok(reference) = object.reference() else { return Self::Never };
        // Interceptors see requests only, so no call is made without one that they see.
        if !reference.is_collocated() || object.is_intercepted_here() {
            return Self::Never;
        }
        let is_direct = reference.orb.settings().collocation == Collocation::Direct
            && !activation.as_ref().is_some_and(|active| active.poa.is_called_through());
        match activation.and_then(servant) {
            Some(active) if is_direct => Self::Servant(active, LatestActivation::new()),
            // Some interceptors see calls within the process where these are requests anyway.
            Some(active) if reference.orb.interceptors().is_none() => Self::ThroughPoa(active),
            None if is_direct => Self::Inactive(LatestActivation::new()),
            _ => Self::Never,
        }
    }

    /// Begins a call of the servant that was active when the reference was created, or of the stub.
    /// Not of a servant where the stack is too short: a request then ends with the exception.
    #[inline]
    pub(super) fn begin(&self) -> Option<LocalCall<'_, I>> {
        let (callee, upcall) = match self {
            Self::Servant(..) if nesting::is_exhausted() => return None,
            Self::Servant(active, _) => (&*active.servant, Some(active.begin()?)),
            Self::Stub(stub, _) => (&**stub, None),
            Self::Never | Self::ThroughPoa(_) | Self::Inactive(_) => return None,
        };
        Some(LocalCall { callee, upcall })
    }

    /// Whether no call is direct.
    #[inline(always)]
    pub(super) const fn is_never(&self) -> bool {
        matches!(self, Self::Never | Self::ThroughPoa(_))
    }

    /// Begins a call of the servant that is active now.
    pub(super) fn begin_latest(&self, object: &Object) -> Option<LatestCall<I>> {
        let latest = match self {
            // The servant is the present one, so the call failed to begin because it must wait.
            Self::Servant(active, _) if active.activation.is_active() => return None,
            Self::Servant(..) | Self::Inactive(_) if nesting::is_exhausted() => return None,
            Self::Servant(_, latest) | Self::Inactive(latest) => latest,
            Self::Never | Self::ThroughPoa(_) | Self::Stub(..) => return None,
        };
        let known = latest.get().map(|latest| latest.load());
        let current = match known.filter(|known| known.activation.is_active()) {
            Some(known) => known,
            None => {
                let found = object.find_activation()?;
                if found.poa.is_called_through() {
                    return None;
                }
                let found = Arc::new(Active::of(found)?);
                let latest = latest.get_or_init(|| Box::new(Arc::new(ArcSwap::new(found.clone()))));
                // If it has been deactivated meanwhile, the next call looks it up again.
                latest.store(found.clone());
                Guard::from_inner(found)
            }
        };
        DirectUpcall::begin(CurrentActivation(current)).map(LatestCall)
    }
}

impl<I: Interface + ?Sized> Active<I> {
    /// The activation, if its servant is an `I`.
    pub(super) fn of(activation: Handle<Activation>) -> Option<Self> {
        Some(Self::new(activation.servant.downcast()?, activation))
    }
}

impl<I: ?Sized> Active<I> {
    pub(super) fn new(servant: Arc<I>, activation: Handle<Activation>) -> Self {
        Self { servant: servant.into(), activation }
    }

    /// Begins a call, if that needs neither a servant manager nor a wait.
    fn begin(&self) -> Option<DirectUpcall<&Activation>> {
        DirectUpcall::begin(&*self.activation)
    }

    /// Makes a call, if that needs only a hazard pointer; otherwise returns `call` for the slow
    /// path.
    #[inline(always)]
    pub(super) fn call_fast<R, F: FnOnce(&I) -> R>(&self, call: F) -> Result<R, F> {
        let Some(upcall) = FastUpcall::begin(&self.activation) else { return Err(call) };
        Ok(upcall.end(call(&self.servant)))
    }

    /// Makes a call through the POA with the values themselves, if that needs neither a wait nor
    /// anything else that a request does: no policy is in effect but for time limits, which bound
    /// waits only. A panic of the servant ends the call alone.
    #[inline(never)]
    pub(super) fn call_through<R, E: ReplyError + From<SystemException>>(
        &self,
        object: &Object,
        operation: &str,
        call: impl FnOnce(&I) -> Result<R, E>,
    ) -> Option<Result<R, E>> {
        let orb = &object.reference().ok()?.orb;
        if object.has_policies(orb.settings()) || nesting::is_exhausted() {
            return None;
        }
        if let Err(exception) = orb.check_running() {
            return Some(Err(exception.into()));
        }
        let upcall = FastUpcall::begin(&self.activation)?;
        let returned = catch(|| call(&self.servant));
        let returned = returned.unwrap_or_else(|| Err(servant_panicked(orb, operation).into()));
        Some(upcall.end(returned))
    }
}

/// A servant, or the stub of a factory, during a direct call.
pub struct LocalCall<'a, I: ?Sized> {
    callee: &'a I,
    upcall: Option<DirectUpcall<&'a Activation>>,
}

impl<I: ?Sized> LocalCall<'_, I> {
    /// Whether it calls a servant, not the stub of a factory.
    pub(super) const fn is_servant(&self) -> bool {
        self.upcall.is_some()
    }
}

impl<I: ?Sized> Deref for LocalCall<'_, I> {
    type Target = I;

    #[inline]
    fn deref(&self) -> &I {
        self.callee
    }
}

impl<I: ?Sized> fmt::Debug for LocalCall<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalCall(..)")
    }
}

/// A servant that was activated after the reference was created, during a direct call.
pub(super) struct LatestCall<I: ?Sized>(DirectUpcall<CurrentActivation<I>>);

/// The latest activation, borrowed from the references that share it.
struct CurrentActivation<I: ?Sized>(Guard<Arc<Active<I>>>);

impl<I: ?Sized> Deref for CurrentActivation<I> {
    type Target = Activation;

    #[inline]
    fn deref(&self) -> &Activation {
        &self.0.activation
    }
}

impl<I: ?Sized> Deref for LatestCall<I> {
    type Target = I;

    #[inline]
    fn deref(&self) -> &I {
        &self.0.activation().0.servant
    }
}

impl<I: ?Sized> Clone for Direct<I> {
    fn clone(&self) -> Self {
        match self {
            Self::Never => Self::Never,
            Self::ThroughPoa(active) => Self::ThroughPoa(active.clone()),
            Self::Stub(stub, limit) => Self::Stub(stub.clone(), *limit),
            Self::Servant(active, latest) => Self::Servant(active.clone(), latest.clone()),
            Self::Inactive(latest) => Self::Inactive(latest.clone()),
        }
    }
}

impl<I: ?Sized> Clone for Active<I> {
    fn clone(&self) -> Self {
        Self { servant: self.servant.clone(), activation: self.activation.clone() }
    }
}
