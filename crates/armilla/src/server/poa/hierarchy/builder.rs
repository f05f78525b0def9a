//! Creating POAs.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::runtime::WeakOrb;
use crate::server::addresses::publications::protected_at;
use crate::server::poa::AnyServant;
use crate::server::poa::admission::gate::{Gate, GateFlag};
use crate::server::poa::object_map::servants::Servants;
use crate::server::poa::object_map::strategies::Strategies;
use crate::server::poa::{
    Awaited, Bidirectional, IdAssignment, IdUniqueness, Lifespan, ManagerState, Poa, PoaError,
    PoaExtension, PoaInner, PoaManager, Policies, Policy, RequestProcessing, ServantManager,
    ServantRetention, State, Threading,
};
use crate::sync::lock;
use crate::transport::ProtectedAddress;
use armilla_cdr::CdrResult;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, MutexGuard, OnceLock, Weak};

/// The longest path of POA names, in octets.
const MAX_PATH: usize = 4096;

/// A POA to be created: the arguments of `create_POA`. By default its policies are the first values
/// of each policy: transient, unique ids that the system assigns, no implicit activation, servants
/// retained, any thread.
///
/// ```no_run
/// # fn example(orb: &armilla::Orb) -> Result<(), armilla::PoaError> {
/// let accounts = orb.root_poa().create_poa("accounts").persistent().user_ids().build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "the POA is made by `build`"]
pub struct PoaBuilder {
    parent: Poa,
    name: String,
    policies: Vec<Policy>,
    manager: Option<PoaManager>,
    strategies: Strategies,
    servant_manager: Option<ServantManager>,
    default_servant: Option<AnyServant>,
    published: Vec<(String, u16)>,
    through_poa: bool,
    max_concurrent_requests: Option<usize>,
    extension: Option<Extension>,
}

/// An extension, for the builder to hold.
#[derive(Clone)]
struct Extension(Arc<dyn PoaExtension>);

impl fmt::Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Extension(..)")
    }
}

/// What a new POA is made from.
pub(crate) struct PoaConfig {
    pub(crate) name: String,
    pub(crate) path: Box<[u8]>,
    pub(crate) policies: Policies,
    pub(crate) manager: PoaManager,
    pub(crate) strategies: Strategies,
    pub(crate) incarnation: u64,
    pub(crate) published: Box<[(String, u16)]>,
    pub(crate) imr: Box<[(String, u16)]>,
    pub(crate) imr_protected: Box<[ProtectedAddress]>,
    pub(crate) through_poa: bool,
    pub(crate) max_concurrent_requests: Option<usize>,
    pub(crate) extension: Option<Arc<dyn PoaExtension>>,
}

impl PoaBuilder {
    /// The name that the POA will have.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds a policy: one of the POA's own or a [`CustomPolicy`](crate::CustomPolicy).
    pub fn policy(mut self, policy: impl Into<Policy>) -> Self {
        self.policies.push(policy.into());
        self
    }

    /// Adds several policies.
    pub fn policies(mut self, policies: impl IntoIterator<Item = Policy>) -> Self {
        self.policies.extend(policies);
        self
    }

    /// References outlive the process: [`Lifespan::Persistent`].
    pub fn persistent(self) -> Self {
        self.policy(Lifespan::Persistent)
    }

    /// The program chooses the object ids: [`IdAssignment::User`].
    pub fn user_ids(self) -> Self {
        self.policy(IdAssignment::User)
    }

    /// A servant may incarnate many objects: [`IdUniqueness::Multiple`].
    pub fn multiple_ids(self) -> Self {
        self.policy(IdUniqueness::Multiple)
    }

    /// Its objects can be called over connections that the ORB has opened: [`Bidirectional::Both`].
    pub fn bidirectional(self) -> Self {
        self.policy(Bidirectional::Both)
    }

    /// One call at a time: [`Threading::SingleThread`].
    pub fn single_thread(self) -> Self {
        self.policy(Threading::SingleThread)
    }

    /// A servant manager provides the servants: [`RequestProcessing::ServantManager`]. A locator
    /// provides one for each request: [`ServantRetention::NonRetain`].
    pub fn servant_manager(mut self, manager: ServantManager) -> Self {
        let retention = match &manager {
            ServantManager::Activator(_) => ServantRetention::Retain,
            ServantManager::Locator(_) => ServantRetention::NonRetain,
        };
        self.servant_manager = Some(manager);
        self.policy(RequestProcessing::ServantManager).policy(retention)
    }

