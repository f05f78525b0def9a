//! What the repository knows: definitions by number, as plain data. It knows no object and no ORB;
//! `servant` makes objects of it, `import` fills it from IDL.
//!
//! `definition` says what a definition is, `types` makes TypeCodes, `canonical` completes
//! them, `lookup` finds, `change` makes,
//! moves and removes by the rules in `check`, `transaction` takes back what failed and tells what has
//! changed, `index` finds by name, `stored` writes
//! down what serde does not know, `signature` is what a caller of an operation must know.

mod canonical;
mod change;
mod check;
mod definition;
mod error;
mod index;
mod lookup;
mod signature;
mod stored;
mod transaction;
mod types;

pub use definition::{Definition, Field, Flavour, Initializer, Kind, Parameter, UnionField, Value};
pub use error::{ModelError, Result};
pub use signature::Signature;
pub(crate) use signature::Type;
pub(crate) use transaction::Change;

use crate::corba::{DefinitionKind, PrimitiveKind};
use index::Index;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use transaction::Transaction;

/// The number of a definition in its [`Model`]; numbers are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DefId(pub(crate) u32);

/// All definitions of a repository.
#[derive(Debug, Clone)]
pub struct Model {
    definitions: BTreeMap<DefId, Definition>,
    index: Index,
    /// The number of the next definition, or of the next place in a container.
    next: u32,
    transaction: Option<Transaction>,
}

/// The repository itself.
pub const ROOT: DefId = DefId(0);

/// How many definitions a repository may hold.
pub const MAX_DEFINITIONS: usize = 1_000_000;

/// The basic types, in the order of their numbers, which begin behind that of the repository.
const PRIMITIVES: [PrimitiveKind; 22] = [
    PrimitiveKind::PkNull,
    PrimitiveKind::PkVoid,
    PrimitiveKind::PkShort,
    PrimitiveKind::PkLong,
    PrimitiveKind::PkUshort,
    PrimitiveKind::PkUlong,
    PrimitiveKind::PkFloat,
    PrimitiveKind::PkDouble,
    PrimitiveKind::PkBoolean,
    PrimitiveKind::PkChar,
    PrimitiveKind::PkOctet,
    PrimitiveKind::PkAny,
    PrimitiveKind::PkTypeCode,
    PrimitiveKind::PkPrincipal,
    PrimitiveKind::PkString,
    PrimitiveKind::PkObjref,
    PrimitiveKind::PkLonglong,
    PrimitiveKind::PkUlonglong,
    PrimitiveKind::PkLongdouble,
    PrimitiveKind::PkWchar,
    PrimitiveKind::PkWstring,
    PrimitiveKind::PkValueBase,
];

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

impl Model {
    /// A repository with nothing in it but the basic types.
    pub fn new() -> Self {
        let (definitions, index) = Default::default();
        let mut model = Self { definitions, index, next: 0, transaction: None };
        let kinds = PRIMITIVES.map(Kind::Primitive);
        for kind in [Kind::Repository].into_iter().chain(kinds) {
            let object = match &kind {
                Kind::Primitive(kind) => format!("{kind:?}"),
                _ => "repository".to_owned(),
            };
            let id = DefId(model.next);
            model.next += 1;
            model.insert(id, Definition { object, ..Definition::new(kind) });
        }
        model
    }

    /// The definition with this number, unless it was destroyed.
    pub fn get(&self, id: DefId) -> Option<&Definition> {
        self.definitions.get(&id)
    }

    /// The definition with this number.
    ///
    /// # Errors
    /// [`ModelError::Destroyed`] when it was destroyed.
    pub fn definition(&self, id: DefId) -> Result<&Definition> {
        self.get(id).ok_or(ModelError::Destroyed)
    }

    /// The definition with this repository id.
    pub fn lookup_id(&self, repository_id: &str) -> Option<DefId> {
        self.index.by_repository_id.get(repository_id).copied()
    }

    /// Every definition with its number.
    pub fn iter(&self) -> impl Iterator<Item = (DefId, &Definition)> {
        self.definitions.iter().map(|(id, definition)| (*id, definition))
    }

    /// What kind of definition it is.
    ///
    /// # Errors
    /// [`ModelError::Destroyed`] when it was destroyed.
    pub fn kind(&self, id: DefId) -> Result<DefinitionKind> {
        self.definition(id).map(|definition| definition.kind.definition_kind())
    }

    /// The name from the outermost module down, with `::` before each step.
    pub fn absolute_name(&self, id: DefId) -> String {
        let mut steps = Vec::new();
        let mut next = self.get(id);
        while let Some(definition) = next {
            steps.push(definition.name.as_str());
            next = definition.container().and_then(|container| self.get(container));
        }
        // The last of them is the repository's, which has none.
        steps.iter().rev().skip(1).fold(String::new(), |name, step| name + "::" + step)
    }

    /// A basic type.
    pub fn primitive(&self, kind: PrimitiveKind) -> DefId {
        let place = PRIMITIVES.iter().position(|known| *known == kind).unwrap_or_default();
        DefId(ROOT.0 + 1 + place as u32)
    }

    /// The definition whose object has this id.
    pub(crate) fn lookup_object(&self, object: &str) -> Option<DefId> {
        self.index.by_object.get(object).copied()
    }
}
