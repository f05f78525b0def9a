//! Definitions.

use super::{DefId, stored};
use crate::corba::{DefinitionKind, PrimitiveKind};
use armilla::Any;
use armilla::dynamic::ParameterMode;
use serde::{Deserialize, Serialize};

/// A definition: its kind, its names and its container.
///
/// # Examples
/// ```
/// use armilla_ifr::model::{Kind, Model, ROOT};
///
/// let mut model = Model::new();
/// let bank = model.create(ROOT, "IDL:Bank:1.0", "Bank", "1.0", Kind::Module)?;
/// let definition = model.definition(bank)?;
/// assert_eq!((definition.name.as_str(), definition.container()), ("Bank", Some(ROOT)));
/// # Ok::<(), armilla_ifr::model::ModelError>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Definition {
    /// The kind, with the data of the kind.
    pub kind: Kind,
    /// The simple name; empty for anonymous types.
    pub name: String,
    /// The repository id; empty for anonymous types.
    pub id: String,
    /// The version, such as `1.0`.
    pub version: String,
    /// The container, and the position in it.
    pub(crate) place: Option<(DefId, u32)>,
    /// The object id.
    pub(crate) object: String,
}

/// The kind of a definition, with its data. Types are given by the numbers of their definitions.
///
/// # Examples
/// ```
/// use armilla_ifr::corba::PrimitiveKind;
/// use armilla_ifr::model::{Field, Kind, Model, ROOT};
///
/// let mut model = Model::new();
/// let ty = model.primitive(PrimitiveKind::PkLong);
/// let point = Kind::Struct(vec![Field { name: "x".into(), ty }, Field { name: "y".into(), ty }]);
/// let point = model.create(ROOT, "IDL:Point:1.0", "Point", "1.0", point)?;
/// assert_eq!(model.type_code(point)?.member_count(), Some(2));
/// # Ok::<(), armilla_ifr::model::ModelError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)] // The variants have the names of IDL.
#[non_exhaustive]
pub enum Kind {
    Repository,
    Module,
    Constant {
        ty: DefId,
        #[serde(with = "stored::any")]
        value: Any,
    },
    Struct(Vec<Field>),
    Exception(Vec<Field>),
    Union {
        discriminator: DefId,
        members: Vec<UnionField>,
    },
    Enum(Vec<String>),
    Alias(DefId),
    ValueBox(DefId),
    Native,
    Interface {
        flavour: Flavour,
        bases: Vec<DefId>,
    },
    Attribute {
        ty: DefId,
        readonly: bool,
        get_exceptions: Vec<DefId>,
        set_exceptions: Vec<DefId>,
    },
    Operation {
        result: DefId,
        oneway: bool,
        parameters: Vec<Parameter>,
        exceptions: Vec<DefId>,
        contexts: Vec<String>,
    },
    Value(Value),
    ValueMember {
        ty: DefId,
        public: bool,
    },
    Primitive(PrimitiveKind),
    String(u32),
    Wstring(u32),
    Fixed {
        digits: u16,
        scale: i16,
    },
    Sequence {
        element: DefId,
        bound: u32,
    },
    Array {
        element: DefId,
        length: u32,
    },
}

/// A member of a struct or exception, or a parameter of an initializer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: DefId,
}

/// A member of a union, once for each label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnionField {
    /// Its name.
    pub name: String,
    /// Its label as a number; `None` for the default case.
    pub label: Option<i64>,
    /// Its type.
    pub ty: DefId,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its direction.
    #[serde(with = "stored::Mode")]
    pub mode: ParameterMode,
    /// Its type.
    pub ty: DefId,
}

/// The flavour of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Flavour {
    /// An unconstrained interface, whose objects may be remote.
    #[default]
    Plain,
    /// An abstract interface, of object references or values.
    Abstract,
    /// A local interface, whose objects stay in their process.
    Local,
}

/// The data of a valuetype. Its state, operations and attributes are its contents.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[allow(missing_docs)] // As the attributes of `ValueDef`.
pub struct Value {
    /// Whether it is an event type (`eventtype` in IDL).
    pub is_event: bool,
    pub is_abstract: bool,
    pub is_custom: bool,
    pub is_truncatable: bool,
    pub base: Option<DefId>,
    pub abstract_bases: Vec<DefId>,
    pub supported: Vec<DefId>,
    pub initializers: Vec<Initializer>,
}

/// An initializer of a valuetype.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Initializer {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub members: Vec<Field>,
    /// Its exceptions.
    pub exceptions: Vec<DefId>,
}

impl Definition {
    /// One without a name.
    pub(crate) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            name: String::new(),
            id: String::new(),
            version: String::new(),
            place: None,
            object: String::new(),
        }
    }

    /// Whether it is an anonymous type, which belongs to its users.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.place.is_none() && !matches!(self.kind, Kind::Repository | Kind::Primitive(_))
    }

    /// Its container; `None` for anonymous types and the repository.
    pub fn container(&self) -> Option<DefId> {
        self.place.map(|(container, _)| container)
    }
}

