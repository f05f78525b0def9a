//! Portable object adapters, which turn servants into objects (CORBA 3.4 Part 1, 15).
//!
//! The rooms, the lowest first; a file imports from its own room and from those before it. What all
//! share is here: the adapter itself and object ids.
//!
//! | room | what lives there |
//! |---|---|
//! | `error`, `reference_factory` | what goes wrong, and who makes references instead |
//! | `policies` | what a program sets |
//! | `servant` | servants, and the requests that they are called with |
//! | `object_map`, `servant_manager` | active objects, and who gives servants to others |
//! | `calls` | which objects are being called, and what each thread is serving |
//! | `admission` | managers, gates, and servers that start |
//! | `objects` | activating objects, making references to them, ending them |
//! | `upcalls` | from an object id to a call of its servant |
//! | `hierarchy` | creating and finding POAs |
//!
//! No file here does I/O.

mod admission;
mod calls;
mod error;
mod hierarchy;
mod object_map;
mod objects;
mod policies;
mod reference_factory;
mod servant;
mod servant_manager;
mod upcalls;

pub use admission::manager::{ManagerState, PoaManager};
pub(crate) use admission::managers::Managers;
pub(crate) use admission::startup::{Awaited, StartupHold};
pub use calls::current::Current;
pub(crate) use calls::current::serving_depth;
pub use error::PoaError;
pub(crate) use hierarchy::adapters::ObjectAdapters;
pub use hierarchy::builder::PoaBuilder;
pub(crate) use hierarchy::tree::{MAX_CREATION_RETRIES, destroyed_repeatedly};
pub(crate) use object_map::activation::{Activation, Ending};
#[cfg(feature = "demultiplexing-strategies")]
pub use object_map::strategies::ObjectLookup;
pub(crate) use policies::Policies;
pub use policies::{
    Bidirectional, IdAssignment, IdUniqueness, ImplicitActivation, Lifespan, Policy,
    RequestProcessing, ServantRetention, Threading,
};
pub(crate) use reference_factory::Established;
pub use reference_factory::ObjectReferenceFactory;
pub use servant::{
    AnyServant, DispatchError, Dispatched, Interface, IsA, ServantBase, ServerCall, Skeleton,
    Upcast, WhichObject,
};
pub(crate) use servant::{
    AsDeclared, LocatedCall, Servant, address, number_components, numbered_key,
};
pub use servant_manager::{
    AdapterActivator, Cookie, ServantActivator, ServantLocator, ServantManager, ServantManagerError,
};
pub(crate) use upcalls::extension::{Arrived, Extended};
pub use upcalls::extension::{
    CallServant, EncodedReply, ObjectAddresses, PoaExtension, UpcallInfo,
};
pub(crate) use upcalls::found::{Found, Target};
pub use upcalls::kept::KeptRequest;
pub(crate) use upcalls::located_servant::LocatedServant;
pub(crate) use upcalls::upcall::{DirectUpcall, FastUpcall, Upcall};

use crate::exception::SystemException;
use crate::object_key::NamedKey;
use crate::policies::PolicyType;
use crate::runtime::{Orb, WeakOrb};
use crate::server::addresses::publications::ComponentByAddresses;
use crate::transport::ProtectedAddress;
use admission::gate::{Gate, GateFlag, ReentrantSemaphore};
use arc_swap::ArcSwapOption;
use armilla_giop::ior::TaggedComponent;
use armilla_ipc::memory::Slot;
use object_map::servants::Servants;
use object_map::strategies::{Ids, Strategies};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize};
use std::sync::{Arc, Condvar, Mutex, OnceLock, Weak};
use std::thread::ThreadId;

/// The id of an object, unique within its POA: octets that only the POA and its owner understand.
///
/// ```
/// use armilla::ObjectId;
///
/// let id = ObjectId::from("savings/7");
/// assert_eq!(id, ObjectId::new(*b"savings/7"));
/// assert_eq!(id, ObjectId::from(format!("savings/{}", 7)));
/// assert_eq!(id, ObjectId::from(id.as_bytes()));
/// assert_eq!(id, ObjectId::from(id.as_bytes().to_vec()));
/// assert_eq!(id.as_bytes().len(), 9);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(Box<[u8]>);

impl ObjectId {
    /// The id with these octets.
    pub fn new(octets: impl Into<Vec<u8>>) -> Self {
        Self(octets.into().into())
    }

