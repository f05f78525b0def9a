//! What the repository knows: definitions by number, as plain data. It knows no object and no ORB;
//! `servant` makes objects of it, `feed` fills it from IDL.
//!
//! `definition` says what a definition is, `types` makes TypeCodes, `lookup` finds, `change` makes,
//! moves and removes by the rules in `check`, `signature` is what a caller of an operation must know.

mod change;
mod check;
mod definition;
mod error;
mod lookup;
mod signature;
mod types;

pub use definition::{Definition, Field, Flavour, Initializer, Kind, Parameter, UnionField, Value};
pub use error::{ModelError, Result};
pub use signature::Signature;

use crate::corba::{DefinitionKind, PrimitiveKind};
use std::collections::{BTreeMap, HashMap};

/// The number of a definition in its [`Model`]; numbers are not used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DefId(pub(crate) u32);

/// All definitions of a repository.
#[derive(Debug, Clone)]
pub struct Model {
    definitions: BTreeMap<DefId, Definition>,
    by_repository_id: HashMap<String, DefId>,
    primitives: HashMap<PrimitiveKind, DefId>,
    next: u32,
}

/// The repository itself.
pub const ROOT: DefId = DefId(0);

impl Default for Model {
    fn default() -> Self {
        Self::new()
    }
}

impl Model {
    /// An empty repository.
    pub fn new() -> Self {
        let (definitions, by_repository_id, primitives) = Default::default();
        let mut model = Self { definitions, by_repository_id, primitives, next: 0 };
        model.add(Definition::new(Kind::Repository));
        model
    }

    /// The definition with this number, unless it was destroyed.
    pub fn get(&self, id: DefId) -> Option<&Definition> {
        self.definitions.get(&id)
    }

    /// The definition with this number.
    ///
    /// # Errors
    /// [`ModelError::Gone`] when it was destroyed.
    pub fn definition(&self, id: DefId) -> Result<&Definition> {
        self.get(id).ok_or(ModelError::Gone)
    }

    pub(crate) fn definition_mut(&mut self, id: DefId) -> Result<&mut Definition> {
        self.definitions.get_mut(&id).ok_or(ModelError::Gone)
    }

    /// The definition with this repository id.
    pub fn lookup_id(&self, repository_id: &str) -> Option<DefId> {
        self.by_repository_id.get(repository_id).copied()
    }

    /// Every definition with its number.
    pub fn iter(&self) -> impl Iterator<Item = (DefId, &Definition)> {
        self.definitions.iter().map(|(id, definition)| (*id, definition))
    }

    /// What kind of definition it is.
    ///
    /// # Errors
    /// [`ModelError::Gone`] when it was destroyed.
    pub fn kind(&self, id: DefId) -> Result<DefinitionKind> {
        self.definition(id).map(|definition| definition.kind.definition_kind())
    }

    /// The name from the outermost module down, with `::` before each step.
    pub fn absolute_name(&self, id: DefId) -> String {
        let mut steps = Vec::new();
        let mut next = self.get(id);
        while let Some(definition) = next {
            steps.push(definition.name.as_str());
            next = definition.container.and_then(|container| self.get(container));
        }
        // The last of them is the repository's, which has none.
        steps.iter().rev().skip(1).fold(String::new(), |name, step| name + "::" + step)
    }

    /// A basic type.
    pub fn primitive(&mut self, kind: PrimitiveKind) -> DefId {
        if let Some(known) = self.primitives.get(&kind) {
            return *known;
        }
        let made = self.add(Definition::new(Kind::Primitive(kind)));
        self.primitives.insert(kind, made);
        made
    }

    /// A new type without a name: a string, a fixed number, a sequence or an array.
    pub(crate) fn anonymous(&mut self, kind: Kind) -> DefId {
        self.add(Definition::new(kind))
    }

    /// Adds a definition that stands nowhere.
    pub(crate) fn add(&mut self, definition: Definition) -> DefId {
        let id = DefId(self.next);
        self.next += 1;
        if !definition.id.is_empty() {
            self.by_repository_id.insert(definition.id.clone(), id);
        }
        self.definitions.insert(id, definition);
        id
    }
}
