//! The objects of a server, for threads at once.

use super::object::{Marshalling, Object, has};
use crate::causality::current_user;
use crate::clock::Clock;
use crate::exporter::{Exporter, ExporterLimits};
use crate::objref::{InterfacePointer, ObjRef, Reference, StandardReference};
use crate::string_array::DualStringArray;
use alloc::sync::Arc;
use armilla_dcerpc::driver::random;
use armilla_dcerpc::{Status, Uuid};
use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// How many references a marshalled reference carries, as Windows does it.
pub(super) const REFERENCES: u32 = 5;

/// What a server exports. Cheap to clone; use it from any thread.
#[derive(Clone)]
pub struct Exports(Arc<Shared>);

struct Shared {
    table: Mutex<Exporter<Arc<dyn Object>>>,
    clock: Clock,
    /// Where the server is; known once it listens.
    bindings: OnceLock<Bindings>,
}

/// Where a server is.
#[derive(Debug, Clone)]
pub(super) struct Bindings {
    pub(super) exporter: DualStringArray,
    pub(super) resolver: DualStringArray,
}

impl Exports {
    pub(super) fn new(limits: ExporterLimits, clock: Clock) -> Self {
        let table = Mutex::new(Exporter::new(limits, random));
        Self(Arc::new(Shared { table, clock, bindings: OnceLock::new() }))
    }

    pub(super) fn set_bindings(&self, bindings: Bindings) {
        self.0.bindings.get_or_init(|| bindings);
    }

    pub(super) fn bindings(&self) -> Result<&Bindings, Status> {
        self.0.bindings.get().ok_or(Status::SERVER_TOO_BUSY)
    }

    pub(super) fn table(&self) -> MutexGuard<'_, Exporter<Arc<dyn Object>>> {
        // Nothing of the program runs under the lock, so that a panic leaves the table whole.
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> core::time::Duration {
        self.0.clock.now()
    }

    /// A reference to an interface of an object, for an answer or for whoever is to call the object.
    /// It lives until all references are given back, or its client is silent for 360 s.
    ///
    /// # Errors
    ///
    /// [`Status::NO_INTERFACE`] if the object does not have it, [`Status::OUT_OF_MEMORY`] beyond the
    /// limits.
    pub fn export(&self, object: Arc<dyn Object>, iid: Uuid) -> Result<ObjRef, Status> {
        self.marshal(object, iid, false)
    }

    /// The same for an object that stays until [`withdraw`](Self::withdraw), whether or not anybody
    /// refers to it.
    ///
    /// # Errors
    ///
    /// As for [`export`](Self::export).
    pub fn export_for_good(&self, object: Arc<dyn Object>, iid: Uuid) -> Result<ObjRef, Status> {
        self.marshal(object, iid, true)
    }

    fn marshal(&self, object: Arc<dyn Object>, iid: Uuid, pinned: bool) -> Result<ObjRef, Status> {
        if !has(&*object, iid) {
            return Err(Status::NO_INTERFACE);
        }
        let marshalling = object.marshalling(iid);
        if let Marshalling::Custom { class, data } = marshalling {
            return Ok(ObjRef { iid, reference: Reference::Custom { class, extensions: 0, data } });
        }
        let (now, identity) = (self.now(), identity(&object));
        let mut table = self.table();
        let user = current_user();
        let oid = table.export(object, identity, pinned, user.as_ref(), now)?;
        let standard = table.marshal(oid, iid, REFERENCES, now)?;
        drop(table);
        let reference = self.reference(iid, standard)?;
        Ok(match (marshalling, reference.reference) {
            (Marshalling::Handler(class), Reference::Standard { standard, resolver }) => {
                ObjRef { iid, reference: Reference::Handler { standard, class, resolver } }
            }
            (_, reference) => ObjRef { iid, reference },
        })
    }

    pub(super) fn reference(
        &self,
        iid: Uuid,
        standard: StandardReference,
    ) -> Result<ObjRef, Status> {
        let resolver = self.bindings()?.resolver.clone();
        Ok(ObjRef { iid, reference: Reference::Standard { standard, resolver } })
    }

    /// As [`export`](Self::export), as a parameter of a call.
    ///
    /// # Errors
    ///
    /// As for [`export`](Self::export).
    pub fn pointer(&self, object: Arc<dyn Object>, iid: Uuid) -> Result<InterfacePointer, Status> {
        let reference = self.export(object, iid)?;
        InterfacePointer::new(&reference).map_err(|_| Status::UNEXPECTED)
    }

    /// The object that a reference denotes, if this server exports it: a reference of its own that
    /// came back.
    pub fn object(&self, reference: &ObjRef) -> Option<Arc<dyn Object>> {
        let (Reference::Standard { standard, .. }
        | Reference::Handler { standard, .. }
        | Reference::Extended { standard, .. }) = &reference.reference
        else {
            return None;
        };
        let now = self.now();
        let mut table = self.table();
        let own = table.oxid() == standard.oxid;
        table.find(standard.ipid, now).filter(|_| own).map(|(object, ..)| object)
    }

    /// Lets an object that was exported for good live by its references alone.
    pub fn withdraw(&self, object: &Arc<dyn Object>) {
        let mut table = self.table();
        let gone = table.oid(identity(object)).and_then(|oid| table.unpin(oid));
        drop(table);
        let_go(gone);
    }

    /// How many objects are exported now.
    pub fn len(&self) -> usize {
        self.table().len()
    }

    /// Whether nothing is exported now.
    pub fn is_empty(&self) -> bool {
        self.table().is_empty()
    }

    /// How many references clients have to all objects.
    pub fn references(&self) -> u64 {
        self.table().references()
    }

    /// How many ping sets there are.
    pub fn ping_sets(&self) -> usize {
        self.table().sets()
    }

    /// Forgets what nobody refers to any more, by the server's clock. A server does so every ten
    /// seconds; tests that drive the clock call it.
    pub fn expire(&self) {
        let now = self.now();
        let gone = self.table().expire(now);
        let_go(gone);
    }
}

/// Drops objects, each by itself: one that panics at its end takes no other one and no thread with it.
pub(super) fn let_go(objects: impl IntoIterator<Item = Arc<dyn Object>>) {
    for object in objects {
        // The panic was reported where it happened.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(object)));
    }
}

/// Where the object lies, as a number: two handles of it are equal, as long as one exists.
fn identity(object: &Arc<dyn Object>) -> usize {
    Arc::as_ptr(object).cast::<()>().addr()
}

impl fmt::Debug for Exports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table().fmt(f)
    }
}
