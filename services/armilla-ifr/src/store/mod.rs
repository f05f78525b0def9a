//! A persistent model. `journal` is the file; this module encodes and decodes its lines.
//!
//! The file `definitions` in a directory starts with a line that names the format. Each further
//! line is a change in JSON, with a checksum: the new or changed definitions in full, and the numbers
//! of the removed ones. A change is acknowledged once its line is on disk; an incomplete last line was never
//! acknowledged. A file that has grown far beyond its contents is rewritten under another name and
//! renamed; so it is when the store is opened, and after the disk has failed.

mod journal;

use crate::model::{Change, DefId, Definition, Model, ModelError};
use armilla::{Completion, ExceptionKind, Minor, SystemException};
pub use armilla_store::{Recovered, StoreError};
use journal::{Journal, Read};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// A model, and the directory that keeps it, if any.
///
/// # Examples
/// ```
/// use armilla_ifr::Store;
/// use armilla_ifr::model::{Kind, ROOT};
///
/// # let directory = std::env::temp_dir().join(format!("armilla-store-{}", std::process::id()));
/// let mut store = Store::open(&directory)?;
/// store.change(|model| model.create(ROOT, "IDL:Bank:1.0", "Bank", "1.0", Kind::Module))?;
/// drop(store);
///
/// let store = Store::open(&directory)?;
/// assert!(store.model().lookup_id("IDL:Bank:1.0").is_some());
/// # drop(store);
/// # std::fs::remove_dir_all(directory)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Store {
    model: Model,
    journal: Option<Journal>,
}

/// A store in memory only.
impl From<Model> for Store {
    fn from(model: Model) -> Self {
        Self { model, journal: None }
    }
}

impl Store {
    /// Opens the store in `directory`, which is created if missing. Every change is on disk when
    /// [`change`](Self::change) returns. Only one process at a time can open a directory.
    ///
    /// # Errors
    /// The directory cannot be created, read or written, another process has it open, or its
    /// contents are damaged.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, StoreError> {
        let journal = Read::open(directory.as_ref())?;
        let mut model = Model::new();
        for (number, line) in &journal.lines {
            apply(&mut model, line)
                .map_err(|error| journal.damaged(&format!("line {number}: {error}")))?;
        }
        model.check_restored().map_err(|error| journal.damaged(&error))?;
        let journal = Journal::begin(journal, &model)?;
        Ok(Self { model, journal: Some(journal) })
    }

    /// Saves what can be saved of the damaged store in `directory`: into a new file in its place,
    /// beside which the damaged one is kept; as a `trial` it only says what that would be. A
    /// definition that needs one which is lost is lost, too.
    ///
    /// # Errors
    /// The file cannot be read or written, another process has it open, or what is left of it makes
    /// no sense together.
    pub fn recover(
        directory: impl AsRef<Path>,
        is_trial: bool,
    ) -> Result<Recovered<Saved>, StoreError> {
        let journal = Read::open_damaged(directory.as_ref())?;
        let (mut model, mut losses) = (Model::new(), Vec::new());
        losses.extend(journal.damaged_head.clone());
        for (number, line) in &journal.lines {
            if let Err(why) = apply(&mut model, line) {
                losses.push(format!("line {number}: {why}"));
            }
        }
        losses.extend(model.remove_dangling());
        model.check_restored().map_err(|error| journal.damaged(&error))?;
        let saved = Saved { definitions: model.made().count() };
        let kept = if is_trial { None } else { Some(journal.replace(&model)?) };
        Ok(Recovered { saved, losses, last_commit: None, kept })
    }

    /// The model.
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// Whether the model outlives the process.
    pub const fn is_persistent(&self) -> bool {
        self.journal.is_some()
    }

    /// Changes the model atomically. Returns the result of `work` and the removed definitions.
    ///
    /// # Errors
    /// The error of `work`, or [`ChangeError::Store`] if the change could not be written. On error
    /// the model is unchanged.
    pub fn change<T>(
        &mut self,
        work: impl FnOnce(&mut Model) -> Result<T, ModelError>,
    ) -> Result<(T, Vec<DefId>), ChangeError> {
        if let Some(journal) = &mut self.journal {
            journal.recover(&self.model).map_err(ChangeError::Store)?;
        }
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

/// Makes the change of a line.
fn apply(model: &mut Model, line: &Result<Vec<u8>, String>) -> Result<(), String> {
    let line = line.as_ref().map_err(Clone::clone)?;
    let read = serde_json::from_slice::<Line<Definition>>(line);
    let Line { next, set, gone } = read.map_err(|error| error.to_string())?;
    model.restore(next, set, gone).map_err(|error| error.to_string())
}

/// How much was saved of a damaged store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// How many definitions were saved.
    pub definitions: usize,
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} definitions", self.definitions)
    }
}

/// A change as a line of the file.
#[derive(Serialize, Deserialize)]
struct Line<D> {
    /// The next unused number.
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

/// The whole model: a change for each definition; one without any tells the next number at least.
fn snapshot(model: &Model) -> Vec<Line<&Definition>> {
    let next = model.next_number();
    let lines = model.made().map(|(id, now)| line(next, vec![(id, Some(now))]));
    std::iter::once(line(next, Vec::new())).chain(lines).collect()
}

/// Why a change failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ChangeError {
    /// The rules of the repository forbid the change.
    Model(ModelError),
    /// The change could not be written to disk.
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
                let (completion, what) = match error.is_undecided() {
                    true => (Completion::Maybe, "the change may be there after a restart"),
                    false => (Completion::No, "nothing was changed"),
                };
                Self::new(ExceptionKind::PersistStore, Minor::default(), completion)
                    .with_reason(format!("{what}: {error}"))
            }
        }
    }
}
