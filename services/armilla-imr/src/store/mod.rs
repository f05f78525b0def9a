//! What outlives the repository: definitions, and the processes that run.

#[cfg(feature = "disk")]
mod disk;

pub use armilla_store::{Recovered, StoreError};

use crate::model::{Definition, RunRecord, StateRecord};
#[cfg(feature = "disk")]
use std::path::Path;

/// Keeps the definitions of a repository and what runs, in memory or on the disk.
#[derive(Debug)]
pub struct Store(Kind);

#[derive(Debug)]
enum Kind {
    Memory,
    #[cfg(feature = "disk")]
    Disk(Box<disk::Disk>),
}

/// What was saved of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg(feature = "disk")]
pub struct Saved {
    /// The servers whose definitions were saved, in the order of their names.
    pub servers: Vec<String>,
}

#[cfg(feature = "disk")]
impl std::fmt::Display for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} servers: {}", self.servers.len(), self.servers.join(", "))
    }
}

/// What is kept of a server.
#[derive(Debug)]
#[cfg_attr(not(feature = "disk"), allow(dead_code))]
pub(crate) struct Kept {
    pub(crate) definition: Definition,
    pub(crate) runs: Vec<RunRecord>,
    pub(crate) state: StateRecord,
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
        Ok(Self(Kind::Disk(Box::new(disk::Disk::open(directory.as_ref())?))))
    }

    /// Saves what can be saved of the damaged store in `directory`: into a new file in its place,
    /// beside which the damaged one is kept; as a `trial` it only says what that would be.
    ///
    /// # Errors
    /// There is no file, another process has it open, nothing of it is left, or the new one cannot
    /// be written.
    #[cfg(feature = "disk")]
    pub fn recover(
        directory: impl AsRef<Path>,
        is_trial: bool,
    ) -> Result<Recovered<Saved>, StoreError> {
        disk::Disk::recover(directory.as_ref(), is_trial)
    }

    /// Whether anything outlives the process.
    pub const fn is_persistent(&self) -> bool {
        !matches!(self.0, Kind::Memory)
    }

    /// Whether it can be written.
    ///
    /// # Errors
    /// Says why not.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.check(),
        }
    }

    /// All servers.
    pub(crate) fn load(&self) -> Result<Vec<Kept>, StoreError> {
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

    /// Keeps what runs of a server, and what else is known of it.
    pub(crate) fn set_runs(
        &self,
        name: &str,
        runs: &[RunRecord],
        state: &StateRecord,
    ) -> Result<(), StoreError> {
        match &self.0 {
            Kind::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Kind::Disk(disk) => disk.set_runs(name, runs, state),
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
            let known = kept.iter().map(|kept| kept.definition.name.parse().unwrap()).collect();
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

    fn definition(number: u32) -> Definition {
        let mut definition = Definition::new(format!("server-{number:04}"));
        definition.command = vec!["/opt/server".repeat(30), number.to_string()];
        definition
    }

    /// A store with so many servers that each of its tables has several pages.
    fn fill(directory: &Path, servers: u32) {
        let store = Store::open(directory).unwrap();
        for number in 0..servers {
            let definition = definition(number);
            store.put(&definition).unwrap();
            let state = StateRecord { failures: 7, ..StateRecord::default() };
            store.set_runs(&definition.name, &[], &state).unwrap();
        }
    }

    /// Whatever page an octet is flipped in, the store opens with all it had, or says that it is
    /// damaged, and then what is in other pages is saved.
    #[test]
    fn an_octet_that_flips_in_any_page_costs_a_page_at_most() {
        let name = format!("armilla-imr-recover-{}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        std::fs::remove_dir_all(&directory).ok();
        let servers = 60;
        fill(&directory, servers);
        let path = directory.join("imr.redb");
        let whole = std::fs::read(&path).unwrap();
        let (mut damaged, mut least) = (0, usize::MAX);
        for page in 0..whole.len() / 4096 {
            // In each page somewhere else.
            let at = page * 4096 + (page * 1031 + 17) % 4096;
            let mut octets = whole.clone();
            octets[at] ^= 0x10;
            std::fs::write(&path, &octets).unwrap();
            let loaded = Store::open(&directory).and_then(|store| store.load());
            if let Ok(kept) = &loaded {
                // The last change may be dropped, as after a crash.
                assert!(kept.len() + 1 >= servers as usize, "octet {at}");
                for (number, kept) in (0..).zip(kept) {
                    assert_eq!(kept.definition, definition(number), "octet {at}");
                }
                continue;
            }
            damaged += 1;
            let why = loaded.map(drop).unwrap_err().to_string();
            assert!(why.contains("imr recover") && why.contains("imr.redb"), "octet {at}: {why}");
            std::fs::write(&path, &octets).unwrap();
            let trial = Store::recover(&directory, true).unwrap();
            let saved = Store::recover(&directory, false).unwrap();
            assert_eq!((&trial.saved, &trial.losses), (&saved.saved, &saved.losses));
            let (losses, kept, saved) = (saved.losses, saved.kept.unwrap(), saved.saved);
            assert_eq!(std::fs::read(&kept).unwrap(), octets, "the damaged file stays as it was");
            std::fs::remove_file(kept).unwrap();
            least = least.min(saved.servers.len());
            assert!(saved.servers.len() == servers as usize || !losses.is_empty());
            let kept = Store::open(&directory).and_then(|store| store.load()).unwrap();
            let names: Vec<String> = kept.into_iter().map(|kept| kept.definition.name).collect();
            assert_eq!(names, saved.servers);
        }
        println!("{damaged} of {} pages matter, {least} servers saved", whole.len() / 4096);
        assert!(damaged > 0 && least as u32 > servers / 2, "{damaged} {least}");
        std::fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn whatever_fails_nothing_acknowledged_is_lost() {
        let failures = try_every_failure::<Servers>("imr");
        assert!(failures > 50, "{failures}");
    }
}
