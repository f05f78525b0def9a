//! What the modules above the runtime keep for each ORB.
//!
//! The runtime does not know them: it finds a part by its type, in the slot that the type names. A
//! look costs a virtual call, so what a remote call needs its connection, reference or thread keeps
//! itself.

use std::any::Any;
use std::sync::OnceLock;

/// What a module keeps for each ORB.
pub(crate) trait Part: Any + Send + Sync {
    /// Where it is kept: another one for each type.
    const SLOT: PartSlot;
}

/// The places for parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartSlot {
    /// The endpoints that were called.
    Client,
    /// The objects of this process, as the client sees them.
    LocalObjects,
    /// The object adapters and their objects.
    Adapters,
    /// The endpoints that listen.
    Listeners,
    /// References by published names.
    Published,
    /// The client interceptors, if there are any interceptors.
    ClientInterceptors,
    /// The server interceptors, if there are any interceptors.
    ServerInterceptors,
    /// How many slots interceptors have.
    SlotCount,
    /// The valuetypes that the program has registered.
    Values,
    /// The factories of stubs.
    StubFactories,
    /// The default context.
    Context,
    /// Where initial references come from.
    Initial,
}

const COUNT: usize = PartSlot::Initial as usize + 1;

/// The parts of an ORB. Each is set once at most.
#[derive(Default)]
pub(super) struct Parts([OnceLock<Box<dyn Any + Send + Sync>>; COUNT]);

impl Parts {
    #[inline]
    pub(super) fn get<P: Part>(&self) -> Option<&P> {
        self.0[P::SLOT as usize].get()?.downcast_ref()
    }

    /// The part that is there from the start of the ORB.
    #[inline]
    pub(super) fn require<P: Part>(&self) -> &P {
        self.get().expect("the assembly has installed every part that is not optional")
    }

    pub(super) fn install<P: Part>(&self, part: P) {
        let is_new = self.0[P::SLOT as usize].set(Box::new(part)).is_ok();
        debug_assert!(is_new, "a part is installed once");
    }
}
