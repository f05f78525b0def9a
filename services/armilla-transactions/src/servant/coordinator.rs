//! Control, Coordinator, Terminator and RecoveryCoordinator (Transaction Service 1.4, 2.4).

use super::begin::{mark_rollback, new_nested};
use super::remote::{RemotePart, RemoteResource, RemoteSynchronization, wire};
use super::site::host_of;
use super::{Site, entry};
use crate::context::global;
use crate::corba::control::{GetCoordinatorRaises, GetTerminatorRaises};
use crate::corba::coordinator::{
    CreateSubtransactionRaises, GetTxcontextRaises, RegisterResourceRaises,
    RegisterSubtranAwareRaises, RegisterSynchronizationRaises, RollbackOnlyRaises,
};
use crate::corba::recovery_coordinator::ReplayCompletionRaises;
use crate::corba::terminator::CommitRaises;
use crate::corba::{
    Control, ControlRef, Coordinator, CoordinatorRef, HeuristicHazard, HeuristicMixed, Inactive,
    NotPrepared, NotSubtransaction, PropagationContext, RecoveryCoordinator,
    RecoveryCoordinatorRef, ResourceRef, Status, SubtransactionAwareResourceRef,
    SynchronizationRef, Terminator, TerminatorRef, Unavailable,
};
use crate::current::internally;
use crate::engine::{Entry, number_of};
use crate::model::{Event, GlobalId, Heuristic, Outcome, Reply, Status as Known};
use armilla::{Completion, Error, ExceptionKind, SystemException};
use std::sync::Arc;

pub(super) struct Controls(pub(super) Arc<Site>);

impl Control for Controls {
    fn get_terminator(&self) -> Result<TerminatorRef, Error<GetTerminatorRaises>> {
        let (entry, _) = entry(&self.0)?;
        match entry.subordinate {
            true => Err(Error::User(Unavailable {}.into())),
            false => Ok(self.0.terminator(entry.key)?),
        }
    }

    fn get_coordinator(&self) -> Result<CoordinatorRef, Error<GetCoordinatorRaises>> {
        let (entry, _) = entry(&self.0)?;
        Ok(self.0.coordinator(entry.key)?)
    }
}

pub(super) struct Terminators(pub(super) Arc<Site>);

impl Terminator for Terminators {
    fn commit(&self, report_heuristics: bool) -> Result<(), Error<CommitRaises>> {
        let (entry, _) = entry(&self.0)?;
        let reply = self.0.engine.drive(&entry, Event::Commit);
        match reply {
            Some(Reply::Outcome(Outcome::Committed)) => Ok(()),
            Some(Reply::Outcome(Outcome::RolledBack)) => Err(rolled_back(&entry).into()),
            Some(Reply::Outcome(Outcome::Heuristic { committed, what })) => match what {
                _ if !report_heuristics && committed => Ok(()),
                _ if !report_heuristics => Err(rolled_back(&entry).into()),
                Heuristic::Hazard => Err(Error::User(HeuristicHazard {}.into())),
                _ => Err(Error::User(HeuristicMixed {}.into())),
            },
            Some(Reply::Outcome(Outcome::Unknown)) => Err(unknown().into()),
            _ => Err(invalid().into()),
        }
    }

    fn rollback(&self) -> Result<(), SystemException> {
        let (entry, _) = entry(&self.0)?;
        match self.0.engine.drive(&entry, Event::Rollback) {
            Some(Reply::Outcome(_) | Reply::Done) => Ok(()),
            _ => Err(invalid()),
        }
    }
}

/// `TRANSACTION_ROLLEDBACK`, with the reason if it is known.
fn rolled_back(entry: &Entry) -> SystemException {
    let why = match entry.machine().has_timed_out() {
        true => "its time was up",
        false => "it was marked, a participant voted so, or calls were still under way",
    };
    let made = ExceptionKind::TransactionRolledback.because(why);
    made.with_completed(Completion::Yes)
}

fn unknown() -> SystemException {
    let why = "whether the transaction has committed is not known: its log could not be written";
    let made = ExceptionKind::TransactionUnavailable.because(why);
    made.with_completed(Completion::Maybe)
}

fn invalid() -> SystemException {
    ExceptionKind::InvalidTransaction.because("the transaction is being ended already")
}

