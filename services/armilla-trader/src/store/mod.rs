//! Where a trader keeps what it knows: in memory, or with the feature `disk` in a file, too.
//!
//! The contents are in memory in either case. A change is made in memory, and acknowledged when it
//! is on the disk; changes of many clients share one write. `contents` does so, `disk` is the file,
//! `codec` its records. `branch` is what a transaction changes.

#[cfg(feature = "transactions")]
mod branch;
#[cfg(feature = "disk")]
mod codec;
mod contents;
#[cfg(feature = "disk")]
mod disk;

pub use armilla_store::{Recovered, StoreError};
pub(crate) use contents::Contents;
#[cfg(feature = "disk")]
pub use disk::Saved;

use crate::model::{Change, Model, ModelError};
use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_store::{CommitError, GroupCommit, Ticket, Undo};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, RwLockReadGuard};
use std::time::{SystemTime, UNIX_EPOCH};

/// The contents of a trader, and where they are kept.
#[derive(Debug)]
pub struct Store {
    contents: Arc<Contents>,
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
        Ok(Self::new(model, Keeper::Memory))
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
        Ok(Self::new(model, Keeper::Kept(Arc::new(GroupCommit::new(Box::new(disk))))))
    }

    /// Saves what can be saved of the damaged store in `directory`: into a new file in its place,
    /// beside which the damaged one is kept; as a `trial` it only says what that would be.
    ///
    /// # Errors
    /// There is no file, another process has it open, nothing of it is left, or the new one cannot
    /// be written.
    #[cfg(feature = "disk")]
    pub fn recover(
        directory: impl AsRef<std::path::Path>,
        is_trial: bool,
        orb: &Orb,
    ) -> Result<Recovered<Saved>, StoreError> {
        disk::recover(directory.as_ref(), is_trial, orb)
    }

    fn new(model: Model, keeper: Keeper) -> Self {
        Self { contents: Arc::new(Contents::new(model, keeper)) }
    }

    /// The contents, to read. Changes wait meanwhile.
    pub fn model(&self) -> RwLockReadGuard<'_, Model> {
        self.contents.model()
    }

    /// What servants share.
    pub(crate) fn into_contents(self) -> Arc<Contents> {
        self.contents
    }
}

/// A change, and the record of what it puts.
pub(crate) type Kept = (Change, Vec<u8>);

/// Writes changes to where they are kept, if anywhere.
pub(crate) enum Keeper {
    /// There is nothing to write.
    Memory,
    /// Changes share writes.
    #[cfg_attr(not(feature = "disk"), allow(dead_code))]
    Kept(Arc<GroupCommit<Kept>>),
    /// The store was closed, and takes no changes.
    Closed,
}

/// Changes that are in memory, and wait to be kept.
pub(crate) struct Pending {
    commits: Arc<GroupCommit<Kept>>,
    ticket: Ticket,
}

impl Keeper {
    /// What finds out whether changes could be kept now, without this value.
    pub(crate) fn check(&self) -> impl FnOnce() -> Result<(), String> + use<> {
        let (commits, is_closed) = match self {
            Self::Memory => (None, false),
            Self::Kept(commits) => (Some(commits.clone()), false),
            Self::Closed => (None, true),
        };
        move || match (commits, is_closed) {
            (_, true) => Err("the store is closed".to_owned()),
            (Some(commits), _) => commits.check().map_err(|error| error.to_string()),
            (None, _) => Ok(()),
        }
    }

    /// The changes with their records, before any is made: a value that cannot be encoded is no
    /// error of the file.
    pub(crate) fn prepare(&self, changes: Vec<Change>) -> Result<Vec<Kept>, ModelError> {
        match self {
            Self::Closed => Err(not_kept("the store is closed")),
            #[cfg(feature = "disk")]
            Self::Kept(_) => {
                let with_record = |change| {
                    let record = codec::record_of(&change).map_err(|why| not_kept(&why))?;
                    Ok((change, record))
                };
                changes.into_iter().map(with_record).collect()
            }
            _ => Ok(changes.into_iter().map(|change| (change, Vec::new())).collect()),
        }
    }

    /// Queues changes that were just made in memory, with what undoes them.
    pub(crate) fn queue(&self, kept: Vec<Kept>, undo: Vec<Change>) -> Option<Pending> {
        match self {
            Self::Kept(commits) if !kept.is_empty() => {
                let undo = undo.into_iter().map(|change| (change, Vec::new()));
                Some(Pending { ticket: commits.queue(kept, undo), commits: commits.clone() })
            }
            _ => None,
        }
    }
}

impl Pending {
    /// Waits until the changes outlive the process. If they cannot, `undo` undoes in memory what it
    /// is to take, under the lock under which changes are queued.
    pub(crate) fn settle(self, undo: impl Fn(Undo<'_, Kept>)) -> Result<(), ModelError> {
        self.commits.settle(&self.ticket, |_| (), undo).map_err(|error| match error {
            CommitError::Store(error) if error.is_undecided() => persist_store(Completion::Maybe)
                .with_reason(format!("the change may be there after a restart: {error}"))
                .into(),
            CommitError::Store(error) => not_kept(&error.to_string()),
            CommitError::Conflict => not_kept("another process changed the store"),
        })
    }
}

/// The error of a change that was not kept, and is not in memory either.
fn not_kept(why: &str) -> ModelError {
    persist_store(Completion::No).with_reason(format!("nothing was changed: {why}")).into()
}

fn persist_store(completion: Completion) -> SystemException {
    SystemException::new(ExceptionKind::PersistStore, Minor::default(), completion)
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

#[cfg(all(test, feature = "disk"))]
mod tests {
    use super::*;
    use armilla_cos_trading::repos::service_type_repository::TypeStruct;
    use armilla_store::faults::{Trial, try_every_failure};
    use std::collections::BTreeSet;
    use std::path::Path;
    use std::sync::OnceLock;

    /// A trader with a service type for each change.
    struct Types(Arc<Contents>);

    impl Trial for Types {
        fn open(directory: &Path) -> Result<Self, String> {
            static ORB: OnceLock<Orb> = OnceLock::new();
            let orb = ORB.get_or_init(|| Orb::new().unwrap());
            let store = Store::open(directory, orb).map_err(|error| error.to_string())?;
            Ok(Self(store.into_contents()))
        }

        fn change(&mut self, number: u32) -> Result<(), String> {
            let declared = Box::new(TypeStruct::default());
            let changes = vec![Change::PutType(format!("T{number}"), declared)];
            let changed = self.0.change(None, |_| Ok((changes, ())));
            changed.map_err(|error| error.to_string())
        }

        fn changes(&self) -> BTreeSet<u32> {
            let model = self.0.model();
            (1..20)
                .filter(|number| model.service_types().get(&format!("T{number}")).is_ok())
                .collect()
        }
    }

    #[test]
    fn whatever_fails_nothing_acknowledged_is_lost() {
        let failures = try_every_failure::<Types>("trader");
        assert!(failures > 50, "{failures}");
    }
}
