//! When two TypeCodes are the same, and when their values can stand for one another.

use super::{Identity, StructCode, TypeCode, UnionCode, ValueCode};
use alloc::collections::BTreeSet;

impl TypeCode {
    /// Whether values of one type can stand for values of the other: typedefs do not count, and
    /// where both have repository ids those decide (CORBA 3.4 Part 1, 8.11.1).
    pub fn is_equivalent(&self, other: &Self) -> bool {
        Comparison { exact: false, assumed: BTreeSet::new() }.same(self, other)
    }
}

impl PartialEq for TypeCode {
    /// `TypeCode::equal`: everything counts.
    fn eq(&self, other: &Self) -> bool {
        Comparison { exact: true, assumed: BTreeSet::new() }.same(self, other)
    }
}

impl Eq for TypeCode {}

/// A comparison of two graphs. Pairs that were met before are taken to be the same, so that it ends
/// and takes no longer than there are pairs.
struct Comparison {
    exact: bool,
    assumed: BTreeSet<(Identity, Identity)>,
}

impl Comparison {
    fn same(&mut self, a: &TypeCode, b: &TypeCode) -> bool {
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
        self.same_parts(a, b)
    }

    fn same_parts(&mut self, a: &TypeCode, b: &TypeCode) -> bool {
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
            | (TypeCode::Array(x, m), TypeCode::Array(y, n)) => m == n && self.same(x, y),
            (TypeCode::Alias(x), TypeCode::Alias(y))
            | (TypeCode::ValueBox(x), TypeCode::ValueBox(y)) => {
                self.names((&x.id, &x.name), (&y.id, &y.name)) && self.same(&x.ty, &y.ty)
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

    fn structs(&mut self, a: &StructCode, b: &StructCode) -> bool {
        let pairs = a.members.iter().zip(&b.members);
        self.names((&a.id, &a.name), (&b.id, &b.name))
            && a.members.len() == b.members.len()
            && pairs
                .into_iter()
                .all(|(x, y)| self.names(("", &x.name), ("", &y.name)) && self.same(&x.ty, &y.ty))
    }

    fn unions(&mut self, a: &UnionCode, b: &UnionCode) -> bool {
        let pairs = a.cases.iter().zip(&b.cases).enumerate();
        self.names((&a.id, &a.name), (&b.id, &b.name))
            && a.default == b.default
            && a.cases.len() == b.cases.len()
            && self.same(&a.discriminator, &b.discriminator)
            && pairs.into_iter().all(|(index, (x, y))| {
                let default = a.default.is_some_and(|default| default as usize == index);
                (default || x.label == y.label)
                    && self.names(("", &x.name), ("", &y.name))
                    && self.same(&x.ty, &y.ty)
            })
    }

    fn values(&mut self, a: &ValueCode, b: &ValueCode) -> bool {
        let pairs = a.members.iter().zip(&b.members);
        self.names((&a.id, &a.name), (&b.id, &b.name))
            && a.modifier == b.modifier
            && a.members.len() == b.members.len()
            && self.same(&a.base, &b.base)
            && pairs.into_iter().all(|(x, y)| {
                x.public == y.public
                    && self.names(("", &x.name), ("", &y.name))
                    && self.same(&x.ty, &y.ty)
            })
    }
}