impl Kind {
    /// The kind as CORBA defines it.
    pub const fn definition_kind(&self) -> DefinitionKind {
        match self {
            Self::Repository => DefinitionKind::DkRepository,
            Self::Module => DefinitionKind::DkModule,
            Self::Constant { .. } => DefinitionKind::DkConstant,
            Self::Struct(_) => DefinitionKind::DkStruct,
            Self::Exception(_) => DefinitionKind::DkException,
            Self::Union { .. } => DefinitionKind::DkUnion,
            Self::Enum(_) => DefinitionKind::DkEnum,
            Self::Alias(_) => DefinitionKind::DkAlias,
            Self::ValueBox(_) => DefinitionKind::DkValueBox,
            Self::Native => DefinitionKind::DkNative,
            Self::Interface { flavour: Flavour::Plain, .. } => DefinitionKind::DkInterface,
            Self::Interface { flavour: Flavour::Abstract, .. } => {
                DefinitionKind::DkAbstractInterface
            }
            Self::Interface { flavour: Flavour::Local, .. } => DefinitionKind::DkLocalInterface,
            Self::Attribute { .. } => DefinitionKind::DkAttribute,
            Self::Operation { .. } => DefinitionKind::DkOperation,
            Self::Value(Value { is_event: true, .. }) => DefinitionKind::DkEvent,
            Self::Value(_) => DefinitionKind::DkValue,
            Self::ValueMember { .. } => DefinitionKind::DkValueMember,
            Self::Primitive(_) => DefinitionKind::DkPrimitive,
            Self::String(_) => DefinitionKind::DkString,
            Self::Wstring(_) => DefinitionKind::DkWstring,
            Self::Fixed { .. } => DefinitionKind::DkFixed,
            Self::Sequence { .. } => DefinitionKind::DkSequence,
            Self::Array { .. } => DefinitionKind::DkArray,
        }
    }

    /// Whether it is a named type.
    pub const fn is_typedef(&self) -> bool {
        matches!(
            self,
            Self::Struct(_)
                | Self::Union { .. }
                | Self::Enum(_)
                | Self::Alias(_)
                | Self::ValueBox(_)
                | Self::Native
        )
    }

    /// Whether it is an anonymous type.
    pub(crate) const fn is_anonymous_type(&self) -> bool {
        matches!(
            self,
            Self::String(_)
                | Self::Wstring(_)
                | Self::Fixed { .. }
                | Self::Sequence { .. }
                | Self::Array { .. }
        )
    }

    /// Whether it is a type: an `IDLType`.
    pub const fn is_type(&self) -> bool {
        self.is_typedef()
            || self.is_anonymous_type()
            || matches!(self, Self::Primitive(_) | Self::Interface { .. } | Self::Value(_))
    }

    /// Whether a definition of this kind may contain one of the kind `inner`.
    pub const fn may_contain(&self, inner: &Self) -> bool {
        match self {
            Self::Repository | Self::Module => {
                inner.is_typedef()
                    || matches!(
                        inner,
                        Self::Module
                            | Self::Constant { .. }
                            | Self::Exception(_)
                            | Self::Interface { .. }
                            | Self::Value(_)
                    )
            }
            Self::Interface { .. } | Self::Value(_) => {
                inner.is_typedef()
                    || matches!(
                        inner,
                        Self::Constant { .. }
                            | Self::Exception(_)
                            | Self::Attribute { .. }
                            | Self::Operation { .. }
                    )
                    || (matches!(self, Self::Value(value) if !value.is_abstract)
                        && matches!(inner, Self::ValueMember { .. }))
            }
            Self::Struct(_) | Self::Union { .. } | Self::Exception(_) => {
                matches!(inner, Self::Struct(_) | Self::Union { .. } | Self::Enum(_))
            }
            _ => false,
        }
    }

    /// Whether it has a TypeCode: a type, or an exception.
    pub(crate) const fn has_type_code(&self) -> bool {
        self.is_type() || matches!(self, Self::Exception(_))
    }

    /// The bases and supported interfaces, in the order of name lookup.
    pub(crate) fn bases(&self) -> Vec<DefId> {
        match self {
            Self::Interface { bases, .. } => bases.clone(),
            Self::Value(value) => {
                let bases = value.base.iter().chain(&value.abstract_bases);
                bases.chain(&value.supported).copied().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The definitions that it refers to.
    pub(crate) fn references(&self) -> Vec<DefId> {
        match self {
            Self::Constant { ty, .. } | Self::ValueMember { ty, .. } => vec![*ty],
            Self::Alias(ty) | Self::ValueBox(ty) => vec![*ty],
            Self::Struct(members) | Self::Exception(members) => {
                members.iter().map(|member| member.ty).collect()
            }
            Self::Union { discriminator, members } => {
                members.iter().map(|member| member.ty).chain([*discriminator]).collect()
            }
            Self::Interface { bases, .. } => bases.clone(),
            Self::Attribute { ty, get_exceptions, set_exceptions, .. } => {
                get_exceptions.iter().chain(set_exceptions).copied().chain([*ty]).collect()
            }
            Self::Operation { result, parameters, exceptions, .. } => {
                let parameters = parameters.iter().map(|parameter| parameter.ty);
                parameters.chain(exceptions.iter().copied()).chain([*result]).collect()
            }
            Self::Value(value) => {
                let mut named = self.bases();
                for initializer in &value.initializers {
                    named.extend(initializer.members.iter().map(|member| member.ty));
                    named.extend(&initializer.exceptions);
                }
                named
            }
            Self::Sequence { element, .. } | Self::Array { element, .. } => vec![*element],
            _ => Vec::new(),
        }
    }
}
