//! A disk that fails, for tests: any operation of a store can be made to fail, the process to die,
//! and the power to go.
//!
//! [`Faults::below`] takes charge of all files below a directory that are used by way of
//! [`disk`](crate::disk). [`try_every_failure`] lets each operation of a store fail in turn, in
//! every way, and checks that nothing acknowledged is lost.

mod platter;
mod trial;

pub(crate) use platter::Platter;
pub use trial::{Trial, try_every_failure};

use platter::Names;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// An operation of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    MakeDirectory,
    Open,
    OpenDirectory,
    Read,
    Write,
    SetLength,
    Sync,
    SyncDirectory,
    Rename,
    Remove,
    List,
}

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process has too many open files (`EMFILE`): of operations that open one.
    NoDescriptor,
    /// The device fails (`EIO`): of any operation.
    Device,
    /// The disk is full (`ENOSPC`): of operations that need room.
    Full,
    /// The disk is full when half of the octets are written.
    ShortWrite,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::NoDescriptor, Self::Device, Self::Full, Self::ShortWrite];

    const fn hits(self, step: Step) -> bool {
        match self {
            Self::NoDescriptor => matches!(step, Step::Open | Step::OpenDirectory | Step::List),
            Self::Device => true,
            Self::Full => matches!(
                step,
                Step::MakeDirectory
                    | Step::Open
                    | Step::Write
                    | Step::SetLength
                    | Step::Sync
                    | Step::Rename
            ),
            Self::ShortWrite => matches!(step, Step::Write),
        }
    }

    /// The error, with its number on Linux.
    fn error(self) -> io::Error {
        io::Error::from_raw_os_error(match self {
            Self::NoDescriptor => 24,
            Self::Device => 5,
            Self::Full | Self::ShortWrite => 28,
        })
    }
}

/// What is to fail.
#[derive(Debug)]
struct Plan {
    fault: Fault,
    /// How many operations that it hits go well before.
    before: usize,
    /// Whether all later ones fail, too.
    lasts: bool,
}

#[derive(Debug, Default)]
struct Inner {
    plan: Option<Plan>,
    /// How often an operation failed.
    failed: usize,
    /// How the last one failed.
    last: Option<(Step, Fault)>,
    /// Whether the process is dead, so that it can do nothing any more.
    is_dead: bool,
    names: Names,
}

/// What tests know of the files below a directory.
#[derive(Debug)]
pub(crate) struct State {
    directory: PathBuf,
    inner: Mutex<Inner>,
}

static ALL: Mutex<Vec<Weak<State>>> = Mutex::new(Vec::new());

impl State {
    /// The state of a file or a directory, if a test has taken charge of it.
    pub(crate) fn of(path: &Path) -> Option<Arc<Self>> {
        let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).find(|state| path.starts_with(&state.directory))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins an operation.
    pub(crate) fn begin(&self, step: Step) -> io::Result<()> {
        let mut inner = self.inner();
        if inner.is_dead {
            return Err(io::Error::other("the process is dead"));
        }
        let Some(plan) = inner.plan.as_mut().filter(|plan| plan.fault.hits(step)) else {
            return Ok(());
        };
        if plan.before > 0 {
            plan.before -= 1;
            return Ok(());
        }
        let (fault, lasts) = (plan.fault, plan.lasts);
        if !lasts {
            inner.plan = None;
        }
        inner.failed += 1;
        inner.last = Some((step, fault));
        Err(fault.error())
    }

    /// How many octets of a write that failed are written all the same.
    pub(crate) fn written_despite(&self, length: usize) -> usize {
        match self.inner() {
            inner if inner.is_dead => 0,
            inner => match inner.last {
                Some((_, Fault::ShortWrite)) => length / 2,
                _ => 0,
            },
        }
    }

    /// A file was opened.
    pub(crate) fn opened(&self, path: &Path, file: &File) -> io::Result<Arc<Platter>> {
        let platter = self.inner().names.opened(path);
        // It may be new, or have been emptied.
        platter.set_length(file.metadata()?.len());
        Ok(platter)
    }

    pub(crate) fn renamed(&self, from: &Path, to: &Path) {
        self.inner().names.renamed(from, to);
    }

    pub(crate) fn removed(&self, path: &Path) {
        self.inner().names.removed(path);
    }

    pub(crate) fn keep_names(&self, directory: &Path) {
        self.inner().names.keep(directory);
    }

    pub(crate) fn forget_names(&self, directory: &Path) {
        self.inner().names.forget(directory);
    }
}

/// Lets operations on files below a directory fail, until it is dropped. Nothing is brought to the
/// disk meanwhile; what would be there is remembered.
#[derive(Debug)]
pub struct Faults(Arc<State>);

impl Faults {
    /// Takes charge of a directory, and takes what is in it for being on the disk. No store in it
    /// is open.
    ///
    /// # Errors
    /// A file in it cannot be read.
    pub fn below(directory: &Path) -> io::Result<Self> {
        let mut names = Names::default();
        if directory.exists() {
            names.read(directory)?;
        }
        let inner = Mutex::new(Inner { names, ..Inner::default() });
        let state = Arc::new(State { directory: directory.to_owned(), inner });
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|state| state.strong_count() > 0);
        all.push(Arc::downgrade(&state));
        Ok(Self(state))
    }

    /// Lets one operation fail, after so many that the fault could hit; or all from then on until
    /// [`heal`](Self::heal).
    pub fn fail(&self, fault: Fault, before: usize, lasts: bool) {
        self.0.inner().plan = Some(Plan { fault, before, lasts });
    }

    /// Nothing fails any more.
    pub fn heal(&self) {
        self.0.inner().plan = None;
    }

    /// How many operations have failed, and which was the last.
    pub fn failed(&self) -> (usize, String) {
        let inner = self.0.inner();
        let last = inner.last.map(|(step, fault)| format!("{step:?}: {fault:?}"));
        (inner.failed, last.unwrap_or_default())
    }

    /// The process dies: its stores can do nothing any more, and are to be dropped. Then
    /// [`restart`](Self::restart).
    pub fn die(&self) {
        self.0.inner().is_dead = true;
    }

    /// A new process begins. If the power has failed, it finds what was on the disk and nothing
    /// else.
    ///
    /// # Errors
    /// The files cannot be made what they should be.
    pub fn restart(&self, power_failed: bool) -> io::Result<()> {
        let mut inner = self.0.inner();
        (inner.is_dead, inner.plan) = (false, None);
        if power_failed {
            inner.names.restore()?;
        }
        Ok(())
    }
}

/// A directory for a test, which goes with it.
#[derive(Debug)]
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("armilla-faults-{name}-{}", std::process::id()));
        fs::remove_dir_all(&path).ok();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}
