//! The strategies of operation lookup other than the perfect hash of the generated skeleton.

use super::perfect::hash;
use std::sync::Arc;

/// How a skeleton finds the operation of a request. Operations are numbered in the order of the
/// IDL: first those of the interface, then those of its bases.
///
/// The program chooses it for a servant or for all
/// servants of a POA. If a strategy does not find a name,
/// the perfect hash does. [Direct](crate::settings::Collocation::Direct) calls need no lookup.
///
/// Needs the feature `demultiplexing-strategies`; without it every skeleton uses
/// [`Perfect`](Self::Perfect).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum OperationLookup {
    /// Perfect hashing: the compiler generates a table without collisions. The fastest strategy for
    /// every client, without any cost in references.
    #[default]
    Perfect,
    /// Active demultiplexing: the request carries the number of the operation, and only the name
    /// with this number is compared.
    ///
    /// References carry a component that lists the names in order. A client of this ORB that finds
    /// the component writes the number into the last four octets of the object key, which the
    /// server reserves for it. Other clients leave these octets unchanged; then the name is looked
    /// up. The server checks the number. The names of all operations make references longer.
    Active,
    /// Hashing into twice as many buckets as there are operations. Names in one bucket are compared
    /// one by one.
    Hashing,
    /// Linear search. Meant for measurements.
    Linear,
}

/// A strategy with its table.
pub enum Finder {
    /// By the number in the object key.
    Active(&'static [&'static str]),
    /// By a hash table.
    Hashing(Arc<Buckets>),
    /// By comparing one name after the other.
    Linear(&'static [&'static str]),
}

impl Finder {
    /// Creates the finder for this strategy over `names`; `None` for the skeleton's own perfect
    /// hash.
    pub fn new(lookup: OperationLookup, names: &'static [&'static str]) -> Option<Self> {
        Some(match lookup {
            OperationLookup::Perfect => return None,
            OperationLookup::Active => Self::Active(names),
            OperationLookup::Hashing => Self::Hashing(buckets::shared(names)),
            OperationLookup::Linear => Self::Linear(names),
        })
    }

    /// The number of the operation `name`. `hint` returns the number in the request.
    #[inline]
    pub fn find(&self, name: &str, hint: impl FnOnce() -> Option<u32>) -> Option<usize> {
        match self {
            Self::Active(names) => {
                let number = hint()? as usize;
                (*names.get(number)? == name).then_some(number)
            }
            Self::Hashing(buckets) => buckets.find(name),
            Self::Linear(names) => names.iter().position(|known| *known == name),
        }
    }
}

pub use buckets::Buckets;

mod buckets {
    use super::hash;
    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

    /// A hash table of names. The names in a bucket are chained.
    pub struct Buckets {
        names: &'static [&'static str],
        /// The number of the first name in each bucket, counted from 1; 0 for an empty bucket.
        first: Box<[u32]>,
        /// The number of the next name in the bucket of each name, counted in the same way.
        next: Box<[u32]>,
    }

    impl Buckets {
        fn new(names: &'static [&'static str]) -> Self {
            let mut first = vec![0; (2 * names.len()).max(1)];
            let mut next = vec![0; names.len()];
            for (number, name) in (1..).zip(names) {
                let bucket = bucket(name, first.len());
                next[number as usize - 1] = std::mem::replace(&mut first[bucket], number);
            }
            Self { names, first: first.into(), next: next.into() }
        }

        #[inline]
        pub(super) fn find(&self, name: &str) -> Option<usize> {
            let mut link = *self.first.get(bucket(name, self.first.len()))?;
            loop {
                let number = (link as usize).checked_sub(1)?;
                if *self.names.get(number)? == name {
                    return Some(number);
                }
                link = *self.next.get(number)?;
            }
        }
    }

    fn bucket(name: &str, count: usize) -> usize {
        (hash(name.as_bytes()) % count as u64) as usize
    }

    /// The table of `names`, which all servants of an interface share.
    pub(super) fn shared(names: &'static [&'static str]) -> Arc<Buckets> {
        static TABLES: LazyLock<Mutex<HashMap<usize, Weak<Buckets>>>> =
            LazyLock::new(Mutex::default);
        let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
        let key = names.as_ptr().addr();
        let known = tables.get(&key).and_then(Weak::upgrade);
        let table = known.filter(|table| std::ptr::eq(table.names, names));
        table.unwrap_or_else(|| {
            let table = Arc::new(Buckets::new(names));
            tables.insert(key, Arc::downgrade(&table));
            table
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NAMES: [&str; 5] = ["deposit", "withdraw", "_get_balance", "_set_balance", "close"];

    #[test]
    fn every_strategy_finds_every_name_and_nothing_else() {
        assert!(Finder::new(OperationLookup::Perfect, &NAMES).is_none());
        for lookup in [OperationLookup::Active, OperationLookup::Hashing, OperationLookup::Linear] {
            let finder = Finder::new(lookup, &NAMES).unwrap();
            for (number, name) in NAMES.iter().enumerate() {
                assert_eq!(finder.find(name, || Some(number as u32)), Some(number), "{lookup:?}");
            }
            for stranger in ["", "withdrawn", "clos"] {
                assert_eq!(finder.find(stranger, || Some(1)), None, "{lookup:?}");
            }
            let nothing = Finder::new(lookup, &[]).unwrap();
            assert_eq!(nothing.find("close", || Some(0)), None, "{lookup:?}");
        }
    }

    #[test]
    fn a_number_is_checked() {
        let finder = Finder::new(OperationLookup::Active, &NAMES).unwrap();
        for wrong in [None, Some(0), Some(5), Some(u32::MAX)] {
            assert_eq!(finder.find("withdraw", || wrong), None, "{wrong:?}");
        }
    }
}
