//! The POA managers of an ORB by their ids: `POAManagerFactory` (CORBA 3.4 Part 1, 15.3.3). What a
//! manager does is in `manager.rs`.

use super::{ManagerState, PoaError, PoaManager};
use crate::orb::{Orb, lock};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// With how many managers those are looked for that are no more, at least.
const FEW: usize = 16;

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
    /// Those of an ORB whose root POA has `root`.
    pub(crate) fn new(root: PoaManager) -> Self {
        let initial = root.state();
        let known = BTreeMap::from([(root.id().to_owned(), root)]);
        Self { known, enough: FEW, made: 0, initial }
    }

    fn present(&self) -> impl Iterator<Item = &PoaManager> {
        self.known.values().filter(|manager| !manager.is_over())
    }

    /// A new manager, unless one has its id.
    fn insert(&mut self, id: String, state: ManagerState) -> Option<PoaManager> {
        if self.known.len() >= self.enough {
            self.known.retain(|_, manager| !manager.is_over());
            self.enough = FEW.max(2 * self.known.len());
        }
        let manager = PoaManager::new(id.clone(), state);
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
            if let Some(manager) = self.insert(format!("POAManager{}", self.made), self.initial) {
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
        self.check_running()?;
        let made = lock(self.managers()).insert(id.into(), ManagerState::Holding);
        made.ok_or(PoaError::ManagerAlreadyExists)
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

    /// A manager for a POA that names none.
    pub(super) fn own_poa_manager(&self) -> PoaManager {
        lock(self.managers()).own()
    }
}
