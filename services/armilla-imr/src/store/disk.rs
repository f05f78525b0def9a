//! The file of a store, with tables of definitions, of runs, and of what else is known of servers,
//! each as JSON under the name of the server.

use super::{Kept, Saved, decode_definition};
use crate::model::{Definition, RunRecord, StateRecord};
use armilla_store::{File, Format, Recovered, Salvage, StoreError, TableDefinition, WriteCheck};
use std::collections::BTreeMap;
use std::path::Path;

const DEFINITIONS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("definitions");
const RUNS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("runs");
const STATES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("states");

static FORMAT: Format = Format {
    file: "imr.redb",
    version: 1,
    service: "implementation repository",
    otherwise: "save what can be saved with `armilla imr recover`",
    cache: 4 << 20,
    make: |transaction| {
        transaction.open_table(DEFINITIONS)?;
        transaction.open_table(RUNS)?;
        transaction.open_table(STATES)?;
        Ok(())
    },
};

#[derive(Debug)]
pub(super) struct Disk(File, WriteCheck);

impl Disk {
    /// Opens or makes the file.
    pub(super) fn open(directory: &Path) -> Result<Self, StoreError> {
        File::open(directory, &FORMAT, |_| Ok(()))
            .map(|(file, ())| Self(file, WriteCheck::new(directory)))
    }

    /// Whether it can be written.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.1.check(|| self.0.write(|_| Ok(())))
    }

    /// All definitions, each with its runs.
    pub(super) fn load(&self) -> Result<Vec<Kept>, StoreError> {
        let mut runs = BTreeMap::new();
        self.0.rows(RUNS, |name, text| {
            let read: Vec<RunRecord> = serde_json::from_slice(text).map_err(|e| e.to_string())?;
            runs.insert(name.to_owned(), read);
            Ok(())
        })?;
        let mut states = BTreeMap::new();
        self.0.rows(STATES, |name, text| {
            let read: StateRecord = serde_json::from_slice(text).map_err(|e| e.to_string())?;
            states.insert(name.to_owned(), read);
            Ok(())
        })?;
        let mut kept = Vec::new();
        self.0.rows(DEFINITIONS, |name, text| {
            let definition = decode_definition(text)?;
            if definition.name != name {
                return Err(format!("its definition is that of {:?}", definition.name));
            }
            let (runs, state) = (runs.remove(name), states.remove(name));
            kept.push(Kept {
                definition,
                runs: runs.unwrap_or_default(),
                state: state.unwrap_or_default(),
            });
            Ok(())
        })?;
        Ok(kept)
    }

    pub(super) fn put(&self, definition: &Definition) -> Result<(), StoreError> {
        let octets = self.encode(definition)?;
        self.0.write(|transaction| {
            let mut definitions = transaction.open_table(DEFINITIONS)?;
            definitions.insert(definition.name.as_str(), octets.as_slice())?;
            Ok(())
        })
    }

    pub(super) fn remove(&self, name: &str) -> Result<(), StoreError> {
        self.0.write(|transaction| {
            transaction.open_table(DEFINITIONS)?.remove(name)?;
            transaction.open_table(RUNS)?.remove(name)?;
            transaction.open_table(STATES)?.remove(name)?;
            Ok(())
        })
    }

    pub(super) fn set_runs(
        &self,
        name: &str,
        runs: &[RunRecord],
        state: &StateRecord,
    ) -> Result<(), StoreError> {
        let (octets, state_octets) = (self.encode(&runs)?, self.encode(state)?);
        self.0.write(|transaction| {
            let mut table = transaction.open_table(RUNS)?;
            match runs {
                [] => drop(table.remove(name)?),
                _ => drop(table.insert(name, octets.as_slice())?),
            }
            let mut table = transaction.open_table(STATES)?;
            match *state == StateRecord::default() {
                true => drop(table.remove(name)?),
                false => drop(table.insert(name, state_octets.as_slice())?),
            }
            Ok(())
        })
    }

    /// Saves what can be saved of a damaged file, into a new one in its place unless it is a `trial`.
    pub(super) fn recover(
        directory: &Path,
        is_trial: bool,
    ) -> Result<Recovered<Saved>, StoreError> {
        let salvage = Salvage::open(directory, &FORMAT)?;
        let mut rows = Rows::of(&salvage)?;
        let saved = Saved { servers: rows.definitions.keys().cloned().collect() };
        let losses = std::mem::take(&mut rows.orphans);
        salvage.recover(&FORMAT, is_trial, (saved, losses), |file| rows.write(file))
    }

    fn encode(&self, value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
        let failed = |error| StoreError::new(self.0.path(), format!("cannot be written: {error}"));
        serde_json::to_vec(value).map_err(failed)
    }
}

/// The rows that were saved of a damaged file, under the names of the servers.
struct Rows {
    definitions: BTreeMap<String, Vec<u8>>,
    runs: BTreeMap<String, Vec<u8>>,
    states: BTreeMap<String, Vec<u8>>,
    /// What is known of servers that are lost: it helps nobody.
    orphans: Vec<String>,
}

impl Rows {
    fn of(salvage: &Salvage) -> Result<Self, StoreError> {
        let mut definitions = BTreeMap::new();
        salvage.rows(DEFINITIONS, |name, text| {
            let definition = decode_definition(text)?;
            if definition.name != name {
                return Err(format!("its definition is that of {:?}", definition.name));
            }
            definitions.insert(name.to_owned(), text.to_owned());
            Ok(())
        })?;
        let (mut runs, mut states, mut orphans) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        salvage.rows(RUNS, |name, text| {
            serde_json::from_slice::<Vec<RunRecord>>(text).map_err(|error| error.to_string())?;
            runs.insert(name.to_owned(), text.to_owned());
            Ok(())
        })?;
        salvage.rows(STATES, |name, text| {
            serde_json::from_slice::<StateRecord>(text).map_err(|error| error.to_string())?;
            states.insert(name.to_owned(), text.to_owned());
            Ok(())
        })?;
        for (what, rows) in [("the processes", &mut runs), ("the failures", &mut states)] {
            for (name, _) in take_if(rows, |name| !definitions.contains_key(name)) {
                orphans.push(format!("{what} of the server {name:?}, whose definition is lost"));
            }
        }
        Ok(Self { definitions, runs, states, orphans })
    }

    fn write(&self, file: &File) -> Result<(), StoreError> {
        file.write(|transaction| {
            let tables =
                [(DEFINITIONS, &self.definitions), (RUNS, &self.runs), (STATES, &self.states)];
            for (definition, rows) in tables {
                let mut table = transaction.open_table(definition)?;
                for (name, text) in rows {
                    table.insert(name.as_str(), text.as_slice())?;
                }
            }
            Ok(())
        })
    }
}

/// Takes the rows out whose names are such.
fn take_if(
    rows: &mut BTreeMap<String, Vec<u8>>,
    is_such: impl Fn(&str) -> bool,
) -> BTreeMap<String, Vec<u8>> {
    let (taken, left) = std::mem::take(rows).into_iter().partition(|(name, _)| is_such(name));
    *rows = left;
    taken
}
