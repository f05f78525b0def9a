//! Transactions of a process: their table, and who carries out what the protocol wants.
//!
//! It knows no ORB: what is remote implements [`Resource`](crate::Resource).

mod counts;
mod drive;
mod entry;
mod helpers;
mod local;
mod table;
mod telling;
mod timer;

#[cfg(feature = "server")]
pub(crate) use counts::Counts;
pub(crate) use drive::Engine;
pub(crate) use entry::{Entry, lock, number_of};
pub(crate) use local::local_name;

use crate::model::SuperiorAnswer;
use crate::resource::{Resource, ResourceError};
use std::sync::Arc;

/// What the engine cannot do itself: find and ask what is elsewhere.
pub(crate) trait Elsewhere: Send + Sync {
    /// The resource with this reference.
    ///
    /// # Errors
    /// It is nowhere now.
    fn resource(&self, reference: &str) -> Result<Arc<dyn Resource>, ResourceError>;

    /// Registers a subordinate with its superior, unless that was done. Returns whether it takes part.
    fn join(&self, entry: &Entry) -> bool;

    /// What the superior says about a subordinate.
    fn ask(&self, superior: &str, entry: &Entry) -> SuperiorAnswer;
}
