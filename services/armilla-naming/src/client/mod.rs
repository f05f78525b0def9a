//! What a client does with the naming service of any vendor: walking its contexts, copying them,
//! and looking whether the objects are alive.
//!
//! `walk` visits contexts, `snapshot` is a copy as data, `transfer` takes and restores one,
//! `liveness` checks objects, `reach` finds what only one name leads to, `parallel` makes many calls at once.

mod liveness;
mod parallel;
mod reach;
mod snapshot;
mod transfer;
mod walk;

pub use liveness::{Liveness, check};
pub use parallel::each;
pub use reach::{Alone, Held, held};
pub use snapshot::{Entry, EntryKind, Snapshot, SnapshotError};
pub use transfer::{Imported, export, import};
pub use walk::{Visit, Visited, list, walk};

use armilla::{Error, SystemException};
use armilla_cos_naming::NameComponent;
use armilla_giop::url;
use std::fmt;

/// Why an operation of a naming service failed, in words.
#[derive(Debug, Clone)]
pub struct ClientError(String);

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ClientError {}

impl From<SystemException> for ClientError {
    fn from(exception: SystemException) -> Self {
        Self(exception.to_string())
    }
}

impl<E: fmt::Display> From<Error<E>> for ClientError {
    fn from(error: Error<E>) -> Self {
        Self(error.to_string())
    }
}

impl ClientError {
    pub(crate) fn at(name: &str, error: impl fmt::Display) -> Self {
        Self(format!("{name:?}: {error}"))
    }
}

/// The text of a name.
pub fn to_text(name: &[NameComponent]) -> String {
    let steps = name.iter();
    let steps: Vec<url::NameComponent> = steps
        .map(|step| url::NameComponent { id: step.id.clone(), kind: step.kind.clone() })
        .collect();
    url::stringify_name(&steps)
}

/// The name that a text stands for.
///
/// # Errors
/// When the text is not a name.
pub fn to_name(text: &str) -> Result<Vec<NameComponent>, ClientError> {
    let steps = url::parse_name(text).map_err(|error| ClientError::at(text, error))?;
    Ok(steps.into_iter().map(|step| NameComponent { id: step.id, kind: step.kind }).collect())
}