    /// The octets of the id.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for ObjectId {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<String> for ObjectId {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&String> for ObjectId {
    fn from(text: &String) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<Vec<u8>> for ObjectId {
    fn from(octets: Vec<u8>) -> Self {
        Self::new(octets)
    }
}

impl From<&[u8]> for ObjectId {
    fn from(octets: &[u8]) -> Self {
        Self::new(octets)
    }
}

impl From<&Self> for ObjectId {
    fn from(id: &Self) -> Self {
        id.clone()
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
/// The root POA is [`Orb::root_poa`]: transient, with ids that the system assigns. Others are
/// created below it with [`create_poa`](Self::create_poa). Requests are served as soon as an object
/// is activated, unless the [`manager`](Self::manager) holds them. Those that come earlier wait
/// while the server [is starting](PoaManager::is_starting).
///
/// The methods have the names of CORBA in Rust's spelling. Where a name differs, the documentation
/// gives that of CORBA.
#[derive(Clone)]
#[doc(alias = "POA")]
pub struct Poa {
    orb: Orb,
    inner: Arc<PoaInner>,
}

/// The state of a POA.
pub(crate) struct PoaInner {
    name: String,
    /// The names from the root down, each after a NUL. Object keys and the table of POAs contain
    /// it.
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
    /// The addresses of the implementation repository to which its references lead; empty if they
    /// lead here.
    imr: Box<[(String, u16)]>,
    /// Its addresses over TLS.
    imr_protected: Box<[ProtectedAddress]>,
    /// Whether collocated calls of its objects go through the POA too.
    through_poa: bool,
    extension: Option<Arc<dyn PoaExtension>>,
    /// The number of this POA among all that this ORB has ever created.
    serial: u32,
    /// Whether object keys are slots. So they are when the system assigns the ids, references end
    /// with the POA, and only the active object map is searched.
    keys_are_slots: bool,
    ids: Ids,
    servants: Servants,
    strategies: Strategies,
    default_servant: ArcSwapOption<AnyServant>,
    servant_manager: OnceLock<ServantManager>,
    /// Held during calls to the servant activator, which is called by one thread at a time (CORBA
    /// 3.4 Part 1, 15.3.6).
    activating: ReentrantSemaphore,
    /// Set if there are IOR interceptors.
    established: OnceLock<Established>,
    /// The number of objects that have not ended yet.
    live: AtomicUsize,
    /// The number of calls in progress on objects outside the active object map, and on servant
    /// managers.
    unmapped: AtomicUsize,
    /// The number of ids that were made for objects without a slot.
    counted: AtomicU64,
    state: Mutex<State>,
    /// Notified when something has ended that threads may wait for.
    changed: Condvar,
}

/// The part of a POA that changes under its lock.
#[derive(Default)]
struct State {
    children: BTreeMap<String, Arc<PoaInner>>,
    activator: Option<Arc<dyn AdapterActivator>>,
    /// The children for which the adapter activator is being called, and the thread that calls it.
    creating: HashMap<String, ThreadId>,
    /// How the POA ends, once it does, and the children that were destroyed and have not ended.
    ending: Option<Ending>,
    /// Whether the thread that destroys the POA has done so; calls may still be in progress.
    is_destroyed: bool,
    ending_children: Vec<Arc<PoaInner>>,
    /// The objects for which the servant activator is being called.
    incarnating: HashSet<ObjectId>,
    /// The objects whose servant has not been etherealized yet, and their slots.
    retiring: HashMap<ObjectId, Slot>,
    /// How many threads wait for calls to end.
    watchers: usize,
}

impl PoaInner {
    pub(crate) fn path(&self) -> &[u8] {
        &self.path
    }

    /// All policies of the POA.
    pub(crate) fn policies(&self) -> Vec<Policy> {
        self.policies.list()
    }

    /// The policy of this type: the POA's own, or else that of its manager.
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

    /// What makes further components, from the addresses of each profile.
    pub(crate) fn components_by_addresses(&self) -> &[ComponentByAddresses] {
        self.established.get().map_or(&[], |established| &established.by_addresses)
    }

    /// The factory that interceptors have set for its references.
    pub(crate) fn reference_factory(&self) -> Option<&Arc<dyn ObjectReferenceFactory>> {
        self.established.get()?.factory.as_ref()
    }

    /// Its ORB, if that still exists.
    pub(crate) fn orb(&self) -> Option<Orb> {
        self.orb.upgrade()
    }

    /// Whether only the main thread may call its servants.
    pub(crate) fn is_for_main_thread(&self) -> bool {
        self.policies.threading == Threading::MainThread
    }

    /// Whether collocated calls may not go to its servants directly.
    pub(crate) fn is_called_through(&self) -> bool {
        self.through_poa
    }

    /// The addresses that its references carry instead of those of the ORB.
    pub(crate) fn published(&self) -> &[(String, u16)] {
        &self.published
    }

    /// Whether its references lead to an implementation repository.
    pub(crate) fn is_behind_imr(&self) -> bool {
        !(self.imr.is_empty() && self.imr_protected.is_empty())
    }

    /// The addresses over TLS of the implementation repository to which its references lead.
    pub(crate) fn imr_protected(&self) -> &[ProtectedAddress] {
        &self.imr_protected
    }

    /// The addresses of the implementation repository to which its references lead, if they do.
    pub(crate) fn imr(&self) -> &[(String, u16)] {
        &self.imr
    }

    /// Whether its objects may be called over connections that the ORB has opened.
    pub(crate) fn allows_bidirectional(&self) -> bool {
        self.policies.bidirectional == Bidirectional::Both
    }

    /// The manager that decides when its requests are served.
    pub(crate) fn manager(&self) -> &PoaManager {
        &self.manager
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
    /// If it was destroyed, this creates another one, without objects, child POAs and adapter
    /// activator, and with a manager of its own. If the ORB was shut down or an interceptor refuses
    /// the new POA, the destroyed one is returned.
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

    /// The same POA without keeping it alive.
    pub(crate) fn downgrade(&self) -> Weak<PoaInner> {
        Arc::downgrade(&self.inner)
    }

    /// Runs the IOR interceptors for a new POA.
    ///
    /// # Errors
    /// `OBJ_ADAPTER`
    /// ([minor code](crate::Minor::OBJ_ADAPTER_IOR_INTERCEPTOR_FAILED))
    /// when an interceptor refuses it.
    pub(crate) fn establish(&self) -> Result<(), SystemException> {
        if let Some(interceptors) = self.orb.server_interceptors().filter(|all| all.see_adapters())
        {
            // This cannot be set already: a POA is created once.
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
