//! The POA managers of an ORB by their ids: `POAManagerFactory` (CORBA 3.4 Part 1, 15.3.3). What a
//! manager does is in `manager.rs`.

use super::gate::GateFlag;
use super::{Ending, ManagerState, Poa, PoaError, PoaInner, PoaManager};
use crate::log::report;
use crate::policies::{CustomPolicy, PolicyError};
use crate::runtime::Orb;
use crate::sync::lock;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// With how many managers those are looked for that are no more, at least.
const FEW: usize = 16;

/// The id of the root POA's manager.
const ROOT: &str = "RootPOAManager";

/// All POA managers of an ORB. One that has lost its last POA, and that the program has no hold of, is
/// no more.
pub(crate) struct Managers {
    known: BTreeMap<String, PoaManager>,
    /// With how many those that are no more are forgotten.
    enough: usize,
    /// How many were made for POAs that named none.
    made: u64,
    /// What those begin with.
    initial: ManagerState,
}

impl Managers {
    /// Those of an ORB, with that of its root POA. Managers of POAs that name none begin as `initial`.
    pub(crate) fn new(initial: ManagerState) -> (Self, PoaManager) {
        let mut managers = Self { known: BTreeMap::new(), enough: FEW, made: 0, initial };
        let root = managers.for_root();
        (managers, root)
    }

    /// The manager of a new root POA. That of the one before, which has ended with all below it, is known
    /// no more.
    fn for_root(&mut self) -> PoaManager {
        let manager = PoaManager::new(ROOT.to_owned(), self.initial, Box::default());
        self.known.insert(ROOT.to_owned(), manager.clone());
        manager
    }

    fn present(&self) -> impl Iterator<Item = &PoaManager> {
        self.known.values().filter(|manager| !manager.is_over())
    }

    /// A new manager, unless one has its id.
    fn insert(
        &mut self,
        id: String,
        state: ManagerState,
        policies: Box<[CustomPolicy]>,
    ) -> Option<PoaManager> {
        if self.known.len() >= self.enough {
            self.known.retain(|_, manager| !manager.is_over());
            self.enough = FEW.max(2 * self.known.len());
        }
        let manager = PoaManager::new(id.clone(), state, policies);
        match self.known.entry(id) {
            Entry::Occupied(place) if !place.get().is_over() => return None,
            Entry::Occupied(mut place) => drop(place.insert(manager.clone())),
            Entry::Vacant(place) => drop(place.insert(manager.clone())),
        }
        Some(manager)
    }

    /// A new manager for a POA that named none.
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
    /// A new POA manager, which holds requests until it is activated:
    /// `POAManagerFactory::create_POAManager`. The ORB keeps it until its last POA is gone.
    ///
    /// # Errors
    /// `ManagerAlreadyExists` when the ORB has a manager with this id; `BAD_INV_ORDER` (reason 4) when
    /// the ORB was shut down.
    pub fn create_poa_manager(&self, id: impl Into<String>) -> Result<PoaManager, PoaError> {
        self.create_poa_manager_with(id, [])
    }

    /// [`create_poa_manager`](Self::create_poa_manager) with policies for all POAs of the manager. Those of
    /// POAs are for POAs, so that these are of types that programs define; interceptors find them where
    /// the POA itself has none of the type.
    ///
    /// # Errors
    /// The same; `PolicyError` with `BAD_POLICY` for a type that nobody [makes policies
    /// of](crate::OrbBuilder::policy_factory), or that is the ORB's own, and for two different policies of
    /// one type.
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

    /// The POA managers of this ORB, by their ids: `POAManagerFactory::list`.
    pub fn poa_managers(&self) -> Vec<PoaManager> {
        lock(self.managers()).present().cloned().collect()
    }

    /// The POA manager with this id: `POAManagerFactory::find`.
    pub fn find_poa_manager(&self, id: &str) -> Option<PoaManager> {
        lock(self.managers()).known.get(id).filter(|manager| !manager.is_over()).cloned()
    }

    /// Deactivates the managers in these states, and has objects etherealized: the end of the ORB
    /// (CORBA 3.4 Part 1, 15.3.2).
    pub(crate) fn deactivate_managers(&self, which: impl Fn(ManagerState) -> bool) {
        let managers = self.poa_managers().into_iter();
        for manager in managers.filter(|manager| which(manager.state())) {
            // It is inactive in any case.
            manager.deactivate(true, false).ok();
        }
    }

    /// A new root POA, unless another thread has made one.
    #[cold]
    pub(super) fn recreate_root(&self) -> Poa {
        let mut managers = lock(self.managers());
        let before = self.root();
        if !before.gate.is(GateFlag::Destroyed) {
            return self.poa_of(&before);
        }
        let root = PoaInner::root(self.downgrade(), self.incarnation(), managers.for_root());
        self.adapters().insert(root.clone());
        self.set_root(root.clone());
        drop(managers);
        let root = self.poa_of(&root);
        // Whoever ends the ORB destroys it, or has not found it.
        let refused = self.check_running().and_then(|()| root.establish());
        if let Err(error) = refused {
            report!(warn, "there is no root POA", error = error);
            root.inner.destroy(self, Ending::Quiet, false);
        }
        root
    }

    /// A manager for a POA that names none.
    pub(super) fn own_poa_manager(&self) -> PoaManager {
        lock(self.managers()).own()
    }
}
