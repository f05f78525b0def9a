//! The POA managers of an ORB, by id: `POAManagerFactory` (CORBA 3.4 Part 1, 15.3.3). The managers
//! themselves are in `manager.rs`.

use super::gate::GateFlag;
use super::startup::StartupStage;
use crate::log::report;
use crate::policies::{CustomPolicy, PolicyError};
use crate::runtime::Orb;
use crate::server::poa::{Ending, ManagerState, Poa, PoaError, PoaInner, PoaManager};
use crate::sync::lock;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// With fewer managers than this, unused ones are not looked for.
const MIN_SWEEP: usize = 16;

/// The id of the root POA's manager.
const ROOT: &str = "RootPOAManager";

/// All POA managers of an ORB. A manager that has lost its last POA, and to which the program holds
/// no handle, is dropped.
pub(crate) struct Managers {
    known: BTreeMap<String, PoaManager>,
    /// At this number of managers, unused ones are looked for and dropped.
    sweep_at: usize,
    /// How many managers were created for POAs without an explicit one.
    made: u64,
    /// The initial state of these managers.
    initial: ManagerState,
    /// The stage in which any manager begins.
    stage: StartupStage,
}

impl Managers {
    /// The managers of an ORB, with that of its root POA. A manager created for a POA without an
    /// explicit one begins in the state `initial`.
    pub(crate) fn new(initial: ManagerState) -> (Self, PoaManager) {
        let (known, stage) = (BTreeMap::new(), StartupStage::Starting);
        let mut managers = Self { known, sweep_at: MIN_SWEEP, made: 0, initial, stage };
        let root = managers.for_root();
        (managers, root)
    }

    /// The manager of a new root POA. It replaces that of the destroyed one.
    fn for_root(&mut self) -> PoaManager {
        let state = (self.initial, self.stage);
        let manager = PoaManager::new(ROOT.to_owned(), state, Box::default());
        self.known.insert(ROOT.to_owned(), manager.clone());
        manager
    }

    fn present(&self) -> impl Iterator<Item = &PoaManager> {
        self.known.values().filter(|manager| !manager.is_unused())
    }

    /// Adds a new manager, unless one already has its id.
    fn insert(
        &mut self,
        id: String,
        state: ManagerState,
        policies: Box<[CustomPolicy]>,
    ) -> Option<PoaManager> {
        if self.known.len() >= self.sweep_at {
            self.known.retain(|_, manager| !manager.is_unused());
            self.sweep_at = MIN_SWEEP.max(2 * self.known.len());
        }
        let manager = PoaManager::new(id.clone(), (state, self.stage), policies);
        match self.known.entry(id) {
            Entry::Occupied(place) if !place.get().is_unused() => return None,
            Entry::Occupied(mut place) => drop(place.insert(manager.clone())),
            Entry::Vacant(place) => drop(place.insert(manager.clone())),
        }
        Some(manager)
    }

    /// A new manager for a POA without an explicit one.
    fn own(&mut self) -> PoaManager {
        loop {
            self.made += 1;
            let id = format!("POAManager{}", self.made);
            if let Some(manager) = self.insert(id, self.initial, Box::default()) {
                return manager;
            }
        }
    }
}

impl Orb {
    /// Creates a POA manager, which holds requests until it is activated:
    /// `POAManagerFactory::create_POAManager`. The ORB keeps it until its last POA is gone.
    ///
    /// # Errors
    /// `ManagerAlreadyExists` when the ORB already has a manager with this id; `BAD_INV_ORDER`
    /// ([`Minor::BAD_INV_ORDER_ORB_SHUT_DOWN`](crate::Minor::BAD_INV_ORDER_ORB_SHUT_DOWN)) when the
    /// ORB was shut down.
    #[doc(alias = "POAManagerFactory")]
    #[doc(alias = "the_POAManagerFactory")]
    #[doc(alias = "create_POAManager")]
    pub fn create_poa_manager(&self, id: impl Into<String>) -> Result<PoaManager, PoaError> {
        self.create_poa_manager_with(id, [])
    }

