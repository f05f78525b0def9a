//! The file of a store, with a table of definitions and a table of runs, each as
//! JSON under the name of the server.

use super::decode_definition;
use crate::model::{Definition, RunRecord};
use armilla_store::{File, Format, StoreError, TableDefinition};
use std::collections::BTreeMap;
use std::path::Path;

const DEFINITIONS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("definitions");
const RUNS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("runs");

static FORMAT: Format = Format {
    file: "imr.redb",
    version: 1,
    service: "implementation repository",
    otherwise: "move it away and add the servers from an export",
    cache: 4 << 20,
    make: |transaction| {
        transaction.open_table(DEFINITIONS)?;
        transaction.open_table(RUNS)?;
        Ok(())
    },
};

#[derive(Debug)]
pub(super) struct Disk(File);

impl Disk {
    /// Opens or makes the file.
    pub(super) fn open(directory: &Path) -> Result<Self, StoreError> {
        File::open(directory, &FORMAT, |_| Ok(())).map(|(file, ())| Self(file))
    }

    /// All definitions, each with its runs.
    pub(super) fn load(&self) -> Result<Vec<(Definition, Vec<RunRecord>)>, StoreError> {
        let mut runs = BTreeMap::new();
        self.0.rows(RUNS, |name, text| {
            let read: Vec<RunRecord> = serde_json::from_slice(text).map_err(|e| e.to_string())?;
            runs.insert(name.to_owned(), read);
            Ok(())
        })?;
        let mut kept = Vec::new();
        self.0.rows(DEFINITIONS, |name, text| {
            let definition = decode_definition(text)?;
            if definition.name != name {
                return Err(format!("its definition is that of {:?}", definition.name));
            }
            kept.push((definition, runs.remove(name).unwrap_or_default()));
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
            Ok(())
        })
    }

    pub(super) fn set_runs(&self, name: &str, runs: &[RunRecord]) -> Result<(), StoreError> {
        let octets = self.encode(&runs)?;
        self.0.write(|transaction| {
            let mut table = transaction.open_table(RUNS)?;
            match runs {
                [] => drop(table.remove(name)?),
                _ => drop(table.insert(name, octets.as_slice())?),
            }
            Ok(())
        })
    }

    fn encode(&self, value: &impl serde::Serialize) -> Result<Vec<u8>, StoreError> {
        let failed = |error| StoreError::new(self.0.path(), format!("cannot be written: {error}"));
        serde_json::to_vec(value).map_err(failed)
    }
}
