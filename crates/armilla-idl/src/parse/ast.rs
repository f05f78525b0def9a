//! What the parser makes: the source as a tree, no name resolved and no constant evaluated.

use crate::lex::Pragma;
use crate::model::{Direction, Primitive};
use crate::source::Span;
use std::rc::Rc;

/// A name where it is declared, or one part of a scoped name.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    /// The identifier, an escaping underscore removed.
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// `A`, `A::B`, `::A::B`; there is at least one part.
#[derive(Debug, Clone)]
pub(crate) struct ScopedName {
    pub(crate) absolute: bool,
    pub(crate) first: Name,
    pub(crate) rest: Vec<Name>,
}

impl ScopedName {
    pub(crate) fn span(&self) -> Span {
        self.first.span.to(self.rest.last().unwrap_or(&self.first).span)
    }
}

/// What may stand in a scope, in the order of the source.
#[derive(Debug)]
pub(crate) enum Item {
    Definition(Box<Definition>),
    Pragma(Rc<Pragma>, Span),
    EnterFile,
    LeaveFile,
}

#[derive(Debug)]
pub(crate) struct Definition {
    pub(crate) docs: Vec<String>,
    pub(crate) kind: DefinitionKind,
}

#[derive(Debug)]
pub(crate) enum DefinitionKind {
    Module {
        name: Name,
        items: Vec<Item>,
    },
    Interface {
        name: Name,
        bases: Vec<ScopedName>,
        items: Vec<Item>,
    },
    Forward {
        kind: ForwardKind,
        name: Name,
    },
    Struct(Struct),
    Exception(Struct),
    Union(Union),
    Enum(Enum),
    Typedef {
        ty: TypeSpec,
        declarators: Vec<Declarator>,
    },
    Const {
        ty: TypeSpec,
        name: Name,
        value: Expr,
    },
    Operation(Operation),
    Attribute {
        readonly: bool,
        ty: TypeSpec,
        names: Vec<Name>,
    },
    /// What was reported as not supported; its name must not be reported again.
    Unsupported {
        name: Option<Name>,
    },
}

/// What a forward declaration announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForwardKind {
    Interface,
    Struct,
    Union,
}

#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) name: Name,
    pub(crate) body: Vec<BodyItem>,
}

/// What stands in a struct, an exception or a union.
#[derive(Debug)]
pub(crate) enum BodyItem {
    Member(Member),
    /// A pragma or a mark.
    Mark(Item),
}

/// `long a, b[3];`
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) docs: Vec<String>,
    pub(crate) ty: TypeSpec,
    pub(crate) declarators: Vec<Declarator>,
    /// The labels of a union's case; empty in a struct.
    pub(crate) labels: Vec<Label>,
}

#[derive(Debug)]
pub(crate) enum Label {
    Case(Expr),
    Default(Span),
}

#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) name: Name,
    pub(crate) discriminator: TypeSpec,
    pub(crate) body: Vec<BodyItem>,
}

#[derive(Debug)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) enumerators: Vec<(Name, Vec<String>)>,
}

#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) oneway: Option<Span>,
    /// `None` is `void`.
    pub(crate) result: Option<TypeSpec>,
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) raises: Vec<ScopedName>,
    /// The comments on the parameters, each with the name of its parameter.
    pub(crate) parameter_docs: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) direction: Direction,
    pub(crate) direction_span: Span,
    pub(crate) ty: TypeSpec,
    pub(crate) name: Name,
}

#[derive(Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Name,
    pub(crate) dimensions: Vec<Expr>,
}

#[derive(Debug)]
pub(crate) struct TypeSpec {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum TypeKind {
    Primitive(Primitive),
    String(Option<Expr>),
    Sequence(Box<TypeSpec>, Option<Expr>),
    Object,
    Named(ScopedName),
    /// A struct, union or enum that is declared where it is used.
    Constructed(Box<Definition>),
    /// What was reported already.
    Unsupported,
}

/// A constant expression in postfix order: evaluating it needs a stack and no recursion.
#[derive(Debug)]
pub(crate) struct Expr {
    pub(crate) steps: Vec<Step>,
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    /// The literal, the name or the operator.
    pub(crate) span: Span,
}

#[derive(Debug)]
pub(crate) enum StepKind {
    Literal(Literal),
    Name(ScopedName),
    Unary(Unary),
    Binary(Binary),
}

#[derive(Debug, Clone)]
pub(crate) enum Literal {
    Integer(u64),
    Float(f64),
    Boolean(bool),
    Char(u8),
    String(String),
    /// What was reported already.
    Bad,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Plus,
    Minus,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}
