//! Where property sets are kept: in memory, or with the feature `disk` in a file, too.

use super::corba::{PropertyDef, PropertyDefs, PropertyModeType, PropertyTypes};
use super::model::{Allowed, Constraints, Mode, Property, PropertySet};
use armilla_store::StoreError;
use std::collections::BTreeMap;
use std::fmt;
#[cfg(feature = "disk")]
use {armilla::Orb, std::path::Path};

/// Sets by their numbers.
pub(super) type Sets = BTreeMap<u64, PropertySet>;

/// A change of one set.
#[cfg_attr(not(feature = "disk"), allow(dead_code))]
pub(super) enum Change<'c> {
    /// A set is there.
    Make(&'c PropertySet),
    /// It is there no more.
    Remove,
    /// A property is this, or is there no more.
    Put(&'c str, Option<&'c Property>),
}

/// The sets of a service, and where they are kept.
pub struct Store {
    pub(super) sets: Sets,
    pub(super) keeper: Keeper,
}

impl Store {
    /// Sets in memory. They end with the process.
    pub const fn memory() -> Self {
        Self { sets: Sets::new(), keeper: Keeper::Memory }
    }

    /// Opens the store in a directory, which is made if it is missing. Every change is on the disk
    /// when it is acknowledged. One process at a time can open a directory.
    ///
    /// # Errors
    /// The file cannot be made, read or written, another process holds it, or it is damaged:
    /// nothing of a damaged file is served.
    #[cfg(feature = "disk")]
    pub fn open(directory: impl AsRef<Path>, orb: &Orb) -> Result<Self, StoreError> {
        let (file, sets) = disk::open(directory.as_ref(), orb)?;
        Ok(Self { sets, keeper: Keeper::Disk(file) })
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("sets", &self.sets.len()).finish_non_exhaustive()
    }
}

/// Reads a record of a file and throws it away, for tests with arbitrary octets.
#[cfg(feature = "disk")]
#[doc(hidden)]
pub fn check_record(octets: &[u8], orb: &Orb) {
    disk::check_record(octets, orb);
}

pub(super) enum Keeper {
    Memory,
    #[cfg(feature = "disk")]
    Disk(armilla_store::File),
}

impl Keeper {
    /// Keeps changes of one set, all or none.
    pub(super) fn keep(&self, set: u64, changes: &[Change<'_>]) -> Result<(), StoreError> {
        match self {
            Self::Memory => {
                let _ = (set, changes);
                Ok(())
            }
            #[cfg(feature = "disk")]
            Self::Disk(file) => disk::keep(file, set, changes),
        }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self {
            Self::Memory => Ok(()),
            #[cfg(feature = "disk")]
            Self::Disk(file) => file.check().map_err(|error| error.to_string()),
        }
    }
}

/// A mode in IDL.
pub(super) const fn wire(mode: Mode) -> PropertyModeType {
    match mode {
        Mode::Normal => PropertyModeType::Normal,
        Mode::ReadOnly => PropertyModeType::ReadOnly,
        Mode::FixedNormal => PropertyModeType::FixedNormal,
        Mode::FixedReadonly => PropertyModeType::FixedReadonly,
    }
}

/// The mode that IDL tells; none for `undefined`.
pub(super) const fn mode(mode: PropertyModeType) -> Option<Mode> {
    match mode {
        PropertyModeType::Normal => Some(Mode::Normal),
        PropertyModeType::ReadOnly => Some(Mode::ReadOnly),
        PropertyModeType::FixedNormal => Some(Mode::FixedNormal),
        PropertyModeType::FixedReadonly => Some(Mode::FixedReadonly),
        PropertyModeType::Undefined => None,
    }
}

/// Constraints in IDL.
pub(super) fn wire_constraints(constraints: &Constraints) -> (PropertyTypes, PropertyDefs) {
    let def = |it: &Allowed| PropertyDef {
        property_name: it.name.clone(),
        property_value: it.value.clone(),
        property_mode: it.mode.map_or(PropertyModeType::Undefined, wire),
    };
    (constraints.types.clone(), constraints.properties.iter().map(def).collect())
}

/// The constraints that IDL tells.
pub(super) fn constraints(types: PropertyTypes, properties: PropertyDefs) -> Constraints {
    let allowed = |it: PropertyDef| Allowed {
        name: it.property_name,
        value: it.property_value,
        mode: mode(it.property_mode),
    };
    Constraints { types, properties: properties.into_iter().map(allowed).collect() }
}

#[cfg(feature = "disk")]
mod disk {
    //! The file: a table of sets, and one of properties behind the number of their set. A record is a
    //! value of IDL in CDR behind a checksum, which covers the key, too.

