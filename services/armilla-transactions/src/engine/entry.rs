//! A transaction, and the objects that take part in it.

use super::local::parse_local;
use crate::associations::Association;
use crate::model::{
    Action, Event, GlobalId, Key, Options, RegisterError, Reply, Status, SuperiorAnswer, Time,
    Transaction,
};
use crate::resource::{Resource, ResourceError, Synchronization};
use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// Where somebody is: the addresses of a reference, or the name of a resource manager.
pub(crate) type Host = Arc<str>;

/// What the engine cannot do itself: find and ask what is elsewhere.
pub(crate) trait Elsewhere: Send + Sync {
    /// The resource with this reference.
    ///
    /// # Errors
    /// It is nowhere now.
    fn resource(&self, reference: &str) -> Result<Arc<dyn Resource>, ResourceError>;

    /// Registers a subordinate with its superior, unless that was done. Returns whether it takes part.
    fn join(&self, entry: &Entry) -> bool;

    /// Where the object with this reference is.
    fn host(&self, reference: &str) -> Option<Host>;

    /// What the superior says about a subordinate.
    fn ask(&self, superior: &str, entry: &Entry) -> SuperiorAnswer;
}

/// A transaction of this process.
pub(crate) struct Entry {
    pub(crate) key: Key,
    pub(crate) global: GlobalId,
    pub(crate) subordinate: bool,
    machine: Mutex<Transaction>,
    /// The participants that are at hand, by their places.
    members: Mutex<Vec<Option<Arc<dyn Resource>>>>,
    /// Where participants are, by their places, and the superior, as far as somebody had to know.
    pub(super) hosts: Mutex<HashMap<Option<usize>, Host>>,
    synchronizations: Mutex<Vec<Arc<dyn Synchronization>>>,
    /// When the timer looks at it.
    pub(super) wake: Mutex<Option<Time>>,
    /// What the servants know of its superior.
    pub(crate) superior: OnceLock<Box<dyn Any + Send + Sync>>,
    /// Held while a subordinate registers with its superior.
    pub(crate) upward: Mutex<Upward>,
    /// What travels with requests, but for the time that is left.
    pub(crate) context: OnceLock<Vec<u8>>,
    /// What slots of threads that work in it hold.
    pub(crate) association: OnceLock<Association<Self>>,
    /// The transaction of which this is a part.
    pub(crate) parent: Option<Arc<Self>>,
    /// The parts of it that have not ended.
    parts: Mutex<Vec<Weak<Self>>>,
    /// Whether the transaction above counts it as one that has not ended.
    counted: AtomicBool,
    /// Who hears of the end of a part, by their references.
    hearers: Mutex<HashSet<String>>,
    /// Whether the program has joined it by itself, and so may let somebody take part at any time.
    pub(super) stays: AtomicBool,
}

/// What of a subordinate its superior knows.
#[derive(Debug, Default)]
pub(crate) struct Upward {
    pub(crate) resource: bool,
    pub(crate) synchronization: bool,
}

impl Entry {
    pub(crate) fn new(transaction: Transaction) -> Self {
        Self {
            key: transaction.key(),
            global: transaction.global().clone(),
            subordinate: transaction.is_subordinate(),
            members: Mutex::new(vec![None; transaction.participants().len()]),
            machine: Mutex::new(transaction),
            hosts: Mutex::default(),
            synchronizations: Mutex::default(),
            wake: Mutex::default(),
            superior: OnceLock::new(),
            upward: Mutex::default(),
            context: OnceLock::new(),
            association: OnceLock::new(),
            parent: None,
            parts: Mutex::default(),
            counted: AtomicBool::new(false),
            hearers: Mutex::default(),
            stays: AtomicBool::new(false),
        }
    }

    pub(crate) fn root(
        key: Key,
        global: GlobalId,
        deadline: Option<Time>,
        options: Options,
    ) -> Self {
        Self::new(Transaction::root(key, global, deadline, options))
    }

    /// A part of another transaction.
    pub(crate) fn nested(transaction: Transaction, parent: Arc<Self>) -> Self {
        Self { parent: Some(parent), ..Self::new(transaction.nested()) }
    }

    /// This and those of which it is a part, the whole transaction last.
    pub(crate) fn upwards(self: &Arc<Self>) -> impl Iterator<Item = &Arc<Self>> {
        iter::successors(Some(self), |it| it.parent.as_ref())
    }

    /// The whole transaction of which this is a part.
    pub(crate) fn whole(self: &Arc<Self>) -> &Arc<Self> {
        self.upwards().last().unwrap_or(self)
    }

    /// Notes a part that has begun, unless the transaction is ending.
    pub(crate) fn add_part(&self, part: &Arc<Self>) -> Result<(), RegisterError> {
        let mut parts = lock(&self.parts);
        if !self.machine().is_active() {
            return Err(RegisterError);
        }
        parts.retain(|it| it.upgrade().is_some_and(|it| it.key != part.key));
        parts.push(Arc::downgrade(part));
        Ok(())
    }

    /// The transaction of which this is a part cannot commit any more before this has ended.
    ///
    /// # Errors
    /// It is ending.
    pub(crate) fn count_in(&self) -> Result<(), RegisterError> {
        match &self.parent {
            Some(parent) if !self.counted.swap(true, Ordering::AcqRel) => {
                parent.machine().part_began()
            }
            _ => Ok(()),
        }
    }

