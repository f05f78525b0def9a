//! The contents of a repository: definitions by number, as plain data, without objects or an ORB.
//! `servant` publishes them as objects, `import` loads them from IDL.
//!
//! `definition` holds the data types, `types` makes TypeCodes and `canonical` completes them,
//! `lookup` finds definitions, `change` creates, moves and destroys them by the rules in `check`,
//! `transaction` rolls back and reports changes, `index` maps names to definitions, `stored`
//! serializes foreign types, `signature` describes operations for a caller.

mod canonical;
mod change;
mod check;
mod definition;
mod error;
mod index;
mod lookup;
pub(crate) mod signature;
mod stored;
mod transaction;
mod types;

pub use definition::{Definition, Field, Flavour, Initializer, Kind, Parameter, UnionField, Value};
pub use error::{ModelError, Result};
pub(crate) use signature::Type;
pub use signature::{Signature, type_name};
pub(crate) use transaction::Change;

use crate::corba::{DefinitionKind, PrimitiveKind};
use index::Index;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use transaction::Transaction;

/// The number of a definition in its [`Model`]. Numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DefId(pub(crate) u32);

/// All definitions of a repository.
///
/// # Examples
/// ```
/// use armilla_ifr::model::{Kind, Model, ModelError, ROOT};
///
/// let mut model = Model::new();
/// let bank = model.create(ROOT, "IDL:Bank:1.0", "Bank", "1.0", Kind::Module)?;
/// let colours = Kind::Enum(vec!["red".into(), "green".into()]);
/// let colour = model.create(bank, "IDL:Bank/Colour:1.0", "Colour", "1.0", colours)?;
/// assert_eq!(model.lookup(ROOT, "::Bank::Colour"), Some(colour));
/// assert_eq!(model.absolute_name(colour), "::Bank::Colour");
///
/// model.destroy(bank)?;
/// assert_eq!(model.kind(colour), Err(ModelError::Destroyed));
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    definitions: BTreeMap<DefId, Definition>,
    index: Index,
    /// The next unused number, of a definition or of a position in a container.
    next: u32,
    transaction: Option<Transaction>,
}

/// The repository itself.
pub const ROOT: DefId = DefId(0);

/// The maximum number of definitions in a repository.
pub const MAX_DEFINITIONS: usize = 1_000_000;

/// The basic types, in the order of their numbers, which follow that of the repository.
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
    /// A repository that holds only the basic types.
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

    /// The definition with this number; `None` if it was destroyed.
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

    /// The kind of a definition.
    ///
    /// # Errors
    /// [`ModelError::Destroyed`] when it was destroyed.
    pub fn kind(&self, id: DefId) -> Result<DefinitionKind> {
        self.definition(id).map(|definition| definition.kind.definition_kind())
    }

    /// The absolute scoped name of a definition, such as `::Bank::Account`.
    pub fn absolute_name(&self, id: DefId) -> String {
        let mut steps = Vec::new();
        let mut next = self.get(id);
        while let Some(definition) = next {
            steps.push(definition.name.as_str());
            next = definition.container().and_then(|container| self.get(container));
        }
        // The last step is the repository, which has no name.
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