pub(super) struct Coordinators(pub(super) Arc<Site>);

impl Coordinators {
    fn status_of(
        &self,
        which: impl FnOnce(&Arc<Entry>) -> Arc<Entry>,
    ) -> Result<Status, SystemException> {
        entry(&self.0).map(|(entry, _)| wire(which(&entry).status()))
    }

    /// What the context of another coordinator tells: its transaction, and those of which it is a part,
    /// the whole one last.
    fn line_of(&self, other: &CoordinatorRef) -> Result<Vec<GlobalId>, SystemException> {
        let (entry, _) = entry(&self.0)?;
        if self.0.coordinator(entry.key)?.object().is_equivalent(other.object()) {
            return Ok(entry.upwards().map(|it| it.global.clone()).collect());
        }
        let context = internally(|| other.get_txcontext()).map_err(|error| match error {
            Error::System(exception) => exception,
            Error::User(_) => ExceptionKind::InvalidTransaction.because("it tells no identifier"),
        })?;
        let all = std::iter::once(context.current).chain(context.parents);
        Ok(all.map(|it| global(it.otid)).collect())
    }

    /// Whether the transaction of another coordinator fits this one.
    fn compare(
        &self,
        other: &CoordinatorRef,
        fits: impl FnOnce(&[GlobalId], &Arc<Entry>) -> bool,
    ) -> Result<bool, SystemException> {
        let (entry, _) = entry(&self.0)?;
        Ok(!other.is_nil() && fits(&self.line_of(other)?, &entry))
    }
}

/// Whether the first of these is of the transaction.
fn is_first(line: &[GlobalId], entry: &Entry) -> bool {
    line.first().is_some_and(|it| it.is_same(&entry.global))
}

/// The same of the last one.
fn is_last(line: &[GlobalId], entry: &Entry) -> bool {
    line.last().is_some_and(|it| it.is_same(&entry.global))
}

/// A number that all coordinators of a transaction share: FNV-1a.
fn hash(entry: &Entry) -> u32 {
    let (_, octets) = entry.global.global();
    let add = |hash: u32, octet: &u8| (hash ^ u32::from(*octet)).wrapping_mul(0x0100_0193);
    octets.iter().fold(0x811c_9dc5, add)
}

impl Coordinator for Coordinators {
    fn get_status(&self) -> Result<Status, SystemException> {
        self.status_of(Clone::clone)
    }

    fn get_parent_status(&self) -> Result<Status, SystemException> {
        self.status_of(|entry| entry.parent.as_ref().unwrap_or(entry).clone())
    }

    fn get_top_level_status(&self) -> Result<Status, SystemException> {
        self.status_of(|entry| entry.whole().clone())
    }

    fn is_same_transaction(&self, tc: &CoordinatorRef) -> Result<bool, SystemException> {
        self.compare(tc, |line, entry| is_first(line, entry))
    }

    fn is_related_transaction(&self, tc: &CoordinatorRef) -> Result<bool, SystemException> {
        self.compare(tc, |line, entry| is_last(line, entry.whole()))
    }

    fn is_ancestor_transaction(&self, tc: &CoordinatorRef) -> Result<bool, SystemException> {
        self.compare(tc, |line, entry| line.iter().any(|it| it.is_same(&entry.global)))
    }

    fn is_descendant_transaction(&self, tc: &CoordinatorRef) -> Result<bool, SystemException> {
        self.compare(tc, |line, entry| entry.upwards().any(|it| is_first(line, it)))
    }

    fn is_top_level_transaction(&self) -> Result<bool, SystemException> {
        entry(&self.0).map(|(entry, _)| entry.parent.is_none())
    }

    fn hash_transaction(&self) -> Result<u32, SystemException> {
        entry(&self.0).map(|(entry, _)| hash(&entry))
    }

    fn hash_top_level_tran(&self) -> Result<u32, SystemException> {
        entry(&self.0).map(|(entry, _)| hash(entry.whole()))
    }

