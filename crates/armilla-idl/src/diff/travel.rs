//! What never leaves its process.

use crate::model::{DeclId, DeclKind, Flavour, Model, Type};
use std::collections::HashSet;

/// Why a change of such a declaration does not matter to others.
pub(super) const AT_HOME: &str = "what is local or native never travels: no other program sees it";

/// Local interfaces, native types, and the types that hold one. Each pass finds the types whose
/// parts the passes before it found.
pub(super) fn at_home(model: &Model) -> HashSet<DeclId> {
    let mut found: HashSet<DeclId> = HashSet::new();
    loop {
        let before = found.len();
        for (id, declaration) in model.iter() {
            if is_local(&declaration.kind)
                || parts(&declaration.kind).iter().any(|ty| holds(&found, ty))
            {
                found.insert(id);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

fn is_local(kind: &DeclKind) -> bool {
    match kind {
        DeclKind::Interface(interface) => interface.flavour == Flavour::Local,
        DeclKind::Native => true,
        _ => false,
    }
}

/// The types of the parts of a value.
fn parts(kind: &DeclKind) -> Vec<&Type> {
    match kind {
        DeclKind::Struct(data) | DeclKind::Exception(data) => {
            data.members.iter().map(|member| &member.ty).collect()
        }
        DeclKind::Union(data) => data.cases.iter().map(|case| &case.member.ty).collect(),
        DeclKind::Value(data) => data.state.iter().map(|state| &state.member.ty).collect(),
        DeclKind::Typedef(ty) | DeclKind::ValueBox(ty) => vec![ty],
        _ => Vec::new(),
    }
}

fn holds(found: &HashSet<DeclId>, ty: &Type) -> bool {
    match ty {
        Type::Named(id) => found.contains(id),
        Type::Sequence(element, _) | Type::Array(element, _) => holds(found, element),
        Type::Map(key, value, _) => holds(found, key) || holds(found, value),
        _ => false,
    }
}
