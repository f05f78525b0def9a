//! Processes of services that end around the decision of a transaction: for the tests of their stores.

use armilla_transactions::model::{Key, Record, Vote};
use armilla_transactions::{DiskJournal, Journal, Resource, ResourceError};
use std::path::Path;
use std::{fs, io};

/// Has a say, so that there are two phases.
pub(crate) struct Beside;

impl Resource for Beside {
    fn prepare(&self) -> Result<Vote, ResourceError> {
        Ok(Vote::Commit)
    }

    fn commit(&self) -> Result<(), ResourceError> {
        Ok(())
    }

    fn rollback(&self) -> Result<(), ResourceError> {
        Ok(())
    }
}

/// A log that fails around a decision, as if the process had ended there.
pub(crate) struct Failing {
    pub(crate) journal: DiskJournal,
    /// Whether the decision is on the disk before it fails.
    pub(crate) writes: bool,
}

impl Journal for Failing {
    fn force(&self, record: &Record) -> io::Result<()> {
        if self.writes {
            self.journal.force(record)?;
        }
        Err(io::Error::other("the process ends here"))
    }

    fn append(&self, _: &Record) -> io::Result<()> {
        Err(io::Error::other("the process has ended"))
    }

    fn read(&self) -> io::Result<Vec<Record>> {
        self.journal.read()
    }

    fn forget(&self, _: Key) {}
}

/// The files as they are, which is what a kill leaves.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let to = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to),
            false => drop(fs::copy(entry.path(), to).unwrap()),
        }
    }
}
