//! Portable object adapters: where servants become objects (CORBA 3.4 Part 1, 15).
//!
//! `objects.rs` and `references.rs` are what a program asks a POA for, `tree.rs` and `builder.rs` how
//! POAs come to be; `upcall.rs` is the way of a request, from `gate.rs` to its end, and
//! `lifecycle.rs` the way of an object. `ids.rs` and `index.rs` find objects.

mod activation;
mod active_calls;
mod adapters;
mod builder;
mod current;
mod error;
mod gate;
mod ids;
mod incarnation;
mod index;
mod lifecycle;
mod located_servant;
mod manager;
mod managers;
#[cfg(test)]
mod model;
mod objects;
mod perfect;
mod policies;
mod references;
mod servant_manager;
mod servants;
mod tree;
mod upcall;

pub(crate) use activation::{Activation, Ending};
pub(crate) use adapters::ObjectAdapters;
pub use builder::PoaBuilder;
pub use current::Current;
pub(crate) use current::serving_depth;
pub use error::PoaError;
pub use ids::ObjectLookup;
pub(crate) use located_servant::LocatedServant;
pub use manager::{ManagerState, PoaManager};
pub(crate) use managers::Managers;
pub(crate) use policies::Policies;
pub use policies::{
    Bidirectional, IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, Policy,
    RequestProcessing, ServantRetention, Threading,
};
pub use servant_manager::{
    AdapterActivator, Cookie, ServantActivator, ServantLocator, ServantManager, ServantManagerError,
};
pub(crate) use tree::{MAX_CREATION_RETRIES, destroyed_repeatedly};
pub(crate) use upcall::{DirectUpcall, FastUpcall, Found, Target, Upcall, guarded};

use crate::exception::SystemException;
use crate::object_key::NamedKey;
use crate::operations::OperationLookup;
use crate::policies::PolicyType;
use crate::runtime::{Orb, WeakOrb};
use crate::server::AnyServant;
use crate::server::interception::{Established, ObjectReferenceFactory};
use arc_swap::ArcSwapOption;
use armilla_giop::ior::TaggedComponent;
use armilla_ipc::memory::Slot;
use gate::{Gate, GateFlag, ReentrantSemaphore};
use ids::Ids;
use servants::Servants;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::thread::ThreadId;

/// What identifies an object within its POA: octets that only the POA and its owner understand.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(Box<[u8]>);

impl ObjectId {
    /// The id with these octets.
    pub fn new(octets: impl Into<Vec<u8>>) -> Self {
        Self(octets.into().into())
    }

    /// Its octets.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for ObjectId {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl std::borrow::Borrow<[u8]> for ObjectId {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectId({})", self.0.escape_ascii())
    }
}

/// A portable object adapter: `PortableServer::POA`. Clones are the same adapter; all may be used
/// from any thread.
///
/// The root POA is [`Orb::root_poa`]: transient, with ids that the system assigns. Others are made
/// below it with [`create_poa`](Self::create_poa). Objects answer as soon as they are activated,
/// unless their [`manager`](Self::manager) says otherwise.
///
/// The methods have the names that CORBA gives them, as Rust spells names; where one is called
/// something else its documentation says which it is.
#[derive(Clone)]
pub struct Poa {
    orb: Orb,
    inner: Arc<PoaInner>,
}

/// The state of an adapter.
pub(crate) struct PoaInner {
    name: String,
    /// The names from the root down, each after a NUL: what keys and the table of adapters use.
    path: Box<[u8]>,
    orb: WeakOrb,
    parent: Option<Weak<Self>>,
    policies: Policies,
    manager: PoaManager,
    gate: Gate,
    /// The incarnation of the ORB.
    incarnation: u64,
    /// The addresses in its references; empty for those of the ORB.
    published: Box<[(String, u16)]>,
    /// Whether its objects are called through it from within the process too.
    through_poa: bool,
    /// Which of the POAs that ever were in this ORB.
    serial: u32,
    /// Whether keys are places: ids are the system's, nothing outlives anything, and nobody but the
    /// active object map is asked.
    has_places: bool,
    ids: Ids,
    servants: Servants,
    operations: OperationLookup,
    default_servant: ArcSwapOption<AnyServant>,
    servant_manager: OnceLock<ServantManager>,
    /// Held while the servant activator is asked: once at a time (CORBA 3.4 Part 1, 15.3.6).
    activating: ReentrantSemaphore,
    /// Set where there are interceptors of POAs.
    established: OnceLock<Established>,
    /// The objects that have not ended yet.
    live: AtomicUsize,
    /// The calls under way of objects that are not in the active object map.
    unmapped: AtomicUsize,
    /// How many ids were made for objects that had no place.
    counted: AtomicU64,
    state: Mutex<State>,
    /// Something has ended that others may wait for.
    changed: Condvar,
}

