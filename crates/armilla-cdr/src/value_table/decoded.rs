//! What a decoder knows of the values in its input.

use super::ValueHandle;
use crate::TypeCode;
use crate::stack_budget::StackBudget;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The values of an input, by their positions, and where in chunks the decoder stands.
#[derive(Clone)]
pub(crate) struct DecodedValues<'a> {
    /// All octets.
    pub(crate) full: &'a [u8],
    /// The end of the present chunk, beyond which the decoder sees nothing.
    pub(crate) end: usize,
    /// How many values in chunks enclose the next octet.
    pub(crate) level: u32,
    /// Values of this level and above have ended: one end tag may end several.
    pub(crate) ended: u32,
    /// The target of the last indirection.
    pub(crate) target: usize,
    /// How many octets were reread.
    pub(crate) again: usize,
    /// How many values are being read by callers that watch the stack themselves.
    pub(crate) depth: u32,
    /// The stack for what nests in the innermost of those.
    pub(crate) stack_budget: StackBudget,
    /// Types of values in the input that no TypeCode in it describes.
    pub(crate) types: &'a [TypeCode],
    pub(crate) known: PositionTable<KnownValue>,
    pub(crate) ids: PositionTable<&'a [u8]>,
    pub(crate) lists: PositionTable<Arc<[&'a [u8]]>>,
    /// Values in the skipped parts of truncated ones, and how many values in chunks enclose each.
    pub(crate) skipped: PositionTable<u32>,
}

/// A value that was read, or is being read.
#[derive(Clone)]
pub(crate) struct KnownValue {
    pub(crate) handle: ValueHandle,
    /// How many values in chunks enclose this one.
    pub(crate) level: u32,
}

impl<'a> DecodedValues<'a> {
    /// A table for a decoder of these octets, with nothing in it.
    pub(crate) fn new(full: &'a [u8]) -> Box<Self> {
        Box::new(Self {
            full,
            end: full.len(),
            level: 0,
            ended: u32::MAX,
            target: 0,
            again: 0,
            depth: 0,
            stack_budget: StackBudget::FULL,
            types: &[],
            known: PositionTable::default(),
            ids: PositionTable::default(),
            lists: PositionTable::default(),
            skipped: PositionTable::default(),
        })
    }

    /// All octets.
    pub(crate) const fn all(&self) -> &'a [u8] {
        self.full
    }
}

impl core::fmt::Debug for DecodedValues<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("DecodedValues")
            .field("known", &self.known.ordered.len())
            .finish_non_exhaustive()
    }
}

/// What was found at some positions of the input.
#[derive(Clone)]
pub(crate) struct PositionTable<T> {
    /// Entries in the order of their positions, in which most of them come.
    ordered: Vec<(usize, T)>,
    /// Entries that came when one at a later position was there already.
    late: BTreeMap<usize, T>,
}

impl<T> Default for PositionTable<T> {
    fn default() -> Self {
        Self { ordered: Vec::new(), late: BTreeMap::new() }
    }
}

impl<T> PositionTable<T> {
    /// Records `what` at `position`.
    pub(crate) fn insert(&mut self, position: usize, what: T) {
        match self.ordered.last() {
            Some((last, _)) if *last >= position => match self.find(position) {
                Some(found) => self.ordered[found].1 = what,
                None => drop(self.late.insert(position, what)),
            },
            _ => self.ordered.push((position, what)),
        }
    }

    /// Whether nothing was recorded.
    pub(crate) fn is_empty(&self) -> bool {
        // Nothing comes late unless something came before.
        self.ordered.is_empty()
    }

    /// What was recorded at `position`.
    pub(crate) fn at(&self, position: usize) -> Option<&T> {
        let found = self.find(position).and_then(|found| self.ordered.get(found));
        found.map(|(_, what)| what).or_else(|| self.late.get(&position))
    }

    fn find(&self, position: usize) -> Option<usize> {
        self.ordered.binary_search_by_key(&position, |(position, _)| *position).ok()
    }
}
