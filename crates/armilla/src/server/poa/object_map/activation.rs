//! Activations: active objects, each with its servant and what the ORB must know about it.

use crate::object_key::{KeyOctets, NamedKey, ObjectKey, system_id};
use crate::server::poa::{AnyServant, Servant, numbered_key};
use crate::server::poa::{ObjectId, PoaInner};
use armilla_ipc::memory::Slot;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// One active object. If the POA made its id, the id is not stored: it consists of the slot.
///
/// In the table of all active objects it takes one cache line, with everything that a call reads:
/// among many objects, each call has to load that line from memory.
pub(crate) struct Activation {
    pub(crate) servant: AnyServant,
    pub(crate) poa: Arc<PoaInner>,
    /// The flags below; the other bits count the calls in progress that no hazard pointer shows.
    state: AtomicU32,
    pub(crate) slot: Slot,
    /// Behind one pointer, so that the activation fits a cache line.
    pub(in crate::server::poa) id: Option<Box<Box<[u8]>>>,
}

const _: () = assert!(size_of::<Activation>() <= 56);

/// The object was deactivated: no more calls may begin.
const INACTIVE: u32 = 1 << 31;

/// The work that follows the last call has begun.
const FINISHED: u32 = 1 << 30;

/// How an object ends.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Ending {
    /// It alone was deactivated.
    Deactivated = 0,
    /// Its POA ends: `cleanup_in_progress`.
    Cleanup = 1 << 29,
    /// Its POA ends, and the servant is not etherealized.
    Quiet = 1 << 28,
}

impl Activation {
    pub(crate) fn new(
        servant: AnyServant,
        id: Option<&[u8]>,
        poa: Arc<PoaInner>,
        slot: Slot,
    ) -> Self {
        Self { servant, id: id.map(|id| Box::new(id.into())), poa, slot, state: AtomicU32::new(0) }
    }

    /// Counts a call of a thread that has no hazard pointers left.
    #[cold]
    pub(in crate::server::poa) fn count_call(&self) {
        self.state.fetch_add(1, Ordering::SeqCst);
    }

    /// Ends a counted call.
    #[cold]
    pub(in crate::server::poa) fn uncount_call(&self) {
        self.state.fetch_sub(1, Ordering::SeqCst);
    }

    /// Stops calls from beginning; calls in progress continue. Returns `false` when the object was
    /// already deactivated. The caller must then [end it if it is
    /// idle](crate::server::poa::objects::lifecycle::end_if_idle).
    pub(in crate::server::poa) fn deactivate(&self, ending: Ending) -> bool {
        let flags = INACTIVE | ending as u32;
        let changed = self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| {
            (state & INACTIVE == 0).then_some(state | flags)
        });
        changed.is_ok()
    }

    /// Whether the work that follows the last call has begun.
    pub(in crate::server::poa) fn has_ended(&self) -> bool {
        self.state.load(Ordering::SeqCst) & FINISHED != 0
    }

    /// Begins the work that follows the last call. Returns `true` to one caller only.
    pub(in crate::server::poa) fn end(&self) -> bool {
        self.state.fetch_or(FINISHED, Ordering::SeqCst) & FINISHED == 0
    }

    /// Whether calls of the servant may still begin.
    #[inline(always)]
    pub(crate) fn is_active(&self) -> bool {
        self.state.load(Ordering::SeqCst) & INACTIVE == 0
    }

    /// The flags of the object and its gate, and the count of calls. 0 means that a call needs no
    /// further check.
    #[inline(always)]
    pub(in crate::server::poa) fn flags(&self) -> u32 {
        self.state.load(Ordering::SeqCst) | self.poa.gate.flags()
    }

    /// Whether calls are in progress that no hazard pointer shows.
    pub(in crate::server::poa) fn is_counted(&self) -> bool {
        let flags = INACTIVE | FINISHED | Ending::Cleanup as u32 | Ending::Quiet as u32;
        self.state.load(Ordering::SeqCst) & !flags > 0
    }

    pub(in crate::server::poa) fn ending(&self) -> Ending {
        match self.state.load(Ordering::SeqCst) {
            state if state & Ending::Quiet as u32 != 0 => Ending::Quiet,
            state if state & Ending::Cleanup as u32 != 0 => Ending::Cleanup,
            _ => Ending::Deactivated,
        }
    }

    /// The skeleton of the servant.
    #[inline]
    pub(crate) fn skeleton(&self) -> &dyn Servant {
        self.servant.get()
    }

    /// Whether the key names this object.
    #[inline]
    pub(crate) fn matches_key(&self, key: &NamedKey<'_>) -> bool {
        self.has_id(key.id) && self.poa.path() == key.adapter && self.poa.made(key)
    }

    /// Whether the object has this id.
    #[inline]
    pub(in crate::server::poa) fn has_id(&self, id: &[u8]) -> bool {
        match &self.id {
            Some(own) => ***own == *id,
            None => system_id(self.poa.incarnation, self.slot) == *id,
        }
    }

    pub(crate) fn id(&self) -> ObjectId {
        match &self.id {
            Some(id) => ObjectId(Box::clone(id)),
            None => ObjectId::new(system_id(self.poa.incarnation, self.slot)),
        }
    }

    /// Whether its key consists of its slot.
    pub(in crate::server::poa) fn has_system_key(&self) -> bool {
        self.id.is_none() && self.poa.keys_are_slots
    }

    /// Passes the key that references carry to `take`, without the room for an operation number
    /// that a reference may add.
    pub(crate) fn with_key<R>(&self, take: impl FnOnce(ObjectKey<'_>) -> R) -> R {
        let (incarnation, slot) = (self.poa.incarnation, self.slot);
        match &self.id {
            None if self.poa.keys_are_slots => take(ObjectKey::Active { incarnation, slot }),
            None => take(self.poa.named(&system_id(incarnation, slot), slot)),
            Some(id) => take(self.poa.named(id, slot)),
        }
    }

    /// The key that references carry.
    pub(crate) fn key(&self) -> KeyOctets {
        numbered_key(self.skeleton(), self.with_key(|key| key.encode()))
    }
}

impl PoaInner {
    /// The key of the object `id`, which is or was in the slot `hint`.
    pub(in crate::server::poa) fn named<'k>(&'k self, id: &'k [u8], hint: Slot) -> ObjectKey<'k> {
        let (incarnation, serial) = match self.policies.is_persistent() {
            true => (0, 0),
            false => (self.incarnation, self.serial),
        };
        let hint = self.ids.hint(hint);
        ObjectKey::Named(NamedKey { incarnation, serial, hint, adapter: self.path(), id })
    }
}

impl fmt::Debug for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Activation({:?})", self.id())
    }
}
