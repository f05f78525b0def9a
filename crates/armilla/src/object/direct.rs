//! Calls that do not travel: what a typed reference goes to in its own process.
//!
//! A reference keeps the servant that was active when it was made, so that a call is a look at a
//! flag. The object may end while the reference lives, and be active again with another servant, even
//! in another POA of the same name. A call that finds its servant gone looks for the one of now and
//! leaves it for the calls that follow. References to objects elsewhere never come to that.

use crate::client::Object;
use crate::remoting::Layers;
use crate::server::Interface;
use crate::server::poa::{Activation, DirectUpcall, FastUpcall};
use crate::settings::Collocation;
use arc_swap::{ArcSwap, Guard};
use armilla_ipc::memory::{DataArc, Held};
use once_cell::race::OnceBox;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// What calls go to without travelling.
pub(super) enum Direct<I: ?Sized> {
    /// Nothing: they travel, or go through the POA.
    Never,
    /// What stands before an object elsewhere, and for which of its components.
    Stub(Arc<I>, Layers),
    /// The servant of an object of this process.
    Servant(Active<I>, Since<I>),
    /// The servant that an object of this process will have: it was not active.
    Later(Since<I>),
}

/// An object that is or was active, with its servant.
pub(super) struct Active<I: ?Sized> {
    servant: DataArc<I>,
    activation: Held<Activation>,
}

/// What was found active last, since the reference was made. Clones share it once it is there. Most references
/// never have it: it takes the room of a pointer.
type Since<I> = OnceBox<Arc<ArcSwap<Active<I>>>>;

impl<I: Interface + ?Sized> Direct<I> {
    /// The way to `object`, which is active with `servant` where that is known.
    pub(super) fn to(object: &Object, servant: Option<Active<I>>) -> Self {
        let is_direct = object.reference().is_ok_and(|reference| {
            // Calls within the process that interceptors see go the way of all others.
            reference.is_near()
                && reference.orb.settings().collocation == Collocation::Direct
                && !object.is_intercepted_here()
        });
        match servant {
            _ if !is_direct => Self::Never,
            Some(active) => Self::Servant(active, Since::new()),
            None => Self::Later(Since::new()),
        }
    }

    /// Begins a call of what was there when the reference was made.
    #[inline]
    pub(super) fn begin(&self) -> Option<LocalCall<'_, I>> {
        let (callee, upcall) = match self {
            Self::Servant(active, _) => (&*active.servant, Some(active.begin()?)),
            Self::Stub(stub, _) => (&**stub, None),
            Self::Never | Self::Later(_) => return None,
        };
        Some(LocalCall { callee, _upcall: upcall })
    }

    /// Whether calls never go to anything directly.
    #[inline(always)]
    pub(super) const fn is_never(&self) -> bool {
        matches!(self, Self::Never)
    }

    /// Begins a call of what is active now.
    pub(super) fn begin_since(&self, object: &Object) -> Option<CallSince<I>> {
        let since = match self {
            // It is the one of now, and something has to be waited for.
            Self::Servant(active, _) if active.activation.is_active() => return None,
            Self::Servant(_, since) | Self::Later(since) => since,
            Self::Never | Self::Stub(..) => return None,
        };
        let known = since.get().map(|since| since.load());
        let now = match known.filter(|known| known.activation.is_active()) {
            Some(known) => known,
            None => {
                let found = Arc::new(Active::of(object.find_activation()?)?);
                let since = since.get_or_init(|| Box::new(Arc::new(ArcSwap::new(found.clone()))));
                // Whoever stores what has ended meanwhile has the next call look again.
                since.store(found.clone());
                Guard::from_inner(found)
            }
        };
        DirectUpcall::begin(Now(now)).map(CallSince)
    }
}

impl<I: Interface + ?Sized> Active<I> {
    /// The object with its servant, where that is an `I` and may be called directly.
    pub(super) fn of(activation: Held<Activation>) -> Option<Self> {
        if activation.poa.is_called_through() {
            return None;
        }
        Some(Self::new(activation.servant.downcast()?, activation))
    }
}

impl<I: ?Sized> Active<I> {
    pub(super) fn new(servant: Arc<I>, activation: Held<Activation>) -> Self {
        Self { servant: servant.into(), activation }
    }

    /// Begins a call when nothing has to be asked or waited for.
    fn begin(&self) -> Option<DirectUpcall<&Activation>> {
        DirectUpcall::begin(&*self.activation)
    }

    /// Makes a call when nothing has to be asked, waited for or found out; else gives back what would make it.
    #[inline(always)]
    pub(super) fn call_fast<R, F: FnOnce(&I) -> R>(&self, call: F) -> Result<R, F> {
        let Some(upcall) = FastUpcall::begin(&self.activation) else { return Err(call) };
        let result = call(&self.servant);
        upcall.end();
        Ok(result)
    }
}

/// A servant, or what stands before an object, while it is called directly.
pub struct LocalCall<'a, I: ?Sized> {
    callee: &'a I,
    _upcall: Option<DirectUpcall<&'a Activation>>,
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

/// The servant of what became active since the reference was made, while it is called.
pub(super) struct CallSince<I: ?Sized>(DirectUpcall<Now<I>>);

/// What was active last, lent from where references keep it.
struct Now<I: ?Sized>(Guard<Arc<Active<I>>>);

impl<I: ?Sized> Deref for Now<I> {
    type Target = Activation;

    #[inline]
    fn deref(&self) -> &Activation {
        &self.0.activation
    }
}

impl<I: ?Sized> Deref for CallSince<I> {
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
            Self::Stub(stub, layers) => Self::Stub(stub.clone(), *layers),
            Self::Servant(active, since) => Self::Servant(active.clone(), since.clone()),
            Self::Later(since) => Self::Later(since.clone()),
        }
    }
}

impl<I: ?Sized> Clone for Active<I> {
    fn clone(&self) -> Self {
        Self { servant: self.servant.clone(), activation: self.activation.clone() }
    }
}
