//! A fault tolerance domain, as a manager of it sees it: what is written down, and what this process
//! knows besides.

use super::calls::Factories;
use super::plan::Facts;
use super::record::{GroupRecord, Shelf};
use super::upkeep::{MakeFailure, Progress, Upkeep};
use crate::documents::Documents;
use crate::model::{Failure, View};
use crate::reference::{GroupName, group_of, group_reference, memberless_reference};
use armilla::{ExceptionKind, Object, Orb, SystemException};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The numbers of the groups of managers, and of notifiers.
pub(super) const GROUPS_OF_MANAGERS: [u64; 2] = [0, 1];

/// The ids of the objects of a manager: that of the manager, and that of the notifier.
pub(super) const OBJECTS: [&[u8]; 2] = [b"manager", b"notifier"];

/// How long a factory that has failed is not asked again.
const AVOIDED: Duration = Duration::from_secs(5);

/// The most groups that are worked on at once because of faults.
const AT_ONCE: usize = 32;

/// How long a request waits for another manager that works on the group.
const PATIENCE: Duration = Duration::from_secs(20);

/// What a manager knows of others.
#[derive(Default)]
pub(super) struct Known {
    /// The managers, and the notifiers.
    pub(super) views: [View; 2],
    /// The members that do not answer, by group.
    pub(super) gone: BTreeMap<u64, BTreeSet<String>>,
    /// The locations whose factory has failed, by group, and when.
    avoided: BTreeMap<(u64, String), Instant>,
}

/// A member of a group, for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberState {
    /// Its location.
    pub location: String,
    /// Whether it is the primary.
    pub is_primary: bool,
    /// Whether it answers, as far as this manager knows.
    pub is_alive: bool,
}

/// A group, for operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupState {
    /// What is written down about it.
    pub record: GroupRecord,
    /// The version of its view.
    pub version: u32,
    /// Its members.
    pub members: Vec<MemberState>,
}

pub(super) struct Domain {
    pub(super) orb: Orb,
    pub(super) documents: Arc<dyn Documents>,
    /// The name of the domain.
    pub(super) name: String,
    /// The name of this manager.
    pub(super) me: String,
    pub(super) ends: AtomicBool,
    /// How many faults were found, and how many members were made.
    pub(super) counts: [AtomicU64; 2],
    known: Mutex<Known>,
    /// The groups that a thread of this process works on.
    busy: Mutex<BTreeSet<u64>>,
    freed: Condvar,
}

/// A group that this thread works on, and no other.
struct Busy<'d>(&'d Domain, u64);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
        self.0.freed.notify_all();
    }
}

impl Domain {
    pub(super) fn new(orb: &Orb, documents: Arc<dyn Documents>, name: String, me: String) -> Self {
        let (known, busy, freed, ends, counts) = Default::default();
        Self { orb: orb.clone(), documents, name, me, ends, counts, known, busy, freed }
    }

