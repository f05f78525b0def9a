//! A servant with any number of operations, and a skeleton with any of the four lookup strategies.
//! It is written by hand, because a thousand generated operations would take long to compile. A
//! request within the process carries no operation number for the active strategy, so here the name
//! ends in the number.

use super::Outcome;
use armilla::codegen::{Dispatched, Interface, IsA, Operations, ServerCall, Upcast};
use armilla::{ObjectId, ObjectLookup, OperationLookup, SystemException};
use armilla_giop::OperationName;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// A strategy for the lookup of objects or operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Linear search.
    Linear,
    /// Dynamic hashing: a general hash table.
    Hashing,
    /// Perfect hashing: a table without collisions, made for its keys.
    Perfect,
    /// Active demultiplexing: the key contains the index.
    Active,
}

impl Strategy {
    /// The strategy with this name.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "linear" => Self::Linear,
            "hashing" => Self::Hashing,
            "perfect" => Self::Perfect,
            "active" => Self::Active,
            _ => return None,
        })
    }

    /// The strategy for an adapter with `objects` objects.
    pub(super) fn lookup(self, objects: u32) -> ObjectLookup {
        match self {
            Self::Linear => ObjectLookup::Linear,
            Self::Hashing => ObjectLookup::Hashing,
            Self::Perfect => ObjectLookup::Perfect((0..objects).map(object_id).collect()),
            Self::Active => ObjectLookup::Active,
        }
    }

    /// The strategy for the operations of its servants.
    pub(super) const fn operation_lookup(self) -> OperationLookup {
        match self {
            Self::Linear => OperationLookup::Linear,
            Self::Hashing => OperationLookup::Hashing,
            Self::Perfect => OperationLookup::Perfect,
            Self::Active => OperationLookup::Active,
        }
    }
}

/// The id of an object by number. All ids have the same length.
pub(super) fn object_id(number: u32) -> ObjectId {
    ObjectId::new(format!("object_{number:07}"))
}

/// The body of an operation: an empty reply.
type Handler = fn(&mut ServerCall<'_>) -> Dispatched;

/// An interface whose operations are known when the program runs.
pub(super) trait Many: Send + Sync + 'static {
    /// The operation with this name.
    fn handler(&self, name: OperationName<'_>) -> Option<Handler>;
}

impl Interface for dyn Many {
    const REPOSITORY_ID: &'static str = "IDL:Bench/Many:1.0";
    const BASES: &'static [&'static str] = &[];

    fn dispatch(&self, call: &mut ServerCall<'_>) -> Dispatched {
        match self.handler(call.operation()) {
            Some(handler) => handler(call),
            None => call.unknown_operation(),
        }
    }

    fn upcast(servant: Arc<Self>, target: &mut Upcast<'_>) {
        target.offer::<dyn Many>(|| servant.clone());
    }
}

impl IsA<dyn Many> for dyn Many {}

/// The maximum number of operations in a table.
const SIZES: [usize; 4] = [1, 10, 100, 1000];

/// The names of operations, contiguous in memory like those of generated code.
pub(super) fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let lines: String = (0..SIZES[3]).map(|number| format!("operation_{number}\n")).collect();
        lines.leak().lines().collect()
    });
    &NAMES
}

/// A table of each size, one of which is in use.
pub(super) struct Tables {
    tables: [Table; 4],
    chosen: AtomicUsize,
}

impl Tables {
    /// All tables for the strategy.
    pub(super) fn new(strategy: Strategy) -> Outcome<Self> {
        let [a, b, c, d] = SIZES.map(|size| Table::new(strategy, &names()[..size]));
        Ok(Self { tables: [a?, b?, c?, d?], chosen: AtomicUsize::new(0) })
    }

    /// Uses the table with so many operations.
    pub(super) fn choose(&self, operations: u32) -> Outcome {
        let place = SIZES.iter().position(|size| *size == operations as usize);
        let place = place.ok_or_else(|| format!("no table for {operations} operations"))?;
        self.chosen.store(place, Ordering::Relaxed);
        Ok(())
    }
}

impl Many for Tables {
    fn handler(&self, name: OperationName<'_>) -> Option<Handler> {
        self.tables.get(self.chosen.load(Ordering::Relaxed))?.handler(name)
    }
}

/// A table of operations.
struct Table {
    names: &'static [&'static str],
    handlers: Vec<Handler>,
    finder: Finder,
}

enum Finder {
    Linear,
    Hashing(HashMap<&'static str, usize>),
    /// The tables that the IDL compiler would make.
    One(Operations<1, 2>),
    Ten(Operations<10, 32>),
    Hundred(Box<Operations<100, 256>>),
    Thousand(Box<Operations<1000, 2048>>),
    /// The name ends in its number, which is checked.
    Active,
}

impl Table {
    /// The operations with these names.
    ///
    /// # Errors
    /// When there is no perfect hash for so many.
    fn new(strategy: Strategy, names: &'static [&'static str]) -> Outcome<Self> {
        let numbered = || names.iter().enumerate().map(|(number, name)| (*name, number));
        let finder = match strategy {
            Strategy::Linear => Finder::Linear,
            Strategy::Active => Finder::Active,
            Strategy::Hashing => {
                let mut table = HashMap::with_capacity(2 * names.len());
                table.extend(numbered());
                Finder::Hashing(table)
            }
            Strategy::Perfect => Finder::perfect(names)?,
        };
        let handler: Handler = |call| call.reply(Ok::<_, SystemException>(()), |(), _| Ok(()));
        Ok(Self { names, handlers: vec![handler; names.len()], finder })
    }
}

impl Finder {
    fn perfect(names: &'static [&'static str]) -> Outcome<Self> {
        Ok(match names.len() {
            1 => Self::One(Operations::new(names)),
            10 => Self::Ten(Operations::new(names)),
            100 => Self::Hundred(Box::new(Operations::new(names))),
            1000 => Self::Thousand(Box::new(Operations::new(names))),
            other => return Err(format!("no table for {other} operations").into()),
        })
    }
}

impl Table {
    fn handler(&self, name: OperationName<'_>) -> Option<Handler> {
        let place = match &self.finder {
            Finder::Linear => self.names.iter().position(|known| name == **known),
            Finder::Hashing(table) => table.get(name.as_str()).copied(),
            Finder::One(table) => table.find(name),
            Finder::Ten(table) => table.find(name),
            Finder::Hundred(table) => table.find(name),
            Finder::Thousand(table) => table.find(name),
            Finder::Active => {
                number_of(name).filter(|n| self.names.get(*n).is_some_and(|known| name == **known))
            }
        };
        self.handlers.get(place?).copied()
    }
}

/// The number at the end of a name.
fn number_of(name: OperationName<'_>) -> Option<usize> {
    let (_, digits) = name.as_str().rsplit_once('_')?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_finds_every_operation_and_no_other() {
        for strategy in ["linear", "hashing", "perfect", "active"] {
            let strategy = Strategy::parse(strategy).unwrap();
            for count in [1, 10, 100, 1000] {
                let table = Table::new(strategy, &names()[..count]).unwrap();
                let found = |name: &str| {
                    table.handler(OperationName::new(name.as_bytes()).unwrap()).is_some()
                };
                assert!(names()[..count].iter().all(|name| found(name)), "{strategy:?} {count}");
                assert!(!found("operation_1000") && !found("other_0") && !found("operation"));
            }
        }
    }
}
