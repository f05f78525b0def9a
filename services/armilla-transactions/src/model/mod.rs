//! The protocol as a state machine: no ORB, no thread, no clock, no disk.
//!
//! A [`Transaction`] is what one coordinator knows of one transaction. It takes [events](Event): what
//! was asked of it, and what participants, superior and log have answered. It yields
//! [actions](Action): whom to call, what to write, what to reply. Whoever drives it carries them out
//! in their order, and brings the answers back as events. The servants drive it with calls and a log;
//! the tests drive it with a network and disks that fail under a seed.
//!
//! The rules are those of two-phase commit with presumed abort: a coordinator that knows nothing of
//! a transaction has rolled it back. So only the decision to commit is forced to the log, once, and
//! a transaction that rolls back, is read-only, or has one participant writes nothing.

mod backoff;
mod completion;
mod delivery;
mod event;
mod identity;
mod mistakes;
mod participant;
mod record;
mod recovery;
mod status;
mod transaction;

pub use backoff::{Backoff, Time};
pub use event::{Action, Decision, Event, Forced, Refusal, Reply, SuperiorAnswer};
pub(crate) use identity::common;
pub use identity::{GlobalId, GlobalRef, Key};
#[cfg(feature = "planted-mistakes")]
pub use mistakes::{Mistake, plant};
pub use participant::{Participant, Progress};
pub use record::{Kind, Record, RecordError};
pub use recovery::recover;
pub use status::{Heuristic, Outcome, RollbackReason, Status, Vote};
pub use transaction::{Options, RegisterError, Transaction};
