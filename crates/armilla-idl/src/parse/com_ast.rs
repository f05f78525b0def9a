//! The syntax tree of interfaces of COM and of types for them.

use super::ast::{Expr, Name, ScopedName, TypeKind, TypeSpec};
use crate::source::Span;

/// `@uuid("…") interface I : IUnknown { … };`
#[derive(Debug, Clone)]
pub(crate) struct ComInterface {
    pub(crate) attributes: Vec<MidlAttribute>,
    pub(crate) name: Name,
    pub(crate) base: Option<ScopedName>,
    pub(crate) methods: Vec<ComMethod>,
}

#[derive(Debug, Clone)]
pub(crate) struct ComMethod {
    pub(crate) docs: Vec<String>,
    pub(crate) attributes: Vec<MidlAttribute>,
    pub(crate) name: Name,
    /// Whether it never travels (`local`). Nothing is known of its parameters then.
    pub(crate) local: bool,
    pub(crate) parameters: Vec<ComParameter>,
}

#[derive(Debug, Clone)]
pub(crate) struct ComParameter {
    /// Its directions are among them.
    pub(crate) attributes: Vec<MidlAttribute>,
    pub(crate) ty: ComTypeSpec,
    pub(crate) name: Name,
    /// The sizes of an array; `None` for `[]`.
    pub(crate) dimensions: Vec<Option<Expr>>,
}

/// A struct, an enum or a typedef for interfaces of COM.
#[derive(Debug, Clone)]
pub(crate) struct ComDefinition {
    pub(crate) attributes: Vec<MidlAttribute>,
    pub(crate) name: Name,
    /// `tagS` in `typedef struct tagS { … } S;`
    pub(crate) tag: Option<Name>,
    pub(crate) kind: ComDefinitionKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ComDefinitionKind {
    Struct(Vec<ComField>),
    Enum(Vec<ComValue>),
    Union(ComUnion),
    Alias(ComTypeSpec, Vec<Option<Expr>>),
    /// `coclass C { … }`
    Class,
    /// `dispinterface D { … }`
    Dispatch(Vec<ComMember>),
}

/// A member of an interface that is called by `IDispatch` alone.
#[derive(Debug, Clone)]
pub(crate) struct ComMember {
    pub(crate) docs: Vec<String>,
    pub(crate) attributes: Vec<MidlAttribute>,
    pub(crate) name: Name,
}

/// A union for interfaces of COM.
#[derive(Debug, Clone)]
pub(crate) struct ComUnion {
    /// The type of its tag, if the union itself says it: `switch (T tag)`, or where it is used.
    pub(crate) tag: Option<ComTypeSpec>,
    pub(crate) arms: Vec<ComArm>,
}

/// An arm of a union for interfaces of COM.
#[derive(Debug, Clone)]
pub(crate) struct ComArm {
    pub(crate) labels: Vec<Expr>,
    pub(crate) default: bool,
    /// `None` in `case 1: ;`.
    pub(crate) field: Option<ComField>,
}

/// A member of a struct of COM.
#[derive(Debug, Clone)]
pub(crate) struct ComField {
    pub(crate) docs: Vec<String>,
    pub(crate) attributes: Vec<MidlAttribute>,
    pub(crate) ty: ComTypeSpec,
    pub(crate) name: Name,
    /// The sizes of an array; `None` for `[]`.
    pub(crate) dimensions: Vec<Option<Expr>>,
}

/// A value of an enum of COM; without a number it is the one after that before it.
#[derive(Debug, Clone)]
pub(crate) struct ComValue {
    pub(crate) docs: Vec<String>,
    pub(crate) name: Name,
    pub(crate) value: Option<Expr>,
}

/// A type of COM: what stands before the stars, and how many of them there are.
#[derive(Debug, Clone)]
pub(crate) struct ComTypeSpec {
    pub(crate) ty: TypeSpec,
    pub(crate) stars: usize,
}

impl ComTypeSpec {
    /// Whether it is a `sequence`, which no attribute gives a size.
    pub(crate) fn is_sequence(&self) -> bool {
        matches!(self.ty.kind, TypeKind::Sequence(..))
    }
}

/// An attribute of MIDL, or an annotation of the same name.
#[derive(Debug, Clone)]
pub(crate) struct MidlAttribute {
    pub(crate) name: String,
    /// What stands in parentheses, without blanks and quotes.
    pub(crate) text: Option<String>,
    /// The type in `switch_type(T)`.
    pub(crate) ty: Option<Box<ComTypeSpec>>,
    pub(crate) span: Span,
}
