//! A file of rules, which is read again when it was changed.

use super::{AccessRules, RuleError};
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant, SystemTime};

/// How often the file is looked at for changes.
const LOOK: Duration = Duration::from_secs(1);

/// Why a file of rules was not read.
#[derive(Debug)]
#[non_exhaustive]
pub enum AccessFileError {
    /// The file cannot be read.
    Io(PathBuf, io::Error),
    /// A rule is wrong.
    Rule(PathBuf, RuleError),
}

impl fmt::Display for AccessFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            Self::Rule(path, RuleError { line, column, what }) => {
                write!(f, "{}:{line}:{column}: {what}", path.display())
            }
        }
    }
}

impl std::error::Error for AccessFileError {}

/// A file of [`AccessRules`]. A change takes effect within a second of the next call; a file that
/// cannot be read or has an error is logged, and the rules of before stay. Clones share the file.
#[derive(Clone)]
pub struct AccessFile(Arc<File>);

struct File {
    path: Option<PathBuf>,
    rules: RwLock<Arc<AccessRules>>,
    seen: Mutex<(Option<Stamp>, Instant)>,
}

/// What tells whether a file was changed.
type Stamp = (SystemTime, u64, u64);

impl AccessFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or a rule is wrong.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, AccessFileError> {
        let path = path.into();
        let stamp = stamp(&path);
        let rules = RwLock::new(Arc::new(read(&path)?));
        let seen = Mutex::new((stamp, Instant::now()));
        Ok(Self(Arc::new(File { path: Some(path), rules, seen })))
    }

    /// The rules as they are now.
    pub fn rules(&self) -> Arc<AccessRules> {
        if let Some(path) = &self.0.path {
            let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if seen.1.elapsed() >= LOOK {
                seen.1 = Instant::now();
                let now = stamp(path);
                if now != seen.0 {
                    seen.0 = now;
                    if let Err(error) = self.reload() {
                        tracing::error!(%error, "the rules stay as they were read before");
                    }
                }
            }
        }
        self.0.rules.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the file again now, as a program may on a signal. Without a file nothing happens.
    ///
    /// # Errors
    /// When it cannot be read, or a rule is wrong: the rules of before stay.
    pub fn reload(&self) -> Result<(), AccessFileError> {
        let Some(path) = &self.0.path else { return Ok(()) };
        let rules = read(path)?;
        tracing::info!(file = %path.display(), rules = rules.len(), "the rules were read again");
        *self.0.rules.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(rules);
        Ok(())
    }
}

impl From<AccessRules> for AccessFile {
    /// Rules that do not change.
    fn from(rules: AccessRules) -> Self {
        let seen = Mutex::new((None, Instant::now()));
        Self(Arc::new(File { path: None, rules: RwLock::new(Arc::new(rules)), seen }))
    }
}

impl fmt::Debug for AccessFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessFile").field("path", &self.0.path).finish_non_exhaustive()
    }
}

fn stamp(path: &PathBuf) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), metadata.ino()))
}

fn read(path: &PathBuf) -> Result<AccessRules, AccessFileError> {
    let text =
        fs::read_to_string(path).map_err(|error| AccessFileError::Io(path.clone(), error))?;
    text.parse().map_err(|error| AccessFileError::Rule(path.clone(), error))
}
