//! What a definition is.

use super::DefId;
use crate::corba::{DefinitionKind, PrimitiveKind};
use armilla::Any;
use armilla::dynamic::ParameterMode;

/// A definition: what it is, and where it stands.
#[derive(Debug, Clone)]
pub struct Definition {
    /// What it is.
    pub kind: Kind,
    /// Its name without its scopes; anonymous types have none.
    pub name: String,
    /// Its repository id; anonymous types have none.
    pub id: String,
    /// Its version, such as `1.0`.
    pub version: String,
    /// What it stands in.
    pub container: Option<DefId>,
    /// What stands in it, in order.
    pub contents: Vec<DefId>,
}

/// What kind of definition it is, and what belongs to that.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // Each is what IDL calls so; types are given by their definitions.
pub enum Kind {
    Repository,
    Module,
    Constant {
        ty: DefId,
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
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: DefId,
}

/// A member of a union, once for each label.
#[derive(Debug, Clone, PartialEq)]
pub struct UnionField {
    /// Its name.
    pub name: String,
    /// Its label as a number; `None` for the default case.
    pub label: Option<i64>,
    /// Its type.
    pub ty: DefId,
}

/// A parameter of an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Which way it goes.
    pub mode: ParameterMode,
    /// Its type.
    pub ty: DefId,
}

/// What kind of objects an interface has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flavour {
    /// Such as may be remote.
    #[default]
    Plain,
    /// An abstract interface: references or values.
    Abstract,
    /// Such as never leave their process.
    Local,
}

/// What belongs to a valuetype; its state, operations and attributes are contents of it.
#[derive(Debug, Clone, PartialEq, Default)]
#[allow(missing_docs)] // As the attributes of `ValueDef`.
pub struct Value {
    /// Whether it is an event type, which IDL makes of `eventtype`.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Initializer {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub members: Vec<Field>,
    /// What it raises.
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
            container: None,
            contents: Vec::new(),
        }
    }
}

impl Kind {
    /// The kind under the name that CORBA has for it.
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

    /// Whether it is a type that has a name.
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

    /// Whether it is a type that has no name and belongs to those that use it.
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

    /// Whether a definition of the kind `inner` may stand in one of this.
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
                    || (matches!(self, Self::Value(_)) && matches!(inner, Self::ValueMember { .. }))
            }
            Self::Struct(_) | Self::Union { .. } | Self::Exception(_) => {
                matches!(inner, Self::Struct(_) | Self::Union { .. } | Self::Enum(_))
            }
            _ => false,
        }
    }

    /// The definitions that it names.
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
            Self::Value(value) => value.references(),
            Self::Sequence { element, .. } | Self::Array { element, .. } => vec![*element],
            _ => Vec::new(),
        }
    }
}

impl Value {
    fn references(&self) -> Vec<DefId> {
        let initializers = self.initializers.iter().flat_map(|initializer| {
            let members = initializer.members.iter().map(|member| member.ty);
            members.chain(initializer.exceptions.iter().copied())
        });
        let bases = self.base.iter().chain(&self.abstract_bases).chain(&self.supported).copied();
        bases.chain(initializers).collect()
    }
}