    pub(super) fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn shelf(&self) -> Shelf<'_> {
        Shelf { documents: &*self.documents, domain: &self.name }
    }

    /// Works with the documents and the factories.
    pub(super) fn with<T>(&self, act: impl FnOnce(&Upkeep<'_>) -> T) -> T {
        let makers = Factories::new(&self.orb, &self.name);
        act(&Upkeep { shelf: self.shelf(), makers: &makers })
    }

    /// Whether this manager is the one that looks after members.
    pub(super) fn leads(&self) -> bool {
        self.known().views[0].primary().is_some_and(|first| first.name == self.me)
    }

    /// The group of the managers that the object with this id belongs to.
    pub(super) fn group_of_managers(&self, object: &[u8]) -> Option<(GroupName, View)> {
        let at = OBJECTS.iter().position(|id| *id == object)?;
        let view = self.known().views[at].clone();
        let name = GroupName::new(&*self.name, GROUPS_OF_MANAGERS[at]);
        (view.version != 0).then_some((name, view))
    }

    /// Keeps a group for this thread; `None` if another one has it and `waits` is false, or has it for
    /// too long.
    fn occupy(&self, number: u64, waits: bool) -> Option<Busy<'_>> {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        let patience = if waits { PATIENCE } else { Duration::ZERO };
        let waited = self.freed.wait_timeout_while(busy, patience, |busy| busy.contains(&number));
        let (mut busy, _) = waited.unwrap_or_else(PoisonError::into_inner);
        busy.insert(number).then(|| Busy(self, number))
    }

    /// Whether a thread of this process works on a group, or too many work on others.
    pub(super) fn is_busy(&self, number: u64) -> bool {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        busy.contains(&number) || busy.len() >= AT_ONCE
    }

    /// Forgets who does not answer: this manager asks nobody any more.
    pub(super) fn forget_the_gone(&self) {
        let busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.known().gone.retain(|number, _| busy.contains(number));
    }

    /// Does something alone for a group, and then what is left to do for it. A request `waits` for
    /// others that work on it. Returns why a member was not made, if one was not.
    pub(super) fn work<T>(
        &self,
        number: u64,
        waits: bool,
        first: impl FnOnce(&Upkeep<'_>) -> Result<T, Failure>,
    ) -> Result<(Option<T>, Option<MakeFailure>), Failure> {
        let Some(_busy) = self.occupy(number, waits) else {
            let what = format!("another request works on the group {}/{number}", self.name);
            return if waits { Err(Failure(what)) } else { Ok((None, None)) };
        };
        self.with(|upkeep| {
            let first = first(upkeep)?;
            let begun = Instant::now();
            let mut failure = None;
            while begun.elapsed() < PATIENCE && !self.ends.load(Ordering::Relaxed) {
                match self.step(upkeep, number)? {
                    Progress::Done | Progress::Forgotten => break,
                    Progress::Waits if !waits => break,
                    Progress::Waits => thread::sleep(Duration::from_millis(20)),
                    Progress::Again => {}
                    Progress::Failed(location, why) => {
                        let group = format!("{}/{number}", self.name);
                        tracing::warn!(group, location, %why, "no member was made");
                        self.known().avoided.insert((number, location), Instant::now());
                        failure = Some(why);
                    }
                }
            }
            Ok((Some(first), failure))
        })
    }

    fn step(&self, upkeep: &Upkeep<'_>, number: u64) -> Result<Progress, Failure> {
        let (managers, gone, avoided) = {
            let mut known = self.known();
            known.avoided.retain(|_, since| since.elapsed() < AVOIDED);
            let managers: BTreeSet<_> =
                known.views[0].members.iter().map(|it| it.name.clone()).collect();
            let avoided = known.avoided.keys().filter(|(of, _)| *of == number);
            let avoided: BTreeSet<_> = avoided.map(|(_, location)| location.clone()).collect();
            (managers, known.gone.get(&number).cloned().unwrap_or_default(), avoided)
        };
        let (gone, avoided, managers) = (&gone, &avoided, &managers);
        upkeep.step(number, Facts { me: &self.me, managers, gone, avoided })
    }

    /// The number of the group that a reference denotes, if it is one of this domain that is known.
    pub(super) fn number(&self, group: &Object) -> Result<Option<u64>, Failure> {
        let Some(of_group) = group_of(&group.ior()) else { return Ok(None) };
        if of_group.domain != self.name {
            return Ok(None);
        }
        let found = self.shelf().group(of_group.group)?;
        Ok(found.filter(|(record, _)| !record.is_deleted).map(|_| of_group.group))
    }

    /// The reference to a group.
    pub(super) fn reference(&self, record: &GroupRecord) -> Result<Object, SystemException> {
        let view = self.with(|upkeep| upkeep.view(record.number)).map_err(unavailable)?;
        let name = GroupName::new(&*self.name, record.number);
        let mut ior = match view.members.is_empty() {
            true => memberless_reference(&name, view.version, &record.type_id)?,
            false => group_reference(&name, &view)?,
        };
        if !record.type_id.is_empty() {
            ior.type_id.clone_from(&record.type_id);
        }
        let text =
            ior.to_text().map_err(|error| ExceptionKind::InvObjref.because(error.to_string()));
        self.orb.string_to_object(&text?)
    }

    /// All groups, for operators.
    pub(super) fn groups(&self) -> Result<Vec<GroupState>, Failure> {
        let all = self.shelf().groups()?;
        let state = |(record, _): (GroupRecord, u64)| {
            let view = self.with(|upkeep| upkeep.view(record.number))?;
            let gone = self.known().gone.get(&record.number).cloned().unwrap_or_default();
            let member = |(place, it): (usize, &crate::model::MemberInfo)| MemberState {
                location: it.name.clone(),
                is_primary: place == 0,
                is_alive: !gone.contains(&it.name),
            };
            let members = view.members.iter().enumerate().map(member).collect();
            Ok(GroupState { record, version: view.version, members })
        };
        all.into_iter().map(state).collect()
    }
}

/// What clients are told when documents cannot be read or written.
pub(super) fn unavailable(failure: Failure) -> SystemException {
    ExceptionKind::Transient.because(failure.0)
}
