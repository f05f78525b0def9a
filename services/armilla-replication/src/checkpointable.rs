//! What a replicated object can do besides its interface.

use crate::model::{Change, Failure, Position, Record, State};
use crate::reference::GroupName;
use armilla::{
    EncodedReply, KeptRequest, Object, SystemException, calls_with_derived_identity,
    with_derived_identity,
};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// An object whose state can be taken and given (`FT::Checkpointable`, and `FT::Updateable` by the
/// methods that have a default).
///
/// Every request is executed by one thread at a time, and these methods are called between requests.
#[doc(alias = "Updateable")]
pub trait Checkpointable: Send + Sync + 'static {
    /// The whole state: `get_state`.
    ///
    /// # Errors
    /// It cannot be said. The request after which it was asked is not replied to.
    #[doc(alias = "get_state")]
    fn state(&self) -> Result<Vec<u8>, StateError>;

    /// Takes a state in the place of its own: `set_state`.
    ///
    /// # Errors
    /// It is not understood. The member leaves the group, and asks for the state again.
    fn set_state(&self, state: &[u8]) -> Result<(), StateError>;

    /// What has changed since this was asked last: `get_update`. `None`, the default, has the whole
    /// state sent after each request. Members of active groups are asked only if they have a disk; one that
    /// says `None` executes requests again when it comes back, with all that they do outside of the servant;
    /// see [`Style::Active`](crate::Style::Active).
    ///
    /// # Errors
    /// As [`state`](Self::state).
    #[doc(alias = "get_update")]
    fn update(&self) -> Result<Option<Vec<u8>>, StateError> {
        Ok(None)
    }

    /// Makes a change: `set_update`.
    ///
    /// # Errors
    /// As [`set_state`](Self::set_state).
    #[doc(alias = "set_update")]
    fn apply_update(&self, update: &[u8]) -> Result<(), StateError> {
        let _ = update;
        Err(StateError::new("updates are not implemented"))
    }
}

/// Why a state cannot be taken or given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(alias = "NoStateAvailable")]
#[doc(alias = "InvalidState")]
pub struct StateError(String);

impl StateError {
    /// An error with this reason.
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the state of the object: {}", self.0)
    }
}

impl std::error::Error for StateError {}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        Self(error.to_string())
    }
}

/// The object of a member, and how its servant is called.
pub(crate) struct ObjectState {
    object: Arc<dyn Checkpointable>,
    /// The reference to the servant, nil when the member ends: it keeps the POA, and that the member.
    servant: Mutex<Object>,
    group: GroupName,
    /// Whether the request that was executed last has called groups.
    has_called: AtomicBool,
}

impl ObjectState {
    pub(crate) fn new(object: Arc<dyn Checkpointable>, servant: Object, group: GroupName) -> Self {
        Self { object, servant: Mutex::new(servant), group, has_called: AtomicBool::new(false) }
    }

    fn servant(&self) -> Object {
        self.servant.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Lets a servant execute a request, [identified](identified) by that, and notes whether it calls groups.
    pub(crate) fn execute_as<T>(
        &self,
        identity: Option<&(String, i32, u64)>,
        place: Position,
        act: impl FnOnce() -> T,
    ) -> T {
        let (done, has_called) = identified(&self.group, identity, place, || {
            let done = act();
            (done, calls_with_derived_identity() > 0)
        });
        self.has_called.store(has_called, Ordering::Relaxed);
        done
    }

    /// Lets go of the servant.
    pub(crate) fn end(&self) {
        *self.servant.lock().unwrap_or_else(PoisonError::into_inner) = Object::nil();
    }
}

/// Lets a servant execute a request at this place in the history of its group. The calls of groups that it
/// makes meanwhile are identified by the request: another member that executes it, then or later, makes the
/// same calls, and each is executed once.
fn identified<T>(
    group: &GroupName,
    identity: Option<&(String, i32, u64)>,
    place: Position,
    act: impl FnOnce() -> T,
) -> T {
    match identity {
        Some((client, retention, expires)) => {
            let client = format!("{group} for {client} {retention}");
            with_derived_identity(client, Some(*expires), act)
        }
        None => {
            let client = format!("{group} at {} {}", place.view, place.number);
            with_derived_identity(client, None, act)
        }
    }
}

fn parts(reply: Result<EncodedReply, SystemException>) -> Option<(u32, Vec<u8>)> {
    let reply =
        reply.inspect_err(|error| tracing::warn!(%error, "a servant does not reply")).ok()?;
    Some((reply.status(), reply.body().to_vec()))
}

impl State for ObjectState {
    fn change(&self) -> Result<Change, Failure> {
        match self.object.update()? {
            Some(update) => Ok(Change::Update(update)),
            None => Ok(Change::State(self.object.state()?)),
        }
    }

    fn whole(&self) -> Result<Vec<u8>, Failure> {
        Ok(self.object.state()?)
    }

    fn make(&self, change: &Change) -> Result<(), Failure> {
        match change {
            Change::Update(update) => self.object.apply_update(update)?,
            Change::State(state) => self.object.set_state(state)?,
            Change::Request(_) => return Err(Failure("a request is no change".to_owned())),
        }
        Ok(())
    }

    fn change_to_keep(&self) -> Result<Option<Change>, Failure> {
        match self.object.update()? {
            Some(update) => Ok(Some(Change::Update(update))),
            // Those that were called may have forgotten it when the request would be executed again.
            None if self.has_called.load(Ordering::Relaxed) => {
                Ok(Some(Change::State(self.object.state()?)))
            }
            None => Ok(None),
        }
    }

    fn execute(&self, record: &Record) -> Option<(u32, Vec<u8>)> {
        let Change::Request(order) = &record.change else { return None };
        let who = record.entry.as_ref();
        let who = who.map(|it| (it.client.clone(), it.retention, it.expires));
        let request = KeptRequest::from_octets(order.request.clone());
        self.execute_as(who.as_ref(), record.position, || {
            let servant = self.servant();
            parts(request.execute(&servant))
        })
    }
}