    use super::*;
    use crate::properties::corba::operators::KeptSet;
    use crate::record::{encode, read};
    use armilla_store::{File, Format, TableDefinition, Transaction, checksum};

    const SETS: TableDefinition<'_, u64, &[u8]> = TableDefinition::new("sets");
    const PROPERTIES: TableDefinition<'_, (u64, &str), &[u8]> = TableDefinition::new("properties");

    static FORMAT: Format = Format {
        file: "properties.redb",
        version: 1,
        service: "property service",
        otherwise: "put a copy of the file in its place",
        cache: 16 << 20,
        make: |transaction| {
            transaction.open_table(SETS)?;
            transaction.open_table(PROPERTIES)?;
            Ok(())
        },
    };

    pub(super) fn open(directory: &Path, orb: &Orb) -> Result<(File, Sets), StoreError> {
        File::open(directory, &FORMAT, |file| {
            let mut sets = Sets::new();
            file.rows(SETS, |number, record| {
                let kept: KeptSet = read(&number.to_be_bytes(), record, orb)?;
                let constraints = constraints(kept.types, kept.properties);
                sets.insert(number, PropertySet::new(kept.has_modes, constraints));
                Ok(())
            })?;
            file.rows(PROPERTIES, |(number, name), record| {
                let def = read::<PropertyDef>(&key(number, name), record, orb)?;
                let set = sets.get_mut(&number).ok_or("it is in no set")?;
                let mode = mode(def.property_mode).ok_or("it has no mode")?;
                set.put(name, Some(Property { value: def.property_value, mode }));
                Ok(())
            })?;
            Ok(sets)
        })
    }

    pub(super) fn keep(file: &File, set: u64, changes: &[Change<'_>]) -> Result<(), StoreError> {
        let record = |change: &Change<'_>| record_of(set, change);
        let records = changes.iter().map(record).collect::<Result<Vec<_>, String>>();
        let records = records.map_err(|why| StoreError::new(file.path(), why))?;
        file.write(|transaction| {
            let mut all = changes.iter().zip(&records);
            all.try_for_each(|(change, record)| write(transaction, set, change, record))
        })
    }

    fn write(
        transaction: &Transaction,
        set: u64,
        change: &Change<'_>,
        record: &[u8],
    ) -> Result<(), armilla_store::EngineError> {
        match change {
            Change::Make(_) => {
                transaction.open_table(SETS)?.insert(set, record)?;
            }
            Change::Remove => {
                transaction.open_table(SETS)?.remove(set)?;
                let mut properties = transaction.open_table(PROPERTIES)?;
                let end = set.checked_add(1).map(|end| (end, ""));
                match end {
                    Some(end) => properties.retain_in((set, "")..end, |_, _| false)?,
                    None => properties.retain_in((set, "").., |_, _| false)?,
                }
            }
            Change::Put(name, Some(_)) => {
                transaction.open_table(PROPERTIES)?.insert((set, *name), record)?;
            }
            Change::Put(name, None) => {
                transaction.open_table(PROPERTIES)?.remove((set, *name))?;
            }
        }
        Ok(())
    }

    fn key(set: u64, name: &str) -> Vec<u8> {
        [&set.to_be_bytes(), name.as_bytes()].concat()
    }

    fn record_of(set: u64, change: &Change<'_>) -> Result<Vec<u8>, String> {
        match change {
            Change::Make(made) => {
                let (types, properties) = wire_constraints(&made.constraints);
                let kept = KeptSet { has_modes: made.has_modes, types, properties };
                encode(&set.to_be_bytes(), &kept)
            }
            Change::Put(name, Some(property)) => {
                let def = PropertyDef {
                    property_name: (*name).to_owned(),
                    property_value: property.value.clone(),
                    property_mode: wire(property.mode),
                };
                encode(&key(set, name), &def)
            }
            Change::Remove | Change::Put(_, None) => Ok(Vec::new()),
        }
    }

    /// Decodes a record whatever its checksum is: for tests with arbitrary octets, since no stranger finds
    /// checksums by chance. What is read is written and read again.
    pub(super) fn check_record(octets: &[u8], orb: &Orb) {
        let record = [&checksum(&[&[], octets]).to_be_bytes(), octets].concat();
        if let Ok(kept) = read::<KeptSet>(&[], &record, orb) {
            let again = constraints(kept.types, kept.properties);
            let (types, properties) = wire_constraints(&again);
            let kept = KeptSet { has_modes: kept.has_modes, types, properties };
            let record = encode(&[], &kept).expect("it was read");
            read::<KeptSet>(&[], &record, orb).expect("it was written");
        }
        if let Ok(def) = read::<PropertyDef>(&[], &record, orb) {
            let record = encode(&[], &def).expect("it was read");
            read::<PropertyDef>(&[], &record, orb).expect("it was written");
        }
    }
}