    /// Takes a part that has ended from the transaction of which it is one, and returns that.
    pub(super) fn leave_parent(&self) -> Option<&Arc<Self>> {
        let parent = self.parent.as_ref()?;
        lock(&parent.parts).retain(|it| it.upgrade().is_some_and(|it| it.key != self.key));
        if self.counted.swap(false, Ordering::AcqRel) {
            parent.machine().part_ended();
        }
        Some(parent)
    }

    /// The parts that have not ended.
    pub(super) fn parts(&self) -> Vec<Arc<Self>> {
        lock(&self.parts).iter().filter_map(Weak::upgrade).collect()
    }

    /// Lets the transaction of which this is a part have its participants.
    pub(super) fn bequeath(&self, parent: &Self) -> Result<(), RegisterError> {
        let members = lock(&self.members).clone();
        let names: Vec<_> =
            self.machine().participants().iter().map(|it| it.name().clone()).collect();
        for (name, member) in names.iter().zip(members) {
            // Nobody has recovered it: a part ends with its process.
            let Some(member) = member else { return Err(RegisterError) };
            parent.enlist(name, member)?;
        }
        Ok(())
    }

    /// Whether somebody takes part.
    pub(super) fn has_participants(&self) -> bool {
        !lock(&self.members).is_empty()
    }

    pub(crate) fn machine(&self) -> MutexGuard<'_, Transaction> {
        lock(&self.machine)
    }

    pub(super) fn handle(&self, event: Event, now: Time) -> Vec<Action> {
        self.machine().handle(event, now)
    }

    pub(crate) fn status(&self) -> Status {
        self.machine().status()
    }

    /// Adds a participant, and returns its place.
    pub(crate) fn enlist(
        &self,
        name: &str,
        resource: Arc<dyn Resource>,
    ) -> Result<usize, RegisterError> {
        let mut members = lock(&self.members);
        let place = self.machine().register(name.into())?;
        members.push(Some(resource));
        Ok(place)
    }

    pub(crate) fn synchronize(
        &self,
        synchronization: Arc<dyn Synchronization>,
    ) -> Result<(), RegisterError> {
        let mut all = lock(&self.synchronizations);
        self.machine().register_synchronization()?;
        all.push(synchronization);
        Ok(())
    }

    /// Lets somebody hear of the end of a part, unless that was asked for before.
    pub(crate) fn hear(
        &self,
        reference: String,
        hearer: Arc<dyn Synchronization>,
    ) -> Result<(), RegisterError> {
        match lock(&self.hearers).insert(reference) {
            true => self.synchronize(hearer),
            false => Ok(()),
        }
    }

    pub(super) fn synchronization(&self, place: usize) -> Option<Arc<dyn Synchronization>> {
        lock(&self.synchronizations).get(place).cloned()
    }

    /// Whether nobody here would have to hear of the end of a subordinate, and nobody is at work in it.
    pub(super) fn is_idle(&self) -> bool {
        self.may_rest() && !self.machine().has_calls()
    }

    /// Whether nobody here would have to hear of the end of a subordinate.
    pub(super) fn may_rest(&self) -> bool {
        self.subordinate && !self.stays.load(Ordering::Relaxed) && self.is_empty()
    }

    /// Whether there is nobody who would have to hear of its end.
    fn is_empty(&self) -> bool {
        let nobody = lock(&self.members).is_empty() && lock(&self.synchronizations).is_empty();
        nobody && lock(&self.parts).is_empty()
    }

    /// The participant in a place, or the name by which it is found.
    pub(super) fn member(&self, place: usize) -> Result<Arc<dyn Resource>, Arc<str>> {
        if let Some(Some(member)) = lock(&self.members).get(place) {
            return Ok(member.clone());
        }
        let machine = self.machine();
        Err(machine.participants().get(place).map_or_else(|| "".into(), |it| it.name().clone()))
    }

    /// The place of the participant with this [number](number_of).
    pub(crate) fn place_of(&self, number: u64) -> Option<usize> {
        self.machine().participants().iter().position(|it| number_of(it.name()) == number)
    }

    /// Notes where a participant of another process is now.
    pub(crate) fn set_remote(&self, place: usize, member: Arc<dyn Resource>, host: Option<Host>) {
        let is_remote = self.machine().participants().get(place).is_some_and(|it| {
            // Those of this process are found by their managers.
            !it.name().is_empty() && parse_local(it.name()).is_none()
        });
        if is_remote {
            self.set_member(place, member);
            if let Some(host) = host {
                lock(&self.hosts).insert(Some(place), host);
            }
        }
    }

    /// Whether a participant outlives the process, here or elsewhere.
    pub(super) fn has_names(&self) -> bool {
        self.machine().participants().iter().any(|it| !it.name().is_empty())
    }

    pub(super) fn set_member(&self, place: usize, member: Arc<dyn Resource>) {
        if let Some(at) = lock(&self.members).get_mut(place) {
            *at = Some(member);
        }
    }

    /// A reply to an event that changes nothing and calls nobody.
    pub(crate) fn ask(&self, event: Event, now: Time) -> Option<Reply> {
        self.handle(event, now).into_iter().find_map(|action| match action {
            Action::Reply(reply) => Some(reply),
            _ => None,
        })
    }
}

/// What a participant is called where it asks for the outcome: a number of its name, which is in the log.
/// Its place is not: after a restart those have none that have not voted to commit, and those of a
/// subtransaction have another one in the whole. FNV-1a.
pub(crate) fn number_of(name: &str) -> u64 {
    let add = |hash: u64, octet: u8| (hash ^ u64::from(octet)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, add)
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
