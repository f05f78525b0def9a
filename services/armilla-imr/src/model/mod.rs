//! The repository as plain data: definitions of servers, and a state machine for each.
//!
//! Nothing here does I/O or reads a clock. A method takes the time, changes the state, and leaves
//! [`Action`]s to be carried out; what becomes of them comes back as further calls.

mod definition;
mod definition_error;
mod network;
mod pattern;
mod repository;
mod server;
mod status;

pub(crate) use definition::PORT;
pub use definition::{Activation, Definition, ResourceLimits};
pub use definition_error::DefinitionError;
pub use network::Network;
pub use pattern::{Key, KeyPattern};
pub use repository::{Repository, RepositoryError};
pub use server::{Ending, RunRecord, Server, StateRecord};
pub use status::{Run, RunStage, ServerStage, Status};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A moment: the time since the repository was started.
pub type Time = Duration;

/// The number of a run: one process of a server, from its start to its end. It cannot be guessed,
/// so a process that knows it was started by the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(pub u64);

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The number of a request that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WaiterId(pub u64);

/// Where a run listens: `HOST:PORT`, or a stringified reference to any object there.
pub type Endpoint = std::sync::Arc<str>;

/// What is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Start a process, and report [`Server::spawned`] or [`Server::start_failed`].
    Spawn(RunId),
    /// Signal the process group of a run: SIGTERM.
    Terminate(RunId),
    /// Signal the process group of a run: SIGKILL.
    Kill(RunId),
    /// Ask at the address of a run that starts until it answers, and report [`Server::answers`].
    AwaitAnswer(RunId),
    /// Ask whether a run answers, and report [`Server::checked`].
    Check(RunId, Endpoint),
    /// Forward a client that waits.
    Forward(WaiterId, RunId, Endpoint),
    /// Fail the request of a client that waits, with `TRANSIENT` and this reason.
    Refuse(WaiterId, String),
    /// Keep what the runs of the server are, so that they are found again after a restart.
    Record,
}