    /// One servant serves every object that is not active: [`RequestProcessing::DefaultServant`]
    /// and [`IdUniqueness::Multiple`].
    ///
    /// ```
    /// # use armilla::dynamic::{DynamicServant, ServerRequest, serve};
    /// # use armilla::{Any, ObjectId, Orb};
    /// # use armilla::{SystemException, TypeCode};
    /// # use std::borrow::Cow;
    /// # struct Parrot;
    /// # impl DynamicServant for Parrot {
    /// #     fn primary_interface(&self, _object: &ObjectId) -> Cow<'_, str> {
    /// #         "IDL:Parrot:1.0".into()
    /// #     }
    /// #     fn invoke(&self, request: &mut ServerRequest<'_, '_>) -> Result<(), SystemException> {
    /// #         let name = request.operation().to_owned();
    /// #         request.arguments([])?;
    /// #         request.set_result(Any::new(&name)?)
    /// #     }
    /// # }
    /// let orb = Orb::builder().listen("iiop://127.0.0.1:0")?.build()?;
    /// let parrots = orb
    ///     .root_poa()
    ///     .create_poa("parrots")
    ///     .user_ids()
    ///     .default_servant(serve(Parrot))
    ///     .build()?;
    /// // One servant serves the objects of all ids.
    /// let polly = parrots.create_object_with_id("IDL:Parrot:1.0", "polly")?;
    /// let mut request = polly.request("hello");
    /// request.set_return_type(TypeCode::String(0)).invoke()?;
    /// assert_eq!(request.return_value().get::<String>()?.as_deref(), Some("hello"));
    /// # orb.shutdown();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn default_servant(mut self, servant: impl Into<AnyServant>) -> Self {
        self.default_servant = Some(servant.into());
        self.policy(RequestProcessing::DefaultServant).policy(IdUniqueness::Multiple)
    }

    /// Sets the manager that decides when requests are served. By default the POA gets a new
    /// manager of its own; [`PoaManager`] says in which state it begins.
    pub fn manager(mut self, manager: &PoaManager) -> Self {
        self.manager = Some(manager.clone());
        self
    }

    /// Sets the address that references to its objects carry instead of those of the ORB's IIOP
    /// endpoints; further calls add addresses. This is for an ORB with endpoints in several
    /// networks, or for an address by which only some objects are to be reached. The objects are
    /// still served at all endpoints.
    pub fn publish_address(mut self, host: impl Into<String>, port: u16) -> Self {
        self.published.push((host.into(), port));
        self
    }

    /// Sends collocated calls of its objects through the POA, where the ORB would call the servants
    /// directly: [`Collocation::ThroughPoa`](crate::Collocation::ThroughPoa) for this POA.
    pub fn through_poa(mut self) -> Self {
        self.through_poa = true;
        self
    }

    /// Adds an extension, which sees each request for its objects. This is for crates that add to
    /// the ORB, such as real-time CORBA.
    pub fn extension(mut self, extension: Arc<dyn PoaExtension>) -> Self {
        // A direct call would pass it by.
        self.through_poa = true;
        self.extension = Some(Extension(extension));
        self
    }

    /// Limits the calls of its objects that are in progress at once. Further calls wait, each with
    /// the thread that serves it. This takes the place of a thread pool for one POA. A servant may
    /// still make collocated calls to objects of its own POA. With
    /// [`single_thread`](Self::single_thread) the limit remains one.
    pub fn max_concurrent_requests(mut self, count: usize) -> Self {
        self.max_concurrent_requests = Some(count);
        self
    }

    /// Creates the POA: `create_POA`.
    ///
    /// # Errors
    /// `InvalidPolicy` when policies contradict each other or the type of one is unknown, with the
    /// index of such a policy in the order in which they were added; `AdapterAlreadyExists`;
    /// `BAD_PARAM` when the name is empty, contains NUL or makes the path of names too long, when
    /// an address is invalid, and when the limit on calls is 0; `BAD_INV_ORDER`
    /// ([`Minor::BAD_INV_ORDER_POA_BEING_DESTROYED`]) while the parent is being destroyed,
    /// `OBJECT_NOT_EXIST` afterwards; `OBJ_ADAPTER` ([`Minor::OBJ_ADAPTER_IOR_INTERCEPTOR_FAILED`])
    /// when an IOR interceptor refuses the POA.
    pub fn build(self) -> Result<Poa, PoaError> {
        let (orb, parent) = (&self.parent.orb, &self.parent.inner);
        let policies = Policies::new(orb, &self.policies)?;
        drop(parent.lock_for_child(&self.name)?);
        self.published.iter().try_for_each(check_address)?;
        if self.max_concurrent_requests == Some(0) {
            let what = "a POA makes at least one call at a time";
            return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what).into());
        }
        let behind_imr = policies.is_persistent() && self.published.is_empty();
        let imr = if behind_imr { orb.settings().imr_addresses() } else { Vec::new() };
        let over_tls = if behind_imr { orb.settings().imr_tls_addresses() } else { Vec::new() };
        let imr_protected = over_tls.into_iter().map(protected_at).collect::<CdrResult<Vec<_>>>();
        let imr_protected =
            imr_protected.map_err(|error| SystemException::encoding(&error, Completion::No))?;
        let plan = PoaConfig {
            path: join(&parent.path, &self.name)?,
            name: self.name.clone(),
            policies,
            manager: self.manager.unwrap_or_else(|| orb.own_poa_manager()),
            strategies: self.strategies,
            incarnation: parent.incarnation,
            published: self.published.into(),
            imr: imr.into(),
            imr_protected: imr_protected.into(),
            through_poa: self.through_poa,
            max_concurrent_requests: self.max_concurrent_requests,
            extension: self.extension.map(|Extension(extension)| extension),
        };
        let child = Arc::new(PoaInner::new(plan, orb.downgrade(), Some(Arc::downgrade(parent))));
        if let Some(manager) = self.servant_manager {
            child.servant_manager.set(manager).ok();
        }
        let default_servant = self.default_servant;
        let default_servant = default_servant.map(|servant| child.with_lookup(servant));
        child.default_servant.store(default_servant.map(Arc::new));
        child.manager.adopt(&child);
        let child = orb.poa_of(&child);
        child.establish()?;
        // Another thread may have created a POA of this name meanwhile.
        let mut state = parent.lock_for_child(&self.name)?;
        // If an adapter activator creates the POA, requests see it when the activator returns.
        child.inner.gate.set(GateFlag::Creating, state.creating.contains_key(&self.name));
        state.children.insert(self.name, child.inner.clone());
        orb.adapters().insert(child.inner.clone());
        drop(state);
        parent.manager.arrived(|| Awaited::Poa(child.inner.path.clone()));
        Ok(child)
    }
}

