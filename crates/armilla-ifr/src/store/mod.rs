//! A model that outlives its process. `journal` is the file; this is what goes into it and comes out.
//!
//! The file `definitions` in a directory has a line that says what it is, and then a line of JSON for
//! each change: the definitions that it made or changed, whole, and the numbers of those that it
//! removed. A change is acknowledged when its line is on the disk; a line without an end was not. When
//! the file has grown well beyond what it says, it is written anew beside itself and renamed.

mod journal;

use crate::model::{Change, DefId, Definition, Model, ModelError};
use armilla::{Completion, ExceptionKind, Minor, SystemException};
use journal::Journal;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// What a repository consists of, and where it is kept.
#[derive(Debug)]
pub struct Store {
    model: Model,
    journal: Option<Journal>,
}

/// A model that is kept nowhere.
impl From<Model> for Store {
    fn from(model: Model) -> Self {
        Self { model, journal: None }
    }
}

impl Store {
    /// What is kept in `directory`, which is made where there is none. Every change of it is on the
    /// disk when [`change`](Self::change) returns. One process at a time can have it.
    ///
    /// # Errors
    /// When the directory cannot be made or read, another process has it, or what is in it is not
    /// what this wrote.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        let (mut journal, lines) = Journal::open(directory.as_ref())?;
        let mut model = Model::new();
        for (number, line) in lines.iter().enumerate() {
            let read = serde_json::from_slice::<Line<Definition>>(line);
            let applied =
                read.map_err(|error| error.to_string()).and_then(|Line { next, set, gone }| {
                    model.restore(next, set, gone).map_err(|error| error.to_string())
                });
            // The line before the first says what the file is.
            applied.map_err(|error| journal.damaged(&format!("line {}: {error}", number + 2)))?;
        }
        model.check_restored().map_err(|error| journal.damaged(&error))?;
        journal.recover(&model)?;
        Ok(Self { model, journal: Some(journal) })
    }

    /// What there is.
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// Whether it outlives the process.
    pub const fn is_persistent(&self) -> bool {
        self.journal.is_some()
    }

    /// Changes what there is, as a whole or not at all, and gives the definitions that are gone
    /// beside what `work` gives.
    ///
    /// # Errors
    /// What `work` fails with; [`ChangeError::Store`] when the change could not be written.
    pub fn change<T>(
        &mut self,
        work: impl FnOnce(&mut Model) -> Result<T, ModelError>,
    ) -> Result<(T, Vec<DefId>), ChangeError> {
        let (journal, mut gone) = (&mut self.journal, Vec::new());
        let done = self.model.recorded(
            |model| work(model).map_err(ChangeError::Model),
            |next, changes| {
                gone.extend(changes.iter().filter(|(_, now)| now.is_none()).map(|(id, _)| *id));
                match journal {
                    Some(journal) if !changes.is_empty() => journal.append(&line(next, changes)),
                    _ => Ok(()),
                }
                .map_err(ChangeError::Store)
            },
        )?;
        if let Some(journal) = &mut self.journal {
            journal.compact(&self.model);
        }
        Ok((done, gone))
    }
}

/// A change as it is written.
#[derive(Serialize, Deserialize)]
struct Line<D> {
    /// The number that is used next.
    next: u32,
    set: Vec<(DefId, D)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    gone: Vec<DefId>,
}

fn line(next: u32, changes: Change<'_>) -> Line<&Definition> {
    let gone = changes.iter().filter(|(_, now)| now.is_none()).map(|(id, _)| *id).collect();
    let set = changes.into_iter().filter_map(|(id, now)| Some((id, now?))).collect();
    Line { next, set, gone }
}

/// All that a model holds, as one change.
fn snapshot(model: &Model) -> Line<&Definition> {
    line(model.next_number(), model.made().map(|(id, now)| (id, Some(now))).collect())
}

/// Why what is kept cannot be read or written.
#[derive(Debug)]
pub struct StoreError {
    /// The file or directory.
    path: PathBuf,
    what: String,
}

impl StoreError {
    fn new(path: &Path, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), what: what.into() }
    }

    fn io(path: &Path, doing: &str, error: &io::Error) -> Self {
        Self::new(path, format!("cannot be {doing}: {error}"))
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.path.display(), self.what)
    }
}

impl std::error::Error for StoreError {}

/// Why a change did not happen.
#[derive(Debug)]
pub enum ChangeError {
    /// The repository refuses it.
    Model(ModelError),
    /// It could not be written.
    Store(StoreError),
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ChangeError {}

impl From<ChangeError> for SystemException {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Model(error) => error.into(),
            ChangeError::Store(error) => {
                Self::new(ExceptionKind::PersistStore, Minor::default(), Completion::No)
                    .because(format!("nothing was changed: {error}"))
            }
        }
    }
}
