//! What a replicated object can do besides its interface.

use crate::model::{Change, Failure, State};
use std::fmt;
use std::sync::Arc;

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
    /// state sent after each request.
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

/// The object of a member.
pub(crate) struct ObjectState(pub(crate) Arc<dyn Checkpointable>);

impl State for ObjectState {
    fn change(&self) -> Result<Change, Failure> {
        match self.0.update()? {
            Some(update) => Ok(Change::Update(update)),
            None => Ok(Change::State(self.0.state()?)),
        }
    }

    fn whole(&self) -> Result<Vec<u8>, Failure> {
        Ok(self.0.state()?)
    }

    fn make(&self, change: &Change) -> Result<(), Failure> {
        match change {
            Change::Update(update) => self.0.apply_update(update)?,
            Change::State(state) => self.0.set_state(state)?,
        }
        Ok(())
    }
}