/// What of a POA is changed under its lock.
#[derive(Default)]
struct State {
    children: BTreeMap<String, Arc<PoaInner>>,
    activator: Option<Arc<dyn AdapterActivator>>,
    /// The children for which the adapter activator is being asked, and by which thread.
    creating: BTreeMap<String, ThreadId>,
    /// How the POA ends, once it does, and the children that end with it.
    ending: Option<Ending>,
    ending_children: Vec<Arc<PoaInner>>,
    /// The objects for which the servant activator is being asked.
    incarnating: HashSet<ObjectId>,
    /// The objects whose servant was not given back to the servant activator yet, and where they stand.
    retiring: HashMap<ObjectId, Slot>,
    /// How many threads wait for calls to end.
    watchers: usize,
}

impl PoaInner {
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// All its policies.
    pub(crate) fn policies(&self) -> Vec<Policy> {
        self.policies.list()
    }

    /// The policy of this type, its own or that of its manager.
    pub(crate) fn policy(&self, policy_type: PolicyType) -> Option<Policy> {
        let of_manager = || {
            let mut policies = self.manager.policies().iter();
            policies.find(|policy| policy.policy_type() == policy_type)
        };
        self.policies.get(policy_type).or_else(|| of_manager().cloned().map(Policy::from))
    }

    /// The components that interceptors have added to its references.
    pub(crate) fn components(&self) -> &[TaggedComponent] {
        self.established.get().map_or(&[], |established| &established.components)
    }

    /// What interceptors have set to make its references.
    pub(crate) fn reference_factory(&self) -> Option<&Arc<dyn ObjectReferenceFactory>> {
        self.established.get()?.factory.as_ref()
    }

    /// Its ORB, while that exists.
    pub(crate) fn orb(&self) -> Option<Orb> {
        self.orb.upgrade()
    }

    /// Whether its objects are called by the main thread alone.
    pub(crate) fn is_for_main_thread(&self) -> bool {
        self.policies.threading == Threading::MainThread
    }

    /// Whether calls within the process are not to go to its servants directly.
    pub(crate) fn is_called_through(&self) -> bool {
        self.through_poa
    }

    /// The addresses of its own that its references carry.
    pub(crate) fn published(&self) -> &[(String, u16)] {
        &self.published
    }

    /// Whether its objects may be called over connections that the ORB has made.
    pub(crate) fn allows_bidirectional(&self) -> bool {
        self.policies.bidirectional == Bidirectional::Both
    }

    /// Whether a key with these numbers can be one of this POA's.
    pub(crate) fn made(&self, key: &NamedKey<'_>) -> bool {
        let ours = match self.policies.is_persistent() {
            true => (0, 0),
            false => (self.incarnation, self.serial),
        };
        (key.incarnation, key.serial) == ours
    }
}

impl Orb {
    /// The root POA: transient, unique ids that the system assigns, implicit activation (CORBA 3.4
    /// Part 1, 15.3.8).
    ///
    /// Where it was destroyed this makes another one, without objects, POAs below it and adapter
    /// activator, and with a manager of its own, unless the ORB was shut down or an interceptor refuses
    /// the POA: then it is the one that was destroyed.
    pub fn root_poa(&self) -> Poa {
        let root = self.root();
        match root.gate.is(GateFlag::Destroyed) && self.check_running().is_ok() {
            true => self.recreate_root(),
            false => self.poa_of(&root),
        }
    }

    pub(crate) fn poa_of(&self, inner: &Arc<PoaInner>) -> Poa {
        Poa { orb: self.clone(), inner: inner.clone() }
    }
}

impl Poa {
    pub(crate) fn orb(&self) -> &Orb {
        &self.orb
    }

    pub(crate) fn inner(&self) -> &PoaInner {
        &self.inner
    }

    /// The same POA, without keeping it.
    pub(crate) fn downgrade(&self) -> Weak<PoaInner> {
        Arc::downgrade(&self.inner)
    }

    /// Lets interceptors see that the POA is made.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` (reason 6) when one refuses it.
    pub(crate) fn establish(&self) -> Result<(), SystemException> {
        if let Some(interceptors) = self.orb.server_interceptors().filter(|all| all.see_adapters())
        {
            // A POA is made once.
            self.inner.established.set(interceptors.establish(self)?).ok();
        }
        Ok(())
    }
}

impl PartialEq for Poa {
    /// Whether both are the same adapter.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl fmt::Debug for Poa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poa").field("name", &self.inner.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for PoaInner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PoaInner").field("name", &self.name).finish_non_exhaustive()
    }
}
