//! Equality and equivalence of TypeCodes.

use super::{Identity, StructCode, TypeCode, TypeIndex, UnionCode, ValueCode};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

impl TypeCode {
    /// Whether both types are equivalent: aliases are ignored, and types that both have repository
    /// ids are equivalent if these are equal (CORBA 3.4 Part 1, 8.11.1).
    pub fn is_equivalent(&self, other: &Self) -> bool {
        Comparison::new(false).same(self, other)
    }
}

impl PartialEq for TypeCode {
    /// `TypeCode::equal`: compares everything, including names and aliases. Only the number of
    /// times that a recursive type is written out makes no difference.
    fn eq(&self, other: &Self) -> bool {
        Comparison::new(true).same(self, other)
    }
}

impl Eq for TypeCode {}

/// Compares two graphs, without recursion. A pair that was met before is assumed to be equal, so
/// the comparison ends after each pair was compared once.
struct Comparison<'c> {
    exact: bool,
    assumed: BTreeSet<(Identity, Identity)>,
    /// The pairs that are still to be compared.
    open: Vec<(&'c TypeCode, &'c TypeCode)>,
    /// The types within both graphs. Built when a recursive code meets a type that is written out.
    index: Option<(TypeIndex<'c>, TypeIndex<'c>)>,
}

impl<'c> Comparison<'c> {
    const fn new(exact: bool) -> Self {
        Self { exact, assumed: BTreeSet::new(), open: Vec::new(), index: None }
    }

    fn same(&mut self, a: &'c TypeCode, b: &'c TypeCode) -> bool {
        let mut next = Some((a, b));
        while let Some((x, y)) = next {
            let Some((x, y)) = self.written_out((a, b), x, y) else { return false };
            if !self.same_so_far(x, y) {
                return false;
            }
            next = self.open.pop();
        }
        true
    }

    /// Resolves the one of two codes that is recursive, within its own graph. `None` if the type
    /// that it names does not have the repository id of the other.
    fn written_out(
        &mut self,
        (whole_a, whole_b): (&'c TypeCode, &'c TypeCode),
        a: &'c TypeCode,
        b: &'c TypeCode,
    ) -> Option<(&'c TypeCode, &'c TypeCode)> {
        let is_recursive = |code: &TypeCode| matches!(code, TypeCode::Recursive(_));
        if !self.exact || is_recursive(a) == is_recursive(b) {
            return Some((a, b));
        }
        let id = a.id().filter(|id| b.id() == Some(id))?;
        let whole = || (TypeIndex::new(whole_a), TypeIndex::new(whole_b));
        let (within_a, within_b) = self.index.get_or_insert_with(whole);
        match is_recursive(a) {
            true => Some((within_a.find(id)?, b)),
            false => Some((a, within_b.find(id)?)),
        }
    }

    /// Whether both are equal except for their parts, which are added to `open`.
    fn same_so_far(&mut self, a: &'c TypeCode, b: &'c TypeCode) -> bool {
        let (a, b) = if self.exact { (a, b) } else { (a.resolved(), b.resolved()) };
        if let (Some(x), Some(y)) = (a.identity(), b.identity())
            && (x == y || !self.assumed.insert((x, y)))
        {
            return true;
        }
        if !self.exact
            && let (Some(x), Some(y)) = (a.id(), b.id())
            && !x.is_empty()
            && !y.is_empty()
        {
            return x == y && (a.kind() == b.kind() || a.kind().is_none() || b.kind().is_none());
        }
        self.same_but_parts(a, b)
    }

    fn same_but_parts(&mut self, a: &'c TypeCode, b: &'c TypeCode) -> bool {
        match (a, b) {
            (TypeCode::String(x), TypeCode::String(y))
            | (TypeCode::WString(x), TypeCode::WString(y)) => x == y,
            (TypeCode::Fixed { digits: d, scale: s }, TypeCode::Fixed { digits: e, scale: t }) => {
                (d, s) == (e, t)
            }
            (TypeCode::Struct(x), TypeCode::Struct(y))
            | (TypeCode::Exception(x), TypeCode::Exception(y)) => self.structs(x, y),
            (TypeCode::Union(x), TypeCode::Union(y)) => self.unions(x, y),
            (TypeCode::Value(x), TypeCode::Value(y)) | (TypeCode::Event(x), TypeCode::Event(y)) => {
                self.values(x, y)
            }
            (TypeCode::Enum(x), TypeCode::Enum(y)) => match self.exact {
                true => x == y,
                false => x.enumerators.len() == y.enumerators.len(),
            },
            (TypeCode::Sequence(x, m), TypeCode::Sequence(y, n))
            | (TypeCode::Array(x, m), TypeCode::Array(y, n)) => {
                self.open.push((x, y));
                m == n
            }
            (TypeCode::Alias(x), TypeCode::Alias(y))
            | (TypeCode::ValueBox(x), TypeCode::ValueBox(y)) => {
                self.open.push((&x.ty, &y.ty));
                self.names((&x.id, &x.name), (&y.id, &y.name))
            }
            (TypeCode::ObjectReference(x), TypeCode::ObjectReference(y))
            | (TypeCode::AbstractInterface(x), TypeCode::AbstractInterface(y))
            | (TypeCode::LocalInterface(x), TypeCode::LocalInterface(y))
            | (TypeCode::Component(x), TypeCode::Component(y))
            | (TypeCode::Home(x), TypeCode::Home(y))
            | (TypeCode::Native(x), TypeCode::Native(y)) => {
                self.names((&x.id, &x.name), (&y.id, &y.name))
            }
            (TypeCode::Recursive(x), TypeCode::Recursive(y)) => x == y,
            _ => a.kind().is_some() && a.kind() == b.kind(),
        }
    }

    fn names(&self, a: (&str, &str), b: (&str, &str)) -> bool {
        !self.exact || a == b
    }

    fn structs(&mut self, a: &'c StructCode, b: &'c StructCode) -> bool {
        self.names((&a.id, &a.name), (&b.id, &b.name))
            && a.members.len() == b.members.len()
            && a.members.iter().zip(&b.members).all(|(x, y)| {
                self.open.push((&x.ty, &y.ty));
                self.names(("", &x.name), ("", &y.name))
            })
    }

    fn unions(&mut self, a: &'c UnionCode, b: &'c UnionCode) -> bool {
        self.open.push((&a.discriminator, &b.discriminator));
        self.names((&a.id, &a.name), (&b.id, &b.name))
            && a.default == b.default
            && a.cases.len() == b.cases.len()
            && a.cases.iter().zip(&b.cases).enumerate().all(|(index, (x, y))| {
                self.open.push((&x.ty, &y.ty));
                let default = a.default.is_some_and(|default| default as usize == index);
                (default || x.label == y.label) && self.names(("", &x.name), ("", &y.name))
            })
    }

    fn values(&mut self, a: &'c ValueCode, b: &'c ValueCode) -> bool {
        self.open.push((&a.base, &b.base));
        self.names((&a.id, &a.name), (&b.id, &b.name))
            && a.modifier == b.modifier
            && a.members.len() == b.members.len()
            && a.members.iter().zip(&b.members).all(|(x, y)| {
                self.open.push((&x.ty, &y.ty));
                x.public == y.public && self.names(("", &x.name), ("", &y.name))
            })
    }
}
