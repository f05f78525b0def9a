//! Comparison of dynamic values, whose graphs of valuetypes may have cycles.

use super::DynAny;
use super::shared::Shared;
use super::tree::Content;
use armilla_cdr::Any;
use std::collections::HashSet;
use std::sync::Arc;

/// A comparison of two values whose graphs may have cycles. A pair of valuetypes that was visited
/// before counts as equal.
#[derive(Default)]
pub(super) struct Comparison {
    visited: HashSet<(usize, usize)>,
    /// The pairs whose states remain to be compared. A list instead of recursion, because a chain
    /// of values may have any length.
    pending: Vec<(Arc<Shared>, Arc<Shared>)>,
}

impl Comparison {
    /// Whether both have equivalent types and equal graphs.
    pub(super) fn same(&mut self, a: &DynAny, b: &DynAny) -> bool {
        let (x, y) = (a.resolved(), b.resolved());
        // The type of the whole determines the types of the components, so they are not compared.
        (x.is_equivalent(y) || a.types.closed(x).is_equivalent(&b.types.closed(y)))
            && self.same_content(a, b)
            && self.same_states()
    }

    fn same_states(&mut self) -> bool {
        while let Some((a, b)) = self.pending.pop() {
            let (x, y) = (a.state(), b.state());
            let same = a.code().is_equivalent(b.code())
                && x.len() == y.len()
                && x.iter().zip(&*y).all(|(a, b)| self.same_content(a, b));
            if !same {
                return false;
            }
        }
        true
    }

    /// Whether both, which have the same type, have equal contents and refer to identical
    /// valuetypes.
    pub(super) fn is_same_as(a: &DynAny, b: &DynAny) -> bool {
        let mut comparison = Self::default();
        comparison.same_content(a, b) && comparison.pending.is_empty()
    }

    fn all(&mut self, a: &[DynAny], b: &[DynAny]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same_content(a, b))
    }

    fn same_content(&mut self, a: &DynAny, b: &DynAny) -> bool {
        match (&a.content, &b.content) {
            (Content::Nothing, Content::Nothing) => true,
            (Content::Boolean(a), Content::Boolean(b)) => a == b,
            (Content::Char(a), Content::Char(b)) | (Content::Octet(a), Content::Octet(b)) => a == b,
            (Content::Float(a), Content::Float(b)) => a == b,
            (Content::Double(a), Content::Double(b)) => a == b,
            (Content::LongDouble(a), Content::LongDouble(b)) => a == b,
            (Content::String(a), Content::String(b))
            | (Content::WString(a), Content::WString(b)) => a == b,
            (Content::Fixed(a), Content::Fixed(b)) => a == b,
            (Content::Any(a), Content::Any(b)) => a == b || same_trees(a, b),
            (Content::TypeCode(a), Content::TypeCode(b)) => a == b,
            (Content::Reference(a), Content::Reference(b)) => a.profiles == b.profiles,
            (Content::Octets(a), Content::Octets(b)) => a == b,
            (Content::Parts(a), Content::Parts(b)) => self.all(a, b),
            (Content::Octets(octets), Content::Parts(parts))
            | (Content::Parts(parts), Content::Octets(octets)) => {
                octets.len() == parts.len()
                    && octets
                        .iter()
                        .zip(parts)
                        .all(|(octet, part)| part.content.number() == Some(i64::from(*octet)))
            }
            (Content::Union(a), Content::Union(b)) => {
                a.discriminator.content.number() == b.discriminator.content.number()
                    && match (&a.member, &b.member) {
                        (Some(a), Some(b)) => self.same_content(a, b),
                        (a, b) => a.is_none() && b.is_none(),
                    }
            }
            (Content::Value(Some(a)), Content::Value(Some(b))) => {
                let pair = (Arc::as_ptr(a).addr(), Arc::as_ptr(b).addr());
                if !Arc::ptr_eq(a, b) && self.visited.insert(pair) {
                    self.pending.push((a.clone(), b.clone()));
                }
                true
            }
            (Content::Value(a), Content::Value(b)) => a.is_none() && b.is_none(),
            (a, b) => a.number().is_some() && a.number() == b.number(),
        }
    }
}

/// Whether two anys hold equal values. Their octets may differ: a valuetype may be chunked or not.
fn same_trees(a: &Any, b: &Any) -> bool {
    match (DynAny::from_any(a), DynAny::from_any(b)) {
        (Ok(a), Ok(b)) => {
            let same = a == b;
            free_graph(a);
            free_graph(b);
            same
        }
        _ => false,
    }
}

/// Frees a value of which no other handle exists, including cycles of valuetypes in it.
fn free_graph(value: DynAny) {
    let mut pending = vec![value];
    while let Some(mut value) = pending.pop() {
        match std::mem::replace(&mut value.content, Content::Nothing) {
            Content::Parts(parts) => pending.extend(parts),
            Content::Union(union) => pending.extend(union.member),
            Content::Value(Some(shared)) => pending.append(&mut shared.take_state()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use armilla_cdr::TypeCode;

    #[test]
    fn freeing_a_graph_frees_its_cycles() {
        let next = ("next", TypeCode::recursive("IDL:N:1.0"), true);
        let code = TypeCode::value("IDL:N:1.0", "N", 0, TypeCode::Null, [next]);
        let mut node = DynAny::new(&code).unwrap();
        node.as_value().unwrap().set_to_value().unwrap();
        let itself = node.clone();
        node.component(0).unwrap().as_value().unwrap().share(&itself).unwrap();
        drop(itself);
        let seen = Arc::downgrade(node.shared().unwrap());
        assert_eq!(seen.strong_count(), 2);
        let any = node.to_any().unwrap();
        assert!(same_trees(&any, &any));
        free_graph(node);
        assert_eq!(seen.strong_count(), 0);
    }
}
