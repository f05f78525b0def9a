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
            let kept = keep(&path)?;
            let failed = |error| no_file(&path, "cannot be replaced", &error);
            disk::rename(&directory.join(format.file), &path).map_err(failed)?;
            Ok(kept)
        });
        fs::remove_dir_all(&directory).ok();
        placed
    }
}

/// Gives a file one more name, which nothing has.
fn keep(path: &Path) -> Result<PathBuf, StoreError> {
    let mut number = 1;
    loop {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".damaged-{number}"));
        let kept = PathBuf::from(name);
        match fs::hard_link(path, &kept) {
            Ok(()) => return Ok(kept),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => {
                return Err(no_file(&kept, "cannot be made, to keep the damaged file", &error));
            }
        }
    }
}
