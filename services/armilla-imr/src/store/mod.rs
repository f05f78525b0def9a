//! What outlives the repository: definitions, and the processes that run.

#[cfg(feature = "disk")]
mod disk;

pub use armilla_store::StoreError;

use crate::model::{Definition, RunRecord};
#[cfg(feature = "disk")]
use std::path::Path;

/// Keeps the definitions of a repository and what runs, in memory or on the disk.
#[derive(Debug)]
pub struct Store(Kind);

#[derive(Debug)]
enum Kind {
    Memory,
    #[cfg(feature = "disk")]
    Disk(disk::Disk),
}

// Without the disk nothing is kept.
#[cfg_attr(not(feature = "disk"), allow(unused_variables))]
impl Store {
    /// Keeps nothing: a repository that is started again knows no servers.
    pub const fn in_memory() -> Self {
        Self(Kind::Memory)
    }

    /// The store in `directory`, in the file `imr.redb`. Directory and file are created if they are
    /// missing. Only one process at a time can open them.
    ///
    /// # Errors
    /// The directory cannot be created, the file cannot be read or written, another process has it
    /// open, or it is damaged.
    #[cfg(feature = "disk")]
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        Ok(Self(Kind::Disk(disk::Disk::open(directory.as_ref())?)))
    }

    /// Whether anything outlives the process.
    pub const fn is_persistent(&self) -> bool {
        !matches!(self.0, Kind::Memory)
    }

    /// All definitions, each with its runs.
    pub(crate) fn load(&self) -> Result<Vec<(Definition, Vec<RunRecord>)>, StoreError> {
        match &self.0 {
            Kind::Memory => Ok(Vec::new()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.load(),
        }
    }

    /// Keeps a definition. It is on the disk when this returns.
    pub(crate) fn put(&self, definition: &Definition) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.put(definition),
        }
    }

    /// Forgets a server.
    pub(crate) fn remove(&self, name: &str) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.remove(name),
        }
    }

    /// Keeps what runs of a server.
    pub(crate) fn set_runs(&self, name: &str, runs: &[RunRecord]) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.set_runs(name, runs),
        }
    }
}

/// What the octets of a stored definition say. This reads what is on a disk, so it takes anything.
///
/// # Errors
/// They are no definition, or one that is not accepted.
#[doc(hidden)]
pub fn decode_definition(octets: &[u8]) -> Result<Definition, String> {
    let definition: Definition =
        serde_json::from_slice(octets).map_err(|error| error.to_string())?;
    definition.check().map_err(|error| error.to_string())?;
    Ok(definition)
}

#[cfg(all(test, feature = "disk"))]
mod tests {
    use super::*;
    use armilla_store::faults::{Trial, try_every_failure};
    use std::collections::BTreeSet;

    /// A repository with a server for each change.
    struct Servers {
        store: Store,
        known: BTreeSet<u32>,
    }

    impl Trial for Servers {
        fn open(directory: &Path) -> Result<Self, String> {
            let store = Store::open(directory).map_err(|error| error.to_string())?;
            let kept = store.load().map_err(|error| error.to_string())?;
            let known = kept.iter().map(|(server, _)| server.name.parse().unwrap()).collect();
            Ok(Self { store, known })
        }

        fn change(&mut self, number: u32) -> Result<(), String> {
            let put = self.store.put(&Definition::new(number.to_string()));
            put.map_err(|error| error.to_string())?;
            self.known.insert(number);
            Ok(())
        }

        fn changes(&self) -> BTreeSet<u32> {
            self.known.clone()
        }
    }

    #[test]
    fn whatever_fails_nothing_acknowledged_is_lost() {
        let failures = try_every_failure::<Servers>("imr");
        assert!(failures > 50, "{failures}");
    }
}
