//! The strategies of operation lookup other than the perfect hash of the generated skeleton.

use super::perfect::hash;
use std::sync::Arc;

/// How a skeleton finds the operation that a request names. Operations are numbered as in the IDL,
/// first those of the interface itself, then those of its bases.
///
/// The program chooses it for a [servant](crate::AnyServant::with_operation_lookup) or for all
/// servants of a [POA](crate::PoaBuilder::operation_lookup). If a strategy does not find a name,
/// the perfect hash does. [Direct](crate::Collocation::Direct) calls need no lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum OperationLookup {
    /// The name is hashed into a table without collisions that the compiler made. The one to use,
    /// and the only one that costs nothing but itself.
    #[default]
    Perfect,
    /// The request says the number, and the name is compared with that operation's alone.
    ///
    /// References carry a component with the names in their order; a client of this ORB that finds
    /// it there puts the number into four octets at the end of the object key, which are kept free
    /// for that. Other clients send them as they are, and the name is looked for. A number is
    /// checked, never trusted. References grow by all names of the interface.
    Active,
    /// The name is hashed into twice as many buckets as there are operations; names in the same one
    /// are compared in turn.
    Hashing,
    /// The name is compared with that of one operation after the other. For measurements.
    Linear,
}

/// A strategy with its table.
pub(crate) enum Finder {
    Active(&'static [&'static str]),
    Hashing(Arc<Buckets>),
    Linear(&'static [&'static str]),
}

impl Finder {
    /// By the strategy among `names`; `None` for the skeleton's own.
    pub(crate) fn new(lookup: OperationLookup, names: &'static [&'static str]) -> Option<Self> {
        Some(match lookup {
            OperationLookup::Perfect => return None,
            OperationLookup::Active => Self::Active(names),
            OperationLookup::Hashing => Self::Hashing(buckets::shared(names)),
            OperationLookup::Linear => Self::Linear(names),
        })
    }

    /// The number of the operation `name`; `hint` is what the request says of it.
    #[inline]
    pub(crate) fn find(&self, name: &str, hint: impl FnOnce() -> Option<u32>) -> Option<usize> {
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

pub(crate) use buckets::Buckets;

mod buckets {
    use super::hash;
    use std::collections::HashMap;
    use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

    /// Names by their hash, those of a bucket as a chain.
    pub(crate) struct Buckets {
        names: &'static [&'static str],
        /// The number of the first name of each bucket, counted from 1; 0 where there is none.
        first: Box<[u32]>,
        /// For each name that of the next in its bucket, counted in the same way.
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

    /// The table of `names`, one for all servants of an interface.
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