    /// [`create_poa_manager`](Self::create_poa_manager) with policies for all POAs of the manager.
    /// They are of types that programs define, since the policies of POAs are set on each POA.
    /// Interceptors see a policy of the manager where the POA itself has none of that type.
    ///
    /// # Errors
    /// The same; `PolicyError` with `BAD_POLICY` for a type without a [policy
    /// factory](crate::OrbBuilder::policy_factory) or of the ORB's own, and for two different
    /// policies of one type.
    pub fn create_poa_manager_with(
        &self,
        id: impl Into<String>,
        policies: impl IntoIterator<Item = CustomPolicy>,
    ) -> Result<PoaManager, PoaError> {
        self.check_running()?;
        let policies = self.policies_of_manager(policies)?;
        let made = lock(self.managers()).insert(id.into(), ManagerState::Holding, policies);
        made.ok_or(PoaError::ManagerAlreadyExists)
    }

    /// The policies of a manager, each once.
    fn policies_of_manager(
        &self,
        policies: impl IntoIterator<Item = CustomPolicy>,
    ) -> Result<Box<[CustomPolicy]>, PolicyError> {
        let mut taken: Vec<CustomPolicy> = Vec::new();
        for policy in policies {
            let kind = policy.policy_type();
            match taken.iter().find(|other| other.policy_type() == kind) {
                Some(other) if *other == policy => {}
                None if self.has_policy_factory(kind) => taken.push(policy),
                _ => return Err(PolicyError::BadPolicy),
            }
        }
        Ok(taken.into())
    }

    /// The POA managers of this ORB, sorted by id: `POAManagerFactory::list`.
    #[doc(alias = "list")]
    pub fn poa_managers(&self) -> Vec<PoaManager> {
        lock(self.managers()).present().cloned().collect()
    }

    /// The POA manager with this id: `POAManagerFactory::find`.
    #[doc(alias = "find")]
    pub fn find_poa_manager(&self, id: &str) -> Option<PoaManager> {
        lock(self.managers()).known.get(id).filter(|manager| !manager.is_unused()).cloned()
    }

    /// Deactivates the managers in these states and etherealizes objects, when the ORB is shut down
    /// (CORBA 3.4 Part 1, 15.3.2).
    pub(crate) fn deactivate_managers(&self, which: impl Fn(ManagerState) -> bool) {
        let managers = self.poa_managers().into_iter();
        for manager in managers.filter(|manager| which(manager.state())) {
            // It fails only for a manager that is already inactive.
            manager.deactivate(true, false).ok();
        }
    }

    /// Ends the startup of all POA managers, unless it has ended before: the program has created
    /// what its clients know.
    pub(crate) fn end_startup(&self) {
        self.set_stage(StartupStage::Started);
    }

    /// Ends the startup because the ORB is shut down: requests that wait are refused.
    pub(crate) fn abandon_startup(&self) {
        self.set_stage(StartupStage::ShutDown);
    }

    fn set_stage(&self, stage: StartupStage) {
        let mut managers = lock(self.managers());
        if managers.stage == StartupStage::Starting {
            managers.stage = stage;
            managers.known.values().for_each(|manager| manager.end_startup(stage));
        }
    }

    /// Creates a new root POA, unless another thread has done so.
    #[cold]
    pub(in crate::server::poa) fn recreate_root(&self) -> Poa {
        let mut managers = lock(self.managers());
        let before = self.root();
        if !before.gate.is(GateFlag::Destroyed) {
            return self.poa_of(&before);
        }
        let root = PoaInner::root(self.downgrade(), self.incarnation(), managers.for_root());
        // Who shuts the ORB down waits for those that have not ended, too.
        let earlier = lock(&before.state).ending_children.clone();
        let earlier = earlier.into_iter().filter(|poa| poa.parent.is_none());
        let ending = earlier.chain([before.clone()]).filter(|root| !root.has_ended());
        lock(&root.state).ending_children.extend(ending);
        self.adapters().insert(root.clone());
        self.set_root(root.clone());
        drop(managers);
        // Requests that wait for a child of the root or for a name turn to the new one.
        before.manager.look_again();
        let root = self.poa_of(&root);
        // The thread that shuts the ORB down finds this POA and destroys it, or this check fails.
        let refused = self.check_running().and_then(|()| root.establish());
        if let Err(error) = refused {
            report!(warn, "cannot create the root POA", error = error);
            root.inner.destroy(self, Ending::Quiet, false);
        }
        root
    }

    /// A manager for a POA without an explicit one.
    pub(in crate::server::poa) fn own_poa_manager(&self) -> PoaManager {
        lock(self.managers()).own()
    }
}
