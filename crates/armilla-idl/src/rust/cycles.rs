//! Recursive types: the declarations that contain one another. A TypeCode of one must refer to the
//! others instead of expanding them.

use crate::model::{DeclId, DeclKind, Model, Type};
use std::collections::HashSet;

/// The cycles of declarations in a model.
#[derive(Debug, Default)]
pub(super) struct Cycles {
    /// The number of the cycle of each declaration.
    circles: Vec<Option<usize>>,
}

impl Cycles {
    /// Finds all cycles in `model`.
    pub(super) fn of(model: &Model) -> Self {
        let parts: Vec<Vec<usize>> = model.iter().map(|(_, d)| parts(&d.kind)).collect();
        let mut owners = vec![Vec::new(); parts.len()];
        for (whole, parts) in parts.iter().enumerate() {
            parts.iter().for_each(|part| owners[*part].push(whole));
        }
        let mut circles = vec![None; parts.len()];
        // A declaration follows the declarations that it contains. Each cycle has one that does
        // not.
        for start in 0..parts.len() {
            let looks_ahead = parts[start].iter().any(|part| *part >= start);
            if circles[start].is_some() || !looks_ahead {
                continue;
            }
            let (below, above) = (reachable(&parts, start), reachable(&owners, start));
            below.intersection(&above).for_each(|member| circles[*member] = Some(start));
        }
        Cycles { circles }
    }

    /// Whether each of two declarations contains the other. False for a declaration that does not
    /// contain itself, even with itself.
    pub(super) fn are_mutually_recursive(&self, a: DeclId, b: DeclId) -> bool {
        let circle = |id: DeclId| self.circles.get(id.index()).copied().flatten();
        circle(a).is_some() && circle(a) == circle(b)
    }
}

/// The nodes that are reachable from `start` over at least one edge.
fn reachable(edges: &[Vec<usize>], start: usize) -> HashSet<usize> {
    let mut reached = HashSet::new();
    let mut open = vec![start];
    while let Some(next) = open.pop() {
        open.extend(edges[next].iter().copied().filter(|target| reached.insert(*target)));
    }
    reached
}

/// The declarations that a value of this one contains. A reference does not contain its interface.
fn parts(kind: &DeclKind) -> Vec<usize> {
    let mut parts = Vec::new();
    match kind {
        DeclKind::Struct(data) | DeclKind::Exception(data) => {
            parts.extend(data.base.map(DeclId::index));
            data.members.iter().for_each(|member| named(&member.ty, &mut parts));
        }
        DeclKind::Union(data) => {
            named(&data.discriminator, &mut parts);
            data.cases.iter().for_each(|case| named(&case.member.ty, &mut parts));
        }
        DeclKind::Value(data) => {
            parts.extend(data.bases.iter().map(|base| base.index()));
            data.state.iter().for_each(|state| named(&state.member.ty, &mut parts));
        }
        DeclKind::Typedef(ty) | DeclKind::ValueBox(ty) => named(ty, &mut parts),
        _ => {}
    }
    parts
}

fn named(ty: &Type, parts: &mut Vec<usize>) {
    match ty {
        Type::Named(id) => parts.push(id.index()),
        Type::Sequence(element, _) | Type::Array(element, _) => named(element, parts),
        Type::Map(key, value, _) => {
            named(key, parts);
            named(value, parts);
        }
        _ => {}
    }
}
