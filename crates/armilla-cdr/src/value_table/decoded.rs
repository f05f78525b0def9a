//! The table of values of a decoder.

use super::ValueHandle;
use crate::TypeCode;
use crate::key_table::KeyTable;
use crate::stack_budget::StackBudget;
use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The values in the input by position, and the position of the decoder among chunks.
#[derive(Clone)]
pub(crate) struct DecodedValues<'a> {
    /// All octets.
    pub(crate) full: &'a [u8],
    /// The end of the current chunk, which limits the decoder.
    pub(crate) end: usize,
    /// The end of what lies in no chunk: of all octets, or of the chunk of another value in which
    /// the outermost one lies with its header.
    pub(crate) limit: usize,
    /// How many values in chunks enclose the next octet.
    pub(crate) level: u32,
    /// The values from this level inwards have ended. One end tag may end several.
    pub(crate) ended: u32,
    /// The target of the last indirection.
    pub(crate) target: usize,
    /// The number of octets that were reread.
    pub(crate) again: usize,
    /// The number of values that are being read by callers that limit the use of the stack.
    pub(crate) depth: u32,
    /// The stack budget within the innermost of those.
    pub(crate) stack_budget: StackBudget,
    /// The types of values that no TypeCode in the input describes.
    pub(crate) types: &'a [TypeCode],
    pub(crate) known: PositionTable<KnownValue>,
    pub(crate) ids: PositionTable<&'a [u8]>,
    pub(crate) lists: PositionTable<Arc<[&'a [u8]]>>,
    /// The values in skipped parts, with the number of values in chunks around each.
    pub(crate) skipped: PositionTable<u32>,
}

/// A value that was read or is being read.
#[derive(Clone)]
pub(crate) struct KnownValue {
    pub(crate) handle: ValueHandle,
    /// The number of values in chunks around it.
    pub(crate) level: u32,
}

impl<'a> DecodedValues<'a> {
    /// An empty table for a decoder of these octets.
    pub(crate) fn new(full: &'a [u8]) -> Box<Self> {
        Box::new(Self {
            full,
            end: full.len(),
            limit: full.len(),
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

/// A map from positions in the input.
#[derive(Clone)]
pub(crate) struct PositionTable<T> {
    /// The entries in order of position, as most of them arrive.
    ordered: Vec<(usize, T)>,
    /// The entries that arrived after one at a later position.
    late: KeyTable<T>,
}

impl<T> Default for PositionTable<T> {
    fn default() -> Self {
        Self { ordered: Vec::new(), late: KeyTable::default() }
    }
}

impl<T> PositionTable<T> {
    /// Inserts `what` at `position`.
    pub(crate) fn insert(&mut self, position: usize, what: T) {
        match self.ordered.last() {
            Some((last, _)) if *last >= position => match self.find(position) {
                Some(found) => self.ordered[found].1 = what,
                None => {
                    self.late.insert(position, what);
                }
            },
            _ => self.ordered.push((position, what)),
        }
    }

    /// Whether the map is empty.
    pub(crate) fn is_empty(&self) -> bool {
        // If `late` has an entry, so has the other list.
        self.ordered.is_empty()
    }

    /// The entry at `position`.
    pub(crate) fn at(&self, position: usize) -> Option<&T> {
        let found = self.find(position).and_then(|found| self.ordered.get(found));
        found.map(|(_, what)| what).or_else(|| self.late.get(position))
    }

    fn find(&self, position: usize) -> Option<usize> {
        self.ordered.binary_search_by_key(&position, |(position, _)| *position).ok()
    }
}
