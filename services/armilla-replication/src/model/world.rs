//! What a member asks of what is around it, and what it may be told: the registry of views, the other
//! members, and the object whose state it keeps.

use super::record::{Change, Position, Record};
use super::view::{MemberInfo, View};
use std::fmt;

/// Why a member does not do what another asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Another view is in effect, the latest that it knows of, or it is not what the other takes it
    /// for.
    Refused(u32, String),
    /// It has not the history of the other, and has come so far.
    Behind(Position),
    /// It does not answer.
    Unreachable(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(view, why) => write!(f, "{why} (view {view})"),
            Self::Behind(last) => write!(f, "the other has come as far as request {}", last.number),
            Self::Unreachable(why) => f.write_str(why),
        }
    }
}

/// Why a member cannot do something for lack of others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Failure {}

/// The place where the latest view of a group is: one for all members.
pub trait Registry {
    /// The latest view; `None` if there is none.
    ///
    /// # Errors
    /// It cannot be asked.
    fn read(&self) -> Result<Option<View>, Failure>;

    /// Puts `next` in the place of the view with version `before`, 0 for none. `false` if that is
    /// not the latest.
    ///
    /// # Errors
    /// It is not known whether it was done.
    fn replace(&self, before: u32, next: &View) -> Result<bool, Failure>;
}

/// The other members.
pub trait Peers {
    /// Tells a backup of records, at least one.
    ///
    /// # Errors
    /// It does not take all of them.
    fn apply(&self, to: &MemberInfo, view: u32, records: &[Record]) -> Result<(), Refusal>;

    /// Tells several backups of the same records, one after another or side by side. Returns what each
    /// says.
    fn apply_all(
        &self,
        to: &[MemberInfo],
        view: u32,
        records: &[Record],
    ) -> Vec<Result<(), Refusal>> {
        to.iter().map(|backup| self.apply(backup, view, records)).collect()
    }

    /// Tells a backup of a new view.
    ///
    /// # Errors
    /// It does not take it.
    fn install(&self, to: &MemberInfo, view: u32, last: Position) -> Result<(), Refusal>;

    /// Tells a backup that it is the primary, as the registry says.
    ///
    /// # Errors
    /// It does not become one now. It finds out later.
    fn lead(&self, to: &MemberInfo) -> Result<(), Refusal>;

    /// Gives a backup the whole state.
    ///
    /// # Errors
    /// It does not take it.
    fn transfer(&self, to: &MemberInfo, welcome: &Welcome) -> Result<(), Refusal>;

    /// Asks a backup whether it still is one, and to promise that it does not take over for so long.
    /// Returns whether it promises.
    ///
    /// # Errors
    /// It is none.
    fn confirm(&self, to: &MemberInfo, view: u32, promise: u64) -> Result<bool, Refusal>;
}

/// The clock of a member.
pub trait Clock {
    /// The nanoseconds since some moment. They never go back, and go on while the member is stopped.
    fn elapsed(&self) -> u64;
}

/// The state of an object: what [`Checkpointable`](crate::Checkpointable) is, without an ORB.
pub trait State {
    /// What has changed since this was asked last.
    ///
    /// # Errors
    /// The object cannot say.
    fn change(&self) -> Result<Change, Failure>;

    /// The whole state.
    ///
    /// # Errors
    /// The object cannot say.
    fn whole(&self) -> Result<Vec<u8>, Failure>;

    /// Makes a change that is no request.
    ///
    /// # Errors
    /// The object does not understand it.
    fn make(&self, change: &Change) -> Result<(), Failure>;

    /// What is written to the disk of a member of an active group in the place of the request that was
    /// executed last: what it has changed. `None` if the request can be executed again.
    ///
    /// # Errors
    /// As [`change`](Self::change).
    fn change_to_keep(&self) -> Result<Option<Change>, Failure>;

    /// Executes the request of a record. Returns the status and the body of the reply; `None` if the
    /// servant says nothing.
    fn execute(&self, record: &Record) -> Option<(u32, Vec<u8>)>;
}

/// Where a newcomer begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The version of the view.
    pub view: u32,
    /// How far the primary has come.
    pub last: Position,
    /// The whole state.
    pub state: Vec<u8>,
    /// The log of replies.
    pub log: Vec<u8>,
}
