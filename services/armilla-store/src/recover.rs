//! A new file in the place of a damaged one.

use crate::disk;
use crate::file::File;
use crate::format::{Format, no_file};
use crate::salvage::Salvage;
use crate::{Recovered, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// The directory, beside the file, in which the new one is made.
const WORKSHOP: &str = "recovering";

impl Salvage {
    /// Ends a recovery: puts a new file in the place of the damaged one, with what `fill` writes into
    /// it, unless it is a `trial`. The damaged one stays beside it, under a name of its own. Until
    /// the new file is whole and on the disk, nothing is changed. `losses` are those that the service
    /// has found, beyond those of the file.
    ///
    /// # Errors
    /// The new file cannot be made or written, or the damaged one cannot be kept.
    pub fn recover<C>(
        self,
        format: &'static Format,
        is_trial: bool,
        (saved, losses): (C, Vec<String>),
        fill: impl FnOnce(&File) -> Result<(), StoreError>,
    ) -> Result<Recovered<C>, StoreError> {
        let losses = [self.losses(), losses].concat();
        let last_commit = self.last_commit();
        let kept = if is_trial { None } else { Some(self.replace(format, fill)?) };
        Ok(Recovered { saved, losses, last_commit, kept })
    }

    fn replace(
        self,
        format: &'static Format,
        fill: impl FnOnce(&File) -> Result<(), StoreError>,
    ) -> Result<PathBuf, StoreError> {
        let path = self.path().to_owned();
        let directory = path.parent().unwrap_or(Path::new("")).join(WORKSHOP);
        // What an attempt before has left.
        fs::remove_dir_all(&directory).ok();
        let (file, ()) = File::open(&directory, format, |_| Ok(()))?;
        let filled = fill(&file);
        drop(file);
        let placed = filled.and_then(|()| {
            let failed = |error| no_file(&path, "cannot be replaced", &error);
            let new = directory.join(format.file);
            disk::give_to_owner(&new, &path).map_err(failed)?;
            let kept = disk::keep(&path).map_err(failed)?;
            disk::rename(&new, &path).map_err(failed)?;
            Ok(kept)
        });
        fs::remove_dir_all(&directory).ok();
        placed
    }
}