    fn register_resource(
        &self,
        r: &ResourceRef,
    ) -> Result<RecoveryCoordinatorRef, Error<RegisterResourceRaises>> {
        let (entry, _) = entry(&self.0)?;
        if r.is_nil() {
            return Err(nil("a resource").into());
        }
        if !entry.machine().is_active() {
            return Err(Error::User(Inactive {}.into()));
        }
        self.0.join(&entry, false)?;
        let name = self.0.orb.object_to_string(r)?;
        let resource = Arc::new(RemoteResource(r.clone()));
        match entry.enlist(&name, resource) {
            // What a subtransaction has, the whole transaction ends.
            Ok(_) => Ok(self.0.recovery(entry.whole().key, number_of(&name))?),
            Err(_) => Err(Error::User(Inactive {}.into())),
        }
    }

    fn register_synchronization(
        &self,
        sync: &SynchronizationRef,
    ) -> Result<(), Error<RegisterSynchronizationRaises>> {
        let (entry, _) = entry(&self.0)?;
        if sync.is_nil() {
            return Err(nil("a synchronization").into());
        }
        // It hears of the end of the whole.
        let whole = entry.whole();
        self.0.join(whole, true)?;
        let synchronization = Arc::new(RemoteSynchronization(sync.clone()));
        whole.synchronize(synchronization).map_err(|_| Error::User(Inactive {}.into()))
    }

    fn register_subtran_aware(
        &self,
        r: &SubtransactionAwareResourceRef,
    ) -> Result<(), Error<RegisterSubtranAwareRaises>> {
        let (entry, _) = entry(&self.0)?;
        let Some(parent) = &entry.parent else {
            return Err(Error::User(NotSubtransaction {}.into()));
        };
        if r.is_nil() {
            return Err(nil("a resource").into());
        }
        self.0.join(&entry, false)?;
        let parent = self.0.coordinator(parent.key)?;
        // Narayana registers each of its subordinates twice.
        let reference = self.0.orb.object_to_string(r)?;
        let part = RemotePart { part: r.clone(), parent };
        entry.hear(reference, Arc::new(part)).map_err(|_| Error::User(Inactive {}.into()))
    }

    fn rollback_only(&self) -> Result<(), Error<RollbackOnlyRaises>> {
        let (entry, _) = entry(&self.0)?;
        match mark_rollback(&self.0.engine, &entry) {
            true => Ok(()),
            false => Err(Error::User(Inactive {}.into())),
        }
    }

    fn get_transaction_name(&self) -> Result<String, SystemException> {
        entry(&self.0).map(|(entry, _)| entry.global.to_string())
    }

    fn create_subtransaction(&self) -> Result<ControlRef, Error<CreateSubtransactionRaises>> {
        let (entry, _) = entry(&self.0)?;
        if !entry.machine().is_active() {
            return Err(Error::User(Inactive {}.into()));
        }
        let part = new_nested(&self.0.engine, &entry)?;
        Ok(self.0.control(part.key)?)
    }

    fn get_txcontext(&self) -> Result<PropagationContext, Error<GetTxcontextRaises>> {
        let (entry, _) = entry(&self.0)?;
        if !entry.machine().is_active() {
            return Err(Error::User(Unavailable {}.into()));
        }
        Ok(self.0.context_of(&entry)?)
    }
}

fn nil(what: &str) -> SystemException {
    ExceptionKind::BadParam.because(format!("{what} is the nil reference"))
}

pub(super) struct RecoveryCoordinators(pub(super) Arc<Site>);

impl RecoveryCoordinator for RecoveryCoordinators {
    /// A resource that comes back may have another reference: Narayana's subordinates do.
    fn replay_completion(&self, r: &ResourceRef) -> Result<Status, Error<ReplayCompletionRaises>> {
        let (entry, number) = entry(&self.0)?;
        let place = entry.place_of(number);
        if let Some(place) = place.filter(|_| !r.is_nil()) {
            entry.set_remote(place, Arc::new(RemoteResource(r.clone())), host_of(r.object()));
        }
        match self.0.engine.drive(&entry, Event::Replay(place)) {
            Some(Reply::Status(Known::Active | Known::MarkedRollback)) => {
                Err(Error::User(NotPrepared {}.into()))
            }
            Some(Reply::Status(status)) => Ok(wire(status)),
            _ => Err(ExceptionKind::Transient
                .because("whether the transaction has committed is not known yet")
                .with_hint("ask again")
                .into()),
        }
    }
}
