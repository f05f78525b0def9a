//! Files that the command line names, and those below the directories that it names.

use super::Failure;
use armilla_imaging::store::{Store, StoreError};
use std::fs;
use std::path::{Path, PathBuf};

/// How deep a directory may lie below one that is named.
const DEPTH: usize = 32;

/// All files, those of a directory in the order of their names.
pub(super) fn all(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in named {
        match path.is_dir() {
            true => walk(path, 0, &mut files)?,
            false => files.push(path.clone()),
        }
    }
    Ok(files)
}

/// Links to directories are not followed: they may lead back.
fn walk(directory: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let failed = |error| format!("{}: {error}", directory.display());
    if depth > DEPTH {
        return Err(format!("{}: it lies too deep", directory.display()).into());
    }
    let entries = fs::read_dir(directory).map_err(failed)?.collect::<Result<Vec<_>, _>>();
    let mut entries = entries.map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let kind = entry.file_type().map_err(failed)?;
        // The table of contents of a disc is no image.
        if kind.is_dir() {
            walk(&path, depth + 1, files)?;
        } else if path.is_file() && entry.file_name() != "DICOMDIR" {
            files.push(path);
        }
    }
    Ok(())
}

/// Imports files, names those that are no images, and goes on with the others.
///
/// # Errors
/// The store takes no more: its disk is full or fails.
pub(super) fn import(store: &Store, named: &[PathBuf]) -> Result<(), Failure> {
    let files = all(named)?;
    let mut kept = 0;
    for file in &files {
        match store.import(file) {
            Ok(_) => kept += 1,
            Err(error @ (StoreError::Quota(_) | StoreError::Full(_) | StoreError::Index(_))) => {
                return Err(format!("{}: {error}", file.display()).into());
            }
            Err(error) => eprintln!("warning: {}: {error}", file.display()),
        }
    }
    if !files.is_empty() {
        eprintln!("imported: {kept} of {} files", files.len());
    }
    Ok(())
}
