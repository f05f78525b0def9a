//! Property sets: what may be defined, changed and deleted (Property Service 1.0, 13.2). No ORB, no
//! disk. A change is looked at first, and made when it is kept.

use armilla::{Any, TypeCode};
use std::collections::BTreeMap;

/// What may be done with a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Everything.
    #[default]
    Normal,
    /// Its value stays, unless it is deleted.
    ReadOnly,
    /// It is not deleted.
    FixedNormal,
    /// It stays as it is.
    FixedReadonly,
}

impl Mode {
    /// Whether its value stays.
    pub const fn is_read_only(self) -> bool {
        matches!(self, Self::ReadOnly | Self::FixedReadonly)
    }

    /// Whether it is not deleted.
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::FixedNormal | Self::FixedReadonly)
    }
}

/// Why a change is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// The name is empty.
    InvalidName,
    /// It has a value of another type.
    Conflicting,
    /// There is no such property.
    NotFound,
    /// The set takes no values of this type.
    UnsupportedType,
    /// The set takes no property of this name, or one of another type.
    UnsupportedProperty,
    /// The mode is none, or not the one that the set demands.
    UnsupportedMode,
    /// It cannot be deleted.
    Fixed,
    /// Its value cannot be changed.
    ReadOnly,
}

/// A value with its mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Property {
    /// The value.
    pub value: Any,
    /// What may be done with it.
    pub mode: Mode,
}

/// A property that a set allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Allowed {
    /// Its name.
    pub name: String,
    /// A value of its type.
    pub value: Any,
    /// The mode that it has; `None` for any.
    pub mode: Option<Mode>,
}

/// What a set allows. Nothing is everything.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Constraints {
    /// The types of values.
    pub types: Vec<TypeCode>,
    /// The properties.
    pub properties: Vec<Allowed>,
}

impl Constraints {
    /// Whether they can be met: names are there, and differ; and each property has an allowed type.
    pub fn is_sound(&self) -> bool {
        let mut names: Vec<_> = self.properties.iter().map(|it| &it.name).collect();
        names.sort_unstable();
        let differ = names.windows(2).all(|pair| pair[0] != pair[1]);
        let fits = |it: &Allowed| !it.name.is_empty() && self.admits(it.value.type_code());
        differ && self.properties.iter().all(fits)
    }

    fn admits(&self, code: &TypeCode) -> bool {
        self.types.is_empty() || self.types.iter().any(|it| it.is_equivalent(code))
    }
}

/// A property set.
#[derive(Debug, Clone, Default)]
pub struct PropertySet {
    /// Whether it shows modes: a `PropertySetDef`.
    pub has_modes: bool,
    /// What it allows.
    pub constraints: Constraints,
    properties: BTreeMap<String, Property>,
}

impl PropertySet {
    /// An empty set.
    pub const fn new(has_modes: bool, constraints: Constraints) -> Self {
        Self { has_modes, constraints, properties: BTreeMap::new() }
    }

    /// How many properties it has.
    pub fn len(&self) -> usize {
        self.properties.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// All properties by their names, from behind a name on.
    pub fn behind(&self, name: Option<&str>) -> impl Iterator<Item = (&String, &Property)> {
        use std::ops::Bound::{Excluded, Unbounded};
        let from = name.map_or(Unbounded, Excluded);
        self.properties.range::<str, _>((from, Unbounded))
    }

    /// A property.
    ///
    /// # Errors
    /// [`InvalidName`](Refusal::InvalidName), [`NotFound`](Refusal::NotFound).
    pub fn get(&self, name: &str) -> Result<&Property, Refusal> {
        named(name)?;
        self.properties.get(name).ok_or(Refusal::NotFound)
    }

    /// What a property would be with this value. Without a mode it keeps its own; a new one has that
    /// which the set demands, or the normal one.
    ///
    /// # Errors
    /// Why it may not be.
    pub fn defined(
        &self,
        name: &str,
        value: &Any,
        mode: Option<Mode>,
    ) -> Result<Property, Refusal> {
        named(name)?;
        let code = value.type_code();
        let known = self.properties.get(name);
        if known.is_some_and(|known| !known.value.type_code().is_equivalent(code)) {
            return Err(Refusal::Conflicting);
        }
        if known.is_some_and(|known| known.mode.is_read_only()) {
            return Err(Refusal::ReadOnly);
        }
        if !self.constraints.admits(code) {
            return Err(Refusal::UnsupportedType);
        }
        let demanded = self.allowed(name, Some(code))?.and_then(|allowed| allowed.mode);
        if mode.is_some_and(|mode| demanded.is_some_and(|demanded| demanded != mode)) {
            return Err(Refusal::UnsupportedMode);
        }
        let mode = mode.or(known.map(|known| known.mode)).or(demanded).unwrap_or_default();
        Ok(Property { value: value.clone(), mode })
    }

    /// What a property would be with another mode.
    ///
    /// # Errors
    /// Why it may not be.
    pub fn with_mode(&self, name: &str, mode: Mode) -> Result<Property, Refusal> {
        let known = self.get(name)?;
        let demanded = self.allowed(name, None)?.and_then(|allowed| allowed.mode);
        match demanded.is_some_and(|demanded| demanded != mode) {
            true => Err(Refusal::UnsupportedMode),
            false => Ok(Property { value: known.value.clone(), mode }),
        }
    }

    /// Whether a property may be deleted.
    ///
    /// # Errors
    /// Why it may not.
    pub fn deletable(&self, name: &str) -> Result<(), Refusal> {
        match self.get(name)?.mode.is_fixed() {
            true => Err(Refusal::Fixed),
            false => Ok(()),
        }
    }

    /// What the set says of a name, and of its type.
    fn allowed(&self, name: &str, code: Option<&TypeCode>) -> Result<Option<&Allowed>, Refusal> {
        let all = &self.constraints.properties;
        if all.is_empty() {
            return Ok(None);
        }
        let of_name = all.iter().find(|it| it.name == name);
        let fits = |it: &&Allowed| code.is_none_or(|code| it.value.type_code().is_equivalent(code));
        of_name.filter(fits).map(Some).ok_or(Refusal::UnsupportedProperty)
    }

    /// Makes a change.
    pub fn put(&mut self, name: &str, property: Option<Property>) {
        match property {
            Some(property) => self.properties.insert(name.to_owned(), property),
            None => self.properties.remove(name),
        };
    }
}

fn named(name: &str) -> Result<(), Refusal> {
    if name.is_empty() { Err(Refusal::InvalidName) } else { Ok(()) }
}
