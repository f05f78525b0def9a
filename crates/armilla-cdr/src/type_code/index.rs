//! An index of the named types within a TypeCode, by their repository ids.

use super::TypeCode;
use crate::key_table::KeyTable;
use alloc::collections::BTreeMap;

/// The named types within a TypeCode, by repository id. It finds the type that a [`Recursive`] code
/// names, or that of a value with a repository id. Of two types with the same id it finds the outer
/// one.
///
/// [`Recursive`]: TypeCode::Recursive
///
/// ```
/// use armilla_cdr::TypeCode;
/// use armilla_cdr::type_code::TypeIndex;
///
/// let point = TypeCode::structure("IDL:Point:1.0", "Point", [("x", TypeCode::Long)]);
/// let line = TypeCode::structure("IDL:Line:1.0", "Line", [("from", point.clone())]);
/// assert_eq!(TypeIndex::new(&line).find("IDL:Point:1.0"), Some(&point));
/// ```
#[derive(Debug, Default)]
pub struct TypeIndex<'c> {
    types: BTreeMap<&'c str, &'c TypeCode>,
    seen: KeyTable<()>,
}

impl<'c> TypeIndex<'c> {
    /// The named types within `code`, including itself.
    pub fn new(code: &'c TypeCode) -> Self {
        let mut index = Self::default();
        index.add(code);
        index
    }

    /// The type with this repository id.
    pub fn find(&self, id: &str) -> Option<&'c TypeCode> {
        self.types.get(id).copied()
    }

    /// The types with their repository ids.
    pub fn iter(&self) -> impl Iterator<Item = (&'c str, &'c TypeCode)> + '_ {
        self.types.iter().map(|(id, code)| (*id, *code))
    }

    /// Adds the types within another TypeCode. Types with repository ids that are present stay.
    pub(crate) fn add(&mut self, code: &'c TypeCode) {
        let mut open = alloc::vec![code];
        while let Some(code) = open.pop() {
            if code.identity().is_some_and(|identity| !self.seen.insert(identity, ())) {
                continue;
            }
            if !matches!(code, TypeCode::Recursive(_))
                && let Some(id) = code.id().filter(|id| !id.is_empty())
            {
                self.types.entry(id).or_insert(code);
            }
            let first = open.len();
            code.each_part(|part| open.push(part));
            // Reversed, so that the first part is visited first.
            open[first..].reverse();
        }
    }
}