impl Poa {
    /// Begins to create a POA below this one; see [`PoaBuilder`].
    #[doc(alias = "create_POA")]
    pub fn create_poa(&self, name: impl Into<String>) -> PoaBuilder {
        PoaBuilder {
            parent: self.clone(),
            name: name.into(),
            policies: Vec::new(),
            manager: None,
            strategies: Default::default(),
            servant_manager: None,
            default_servant: None,
            published: Vec::new(),
            through_poa: false,
            max_concurrent_requests: None,
            extension: None,
        }
    }
}

impl PoaInner {
    /// Locks this POA to add a child with this name.
    ///
    /// # Errors
    /// `AdapterAlreadyExists`; `BAD_INV_ORDER` ([`Minor::BAD_INV_ORDER_POA_BEING_DESTROYED`]) while
    /// this POA is being destroyed, `OBJECT_NOT_EXIST` afterwards.
    fn lock_for_child(&self, name: &str) -> Result<MutexGuard<'_, State>, PoaError> {
        let state = lock(&self.state);
        if self.gate.is(GateFlag::Destroyed) {
            drop(state);
            return Err(if self.has_ended() { self.destroyed() } else { ending(&self.name) }.into());
        }
        match state.children.contains_key(name) {
            true => Err(PoaError::AdapterAlreadyExists),
            false => Ok(state),
        }
    }

    fn new(plan: PoaConfig, orb: WeakOrb, parent: Option<Weak<Self>>) -> Self {
        static SERIAL: AtomicU32 = AtomicU32::new(1);
        let PoaConfig { name, path, policies, manager, .. } = plan;
        let (incarnation, published) = (plan.incarnation, plan.published);
        let (imr, imr_protected) = (plan.imr, plan.imr_protected);
        let (through_poa, max_concurrent_requests) =
            (plan.through_poa, plan.max_concurrent_requests);
        let keys_are_slots = policies.lifespan == Lifespan::Transient
            && policies.assignment == IdAssignment::System
            && policies.processing == RequestProcessing::ActiveObjectMapOnly
            && plan.strategies.finds_by_slot();
        let mut strategies = plan.strategies;
        let gate = Gate::new(
            policies.threading,
            max_concurrent_requests,
            manager.state() != ManagerState::Active,
        );
        gate.set(GateFlag::Extended, plan.extension.is_some());
        Self {
            gate,
            extension: plan.extension,
            ids: strategies.ids(),
            strategies,
            servants: Servants::new(&policies),
            default_servant: Default::default(),
            servant_manager: OnceLock::new(),
            activating: Default::default(),
            established: OnceLock::new(),
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
            live: Default::default(),
            unmapped: Default::default(),
            counted: Default::default(),
            state: Default::default(),
            changed: Default::default(),
            keys_are_slots,
            name,
            path,
            orb,
            parent,
            policies,
            manager,
            incarnation,
            published,
            imr,
            imr_protected,
            through_poa,
        }
    }

    /// The root POA of an ORB that is being created.
    pub(crate) fn root(orb: WeakOrb, incarnation: u64, manager: PoaManager) -> Arc<Self> {
        let plan = PoaConfig {
            name: "RootPOA".into(),
            path: Box::default(),
            policies: Policies::ROOT,
            manager,
            strategies: Default::default(),
            incarnation,
            published: Box::default(),
            imr: Box::default(),
            imr_protected: Box::default(),
            through_poa: false,
            max_concurrent_requests: None,
            extension: None,
        };
        // This is cheapest while there are few threads.
        armilla_ipc::fence::prepare();
        let root = Arc::new(Self::new(plan, orb, None));
        root.manager.adopt(&root);
        root
    }
}

