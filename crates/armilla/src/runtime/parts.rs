//! The parts of an ORB: the state that the modules above the runtime keep for it.
//!
//! The runtime does not know the types of the parts. It finds a part by its type, in the slot that
//! the type names. A lookup costs a virtual call, so the state of the fast path of a call is kept
//! in the connection, the reference or the thread instead.
//!
//! The slots hold `Any`, because a slot with a type would make the handle of an ORB, which every
//! module holds, name the types of the modules above it. A handle that is generic over its parts
//! only moves that name into an alias that every module has to import from the top.

use std::any::Any;
use std::sync::OnceLock;

/// The state that a module keeps for each ORB.
pub(crate) trait Part: Any + Send + Sync {
    /// The slot of the part. Each type has its own.
    const SLOT: PartSlot;
}

/// The slots for parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartSlot {
    /// The client with its endpoints and connections.
    Client,
    /// The extension of the client, if the program has set one.
    ClientExtension,
    /// The asynchronous calls whose selectors are to be asked again.
    Reselections,
    /// The objects of this process, as the client sees them.
    LocalObjects,
    /// The object adapters and their objects.
    Adapters,
    /// The endpoints at which the server listens.
    Listeners,
    /// The references that the program published, by name.
    Published,
    /// The client interceptors, if there are any interceptors.
    ClientInterceptors,
    /// The server interceptors, if there are any interceptors.
    ServerInterceptors,
    /// The number of slots that interceptors have allocated.
    SlotCount,
    /// The valuetypes that the program has registered.
    Values,
    /// The stub factories.
    StubFactories,
    /// The default context.
    Context,
    /// The sources of initial references.
    Initial,
    /// The registration in an implementation repository, if there is one.
    Registration,
}

const COUNT: usize = PartSlot::Registration as usize + 1;

/// The parts of an ORB. Each is installed at most once.
#[derive(Default)]
pub(super) struct Parts([OnceLock<Box<dyn Any + Send + Sync>>; COUNT]);

impl Parts {
    #[inline]
    pub(super) fn get<P: Part>(&self) -> Option<&P> {
        self.0[P::SLOT as usize].get()?.downcast_ref()
    }

    /// A part that every ORB has: `OrbBuilder::build` installs it before it returns the ORB.
    #[inline]
    pub(super) fn require<P: Part>(&self) -> &P {
        self.get().expect("the builder has installed every part that is not optional")
    }

    pub(super) fn install<P: Part>(&self, part: P) {
        let is_new = self.0[P::SLOT as usize].set(Box::new(part)).is_ok();
        debug_assert!(is_new, "a part is installed once");
    }
}
