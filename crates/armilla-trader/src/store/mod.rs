//! Where a trader keeps what it knows: in memory, or with the feature `disk` in a file, too.
//!
//! The contents are in memory in either case. A change is on the disk before it is made in memory,
//! and only then is it acknowledged. `disk` is the file, `codec` its records.

#[cfg(feature = "disk")]
mod codec;
#[cfg(feature = "disk")]
mod disk;
mod error;

pub use error::StoreError;

use crate::model::{Change, Model, ModelError};
use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

/// The contents of a trader, and where they are kept.
#[derive(Debug)]
pub struct Store {
    model: Model,
    keeper: Keeper,
}

impl Store {
    /// A store in memory. It ends with the process.
    ///
    /// # Errors
    /// None; the result is that of [`Model::apply`].
    pub fn memory(orb: &Orb) -> Result<Self, ModelError> {
        let mut model = Model::new(orb);
        // An id of an earlier process must not name an offer of this one.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        model.apply([
            Change::SetNext { offer: since.as_secs() << 24, incarnation: 1 },
            Change::SetRequestIdStem(random_stem()),
        ])?;
        Ok(Self { model, keeper: Keeper::Memory })
    }

    /// Opens the store in a directory, which is made if it is missing. Every change is on the disk
    /// when it is acknowledged. One process at a time can open a directory.
    ///
    /// ```
    /// # let orb = armilla::Orb::new()?;
    /// # let directory = std::env::temp_dir().join(format!("trader-doc-{}", std::process::id()));
    /// let store = armilla_trader::Store::open(&directory, &orb)?;
    /// assert_eq!(store.model().offer_count(), 0);
    /// # drop(store);
    /// # std::fs::remove_dir_all(directory)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The file cannot be made, read or written, another process holds it, or it is damaged:
    /// nothing of a damaged file is served.
    #[cfg(feature = "disk")]
    pub fn open(directory: impl AsRef<std::path::Path>, orb: &Orb) -> Result<Self, StoreError> {
        let (mut disk, mut model) = disk::Disk::open(directory.as_ref(), orb)?;
        if model.attributes().request_id_stem.is_empty() {
            let stem = [Change::SetRequestIdStem(random_stem())];
            disk.keep(&stem)?;
            model.apply(stem).map_err(|error| disk.damaged(&error))?;
        }
        Ok(Self { model, keeper: Keeper::Kept(Box::new(disk)) })
    }

    /// The contents.
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// The contents, and what keeps them.
    pub(crate) fn into_parts(self) -> (Model, Keeper) {
        (self.model, self.keeper)
    }
}

/// What makes changes outlive the process.
pub(crate) trait Keep: Send {
    /// Keeps changes, all or none of them.
    fn keep(&mut self, changes: &[Change]) -> Result<(), StoreError>;
}

/// Writes changes to where they are kept, if anywhere.
pub(crate) enum Keeper {
    /// There is nothing to write.
    Memory,
    /// Something keeps changes.
    #[cfg_attr(not(feature = "disk"), allow(dead_code))]
    Kept(Box<dyn Keep>),
    /// The store was closed, and takes no changes.
    Closed,
}

impl Keeper {
    /// Keeps changes. When this returns, they outlive the process.
    pub(crate) fn keep(&mut self, changes: &[Change]) -> Result<(), ModelError> {
        let kept = match self {
            Self::Kept(keep) if !changes.is_empty() => {
                keep.keep(changes).map_err(|error| error.to_string())
            }
            Self::Memory | Self::Kept(_) => Ok(()),
            Self::Closed => Err("the store is closed".to_owned()),
        };
        kept.map_err(|why| {
            let failed =
                SystemException::new(ExceptionKind::PersistStore, Minor::default(), Completion::No);
            failed.with_reason(format!("nothing was changed: {why}")).into()
        })
    }
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "Memory",
            Self::Kept(_) => "Kept",
            Self::Closed => "Closed",
        })
    }
}

/// Octets with which the ids of another trader do not begin.
fn random_stem() -> Vec<u8> {
    // The keys of a hash are random; that of nothing tells them.
    RandomState::new().hash_one(()).to_be_bytes().to_vec()
}