/// Fails if references cannot carry this address, or no client could connect to it.
fn check_address((host, port): &(String, u16)) -> Result<(), SystemException> {
    let is_host = !host.is_empty() && host.bytes().all(|octet| octet.is_ascii_graphic());
    match is_host && *port != 0 {
        true => Ok(()),
        false => {
            let what = format!("{host:?} and the port {port} are no address for clients");
            Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what))
        }
    }
}

fn join(parent: &[u8], name: &str) -> Result<Box<[u8]>, SystemException> {
    if name.is_empty() || name.contains('\0') {
        let what = "the name of a POA has at least one character and no NUL";
        return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
    }
    let path = append(parent, name);
    if path.len() > MAX_PATH {
        let what = format!("the names of this POA and those above it exceed {MAX_PATH} octets");
        return Err(SystemException::bad_param(Minor::BAD_ARGUMENT, what));
    }
    Ok(path)
}

/// The path that a child of `parent` with this name has.
pub(in crate::server::poa) fn child_path(parent: &PoaInner, name: &str) -> Box<[u8]> {
    append(&parent.path, name)
}

fn append(parent: &[u8], name: &str) -> Box<[u8]> {
    [parent, &[0], name.as_bytes()].concat().into()
}

#[cold]
fn ending(name: &str) -> SystemException {
    SystemException::new(
        ExceptionKind::BadInvOrder,
        Minor::BAD_INV_ORDER_POA_BEING_DESTROYED,
        Completion::No,
    )
    .with_reason(format!("POA {name:?} is being destroyed"))
}

#[cfg(feature = "demultiplexing-strategies")]
impl PoaBuilder {
    /// Sets how objects are found.
    ///
    /// Needs the feature `demultiplexing-strategies`.
    pub fn lookup(mut self, lookup: crate::ObjectLookup) -> Self {
        self.strategies.objects = lookup;
        self
    }

    /// Sets how its servants find the operation of a request, unless they [say
    /// so](AnyServant::with_operation_lookup) themselves.
    ///
    /// Needs the feature `demultiplexing-strategies`.
    pub fn operation_lookup(mut self, lookup: crate::OperationLookup) -> Self {
        self.strategies.operations = lookup;
        self
    }
}
