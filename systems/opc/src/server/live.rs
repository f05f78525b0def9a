//! Groups that clients have, and those of one client.

use super::outbox::Outbox;
use super::simulation::Simulation;
use crate::data_access::iopc_data_callback;
use crate::model::{Group, Plant};
use crate::status::{DUPLICATE_NAME, INVALID_HANDLE};
use armilla_dcerpc::{Status, Uuid};
use armilla_dcom::server::ObjectCall;
use armilla_dcom::{ConnectionPoint, InterfacePointer};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

/// A group that clients call.
#[derive(Debug)]
pub(super) struct LiveGroup {
    pub(super) simulation: Arc<Simulation>,
    /// How the server names it.
    pub(super) handle: u32,
    /// The session that it belongs to, which knows further groups.
    pub(super) session: Weak<Groups>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) point: Arc<ConnectionPoint>,
    model: Mutex<Group>,
    /// How many sinks there had been at the last update.
    sinks: AtomicU32,
    removed: AtomicBool,
}

impl LiveGroup {
    pub(super) fn new(
        simulation: &Arc<Simulation>,
        session: Weak<Groups>,
        handle: u32,
        model: Group,
    ) -> Arc<Self> {
        let point = simulation.connection_point(iopc_data_callback::IID);
        let outbox = Outbox::new(point.clone(), model.settings.client_handle);
        Arc::new(Self {
            simulation: simulation.clone(),
            handle,
            session,
            outbox,
            point,
            model: Mutex::new(model),
            sinks: AtomicU32::new(0),
            removed: AtomicBool::new(false),
        })
    }

    pub(super) fn model(&self) -> MutexGuard<'_, Group> {
        self.model.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether somebody is told.
    pub(super) fn has_sinks(&self) -> bool {
        !self.point.is_empty()
    }

    /// Tells sinks what has changed, if it is time.
    pub(super) fn update(&self, plant: &Plant, now: Duration) {
        let mut model = self.model();
        if !model.is_due(now) || !model.enabled || self.point.is_empty() {
            return;
        }
        // A new sink is told everything, and with it the others.
        let sinks = self.point.connected();
        if self.sinks.swap(sinks, Ordering::SeqCst) != sinks {
            model.tell_all();
        }
        let changes = model.changes(plant.space(), plant.samples());
        if !changes.is_empty() {
            self.outbox.changed(changes);
        }
    }

    /// It was removed, and does nothing any more, though a client may still refer to it.
    pub(super) fn remove(&self) {
        self.removed.store(true, Ordering::SeqCst);
        self.outbox.close();
        self.model().clear();
    }

    /// Whether it was removed.
    pub(super) fn is_removed(&self) -> bool {
        self.removed.load(Ordering::SeqCst)
    }
}

impl Drop for LiveGroup {
    fn drop(&mut self) {
        self.outbox.close();
    }
}

/// The groups of a session.
#[derive(Debug, Default)]
pub(super) struct Groups(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    last: u32,
    by_handle: BTreeMap<u32, Arc<LiveGroup>>,
}

impl Groups {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn all(&self) -> Vec<Arc<LiveGroup>> {
        self.state().by_handle.values().cloned().collect()
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<LiveGroup>> {
        self.all().into_iter().find(|group| group.model().settings.name == name)
    }

    /// Adds a group; one without a name gets one.
    pub(super) fn add(
        self: &Arc<Self>,
        simulation: &Arc<Simulation>,
        mut model: Group,
    ) -> Result<Arc<LiveGroup>, Status> {
        let mut state = self.state();
        if state.by_handle.len() >= simulation.limits.groups_of_session {
            return Err(Status::OUT_OF_MEMORY);
        }
        state.last = state.last.wrapping_add(1).max(1);
        while state.by_handle.contains_key(&state.last) {
            state.last = state.last.wrapping_add(1).max(1);
        }
        let handle = state.last;
        if model.settings.name.is_empty() {
            model.settings.name = format!("Group{handle}");
        }
        let same = |group: &Arc<LiveGroup>| group.model().settings.name == model.settings.name;
        if state.by_handle.values().any(same) {
            return Err(DUPLICATE_NAME);
        }
        let group = LiveGroup::new(simulation, Arc::downgrade(self), handle, model);
        simulation.add_group(&group)?;
        state.by_handle.insert(handle, group.clone());
        Ok(group)
    }

    pub(super) fn rename(&self, group: &LiveGroup, name: String) -> Result<(), Status> {
        match self.find(&name) {
            _ if name.is_empty() => Err(Status::INVALID_ARGUMENT),
            Some(other) if other.handle != group.handle => Err(DUPLICATE_NAME),
            _ => {
                group.model().settings.name = name;
                Ok(())
            }
        }
    }

    /// A reference to an interface of a group.
    pub(super) fn pointer(
        &self,
        call: &ObjectCall<'_>,
        group: &Arc<LiveGroup>,
        iid: Uuid,
    ) -> Result<InterfacePointer, Status> {
        call.exports.pointer(group.clone(), iid)
    }

    pub(super) fn remove(&self, handle: u32) -> Result<(), Status> {
        let removed = self.state().by_handle.remove(&handle).ok_or(INVALID_HANDLE)?;
        removed.remove();
        Ok(())
    }

    pub(super) fn remove_all(&self) {
        let all = std::mem::take(&mut self.state().by_handle);
        all.values().for_each(|group| group.remove());
    }
}
