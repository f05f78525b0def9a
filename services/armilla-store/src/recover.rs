//! A new file in the place of a damaged one.

use crate::StoreError;
use crate::disk;
use crate::file::File;
use crate::format::{Format, no_file};
use crate::salvage::Salvage;
use std::fs;
use std::path::{Path, PathBuf};

/// The directory, beside the file, in which the new one is made.
const WORKSHOP: &str = "recovering";

impl Salvage {
    /// Puts a new file in the place of the damaged one, with what `fill` writes into it. The damaged
    /// one stays beside it; returns under which name. Until the new file is whole and on the disk,
    /// nothing is changed.
    ///
    /// # Errors
    /// The new file cannot be made or written, or the damaged one cannot be kept.
    pub fn replace(
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
            let kept = disk::keep(&path).map_err(failed)?;
            disk::rename(&directory.join(format.file), &path).map_err(failed)?;
            Ok(kept)
        });
        fs::remove_dir_all(&directory).ok();
        placed
    }
}
