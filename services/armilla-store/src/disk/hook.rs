//! Where tests step in: before each operation, and after it. Without the feature `faults` there is
//! nothing here.

use std::fs::{File, ReadDir};
use std::io;
use std::path::Path;
#[cfg(feature = "disk")]
use std::time::Duration;

#[cfg(feature = "faults")]
use crate::faults::{Platter, State, Step};
#[cfg(feature = "faults")]
use std::sync::Arc;

/// How tests see a file.
#[derive(Debug, Clone)]
pub(super) struct Tracked {
    #[cfg(feature = "faults")]
    by: Option<(Arc<State>, Arc<Platter>)>,
}

macro_rules! before {
    ($step:ident, $path:expr) => {
        #[cfg(feature = "faults")]
        if let Some(state) = State::of($path) {
            state.begin(Step::$step)?;
        }
    };
}

impl Tracked {
    pub(super) fn open(
        path: &Path,
        open: impl FnOnce() -> io::Result<File>,
    ) -> io::Result<(File, Self)> {
        before!(Open, path);
        let file = open()?;
        #[cfg(feature = "faults")]
        let tracked = {
            let opened =
                |state: Arc<State>| Ok::<_, io::Error>((state.opened(path, &file)?, state));
            let by = State::of(path).map(opened).transpose()?;
            Self { by: by.map(|(platter, state)| (state, platter)) }
        };
        #[cfg(not(feature = "faults"))]
        let tracked = {
            let _ = path;
            Self {}
        };
        Ok((file, tracked))
    }

    #[allow(clippy::unused_self)] // Tests use it.
    pub(super) fn read(&self) -> io::Result<()> {
        #[cfg(feature = "faults")]
        if let Some((state, _)) = &self.by {
            state.begin(Step::Read)?;
        }
        Ok(())
    }

    #[allow(clippy::unused_self)]
    pub(super) fn write(
        &self,
        octets: &[u8],
        offset: u64,
        write: impl FnOnce(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        #[cfg(feature = "faults")]
        if let Some((state, platter)) = &self.by {
            let failed = state.begin(Step::Write).err();
            let written = match &failed {
                Some(_) => &octets[..state.written_despite(octets.len())],
                None => octets,
            };
            platter.write(offset, written.len() as u64);
            write(written)?;
            return failed.map_or(Ok(()), Err);
        }
        let _ = offset;
        write(octets)
    }

    #[allow(clippy::unused_self)]
    pub(super) fn set_length(
        &self,
        length: u64,
        set: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        #[cfg(feature = "faults")]
        if let Some((state, platter)) = &self.by {
            state.begin(Step::SetLength)?;
            set()?;
            platter.set_length(length);
            return Ok(());
        }
        let _ = length;
        set()
    }

    #[allow(clippy::unused_self)]
    pub(super) fn sync(
        &self,
        file: &File,
        sync: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        #[cfg(feature = "faults")]
        if let Some((state, platter)) = &self.by {
            state.begin(Step::Sync).inspect_err(|_| platter.sync_failed())?;
            return platter.synced(file);
        }
        let _ = file;
        sync()
    }
}

pub(super) fn open_directory<T>(
    path: &Path,
    open: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    before!(OpenDirectory, path);
    let _ = path;
    open()
}

pub(super) fn sync_directory(path: &Path, sync: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    #[cfg(feature = "faults")]
    if let Some(state) = State::of(path) {
        state.begin(Step::SyncDirectory).inspect_err(|_| state.forget_names(path))?;
        state.keep_names(path);
        return Ok(());
    }
    let _ = path;
    sync()
}

pub(super) fn make_directory(path: &Path, make: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    before!(MakeDirectory, path);
    let _ = path;
    make()
}

pub(super) fn rename(
    from: &Path,
    to: &Path,
    rename: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    before!(Rename, from);
    rename()?;
    #[cfg(feature = "faults")]
    if let Some(state) = State::of(from) {
        state.renamed(from, to);
    }
    let _ = (from, to);
    Ok(())
}

pub(super) fn remove(path: &Path, remove: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    before!(Remove, path);
    remove()?;
    #[cfg(feature = "faults")]
    if let Some(state) = State::of(path) {
        state.removed(path);
    }
    let _ = path;
    Ok(())
}

pub(super) fn read<T>(path: &Path, read: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    before!(Open, path);
    before!(Read, path);
    let _ = path;
    read()
}

pub(super) fn list(path: &Path, list: impl FnOnce() -> io::Result<ReadDir>) -> io::Result<ReadDir> {
    before!(List, path);
    let _ = path;
    list()
}

/// How long a store that failed is left alone, if nothing else is said.
#[cfg(feature = "disk")]
pub(crate) fn rest(path: &Path, rest: Duration) -> Duration {
    #[cfg(feature = "faults")]
    if crate::faults::State::of(path).is_some() {
        return Duration::ZERO;
    }
    let _ = path;
    rest
}
