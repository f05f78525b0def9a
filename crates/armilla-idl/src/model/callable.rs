//! Operations, attributes and initializers.

use super::id::DeclId;
use super::timing::Timing;
use super::types::Type;
use crate::source::Span;

/// An operation or an attribute of an interface or a valuetype.
#[derive(Debug, Clone)]
pub enum Export {
    /// An operation.
    Operation(Operation),
    /// An attribute of one declarator.
    Attribute(Attribute),
}

/// An operation.
#[derive(Debug, Clone)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Its repository id.
    pub repository_id: String,
    /// The span of its name.
    pub span: Span,
    /// The comment before it.
    pub docs: Vec<String>,
    /// Whether it is `oneway`: then it returns nothing and has `in` parameters only.
    pub oneway: bool,
    /// What it returns; `None` is `void`.
    pub result: Option<Type>,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The exceptions that it may raise.
    pub raises: Vec<DeclId>,
    /// The names of its `context` clause; the last octet of one may be `*`.
    pub context: Vec<String>,
    /// What its annotations say of its timing.
    pub timing: Option<Box<Timing>>,
    /// `@roles("operator")`: the roles whose members may call it. None where nothing is said.
    pub roles: Vec<String>,
}

/// A parameter of an operation.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its direction.
    pub direction: Direction,
    /// Its type.
    pub ty: Type,
    /// The span of its name.
    pub span: Span,
}

/// The direction of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From client to server.
    In,
    /// From server to client.
    Out,
    /// From client to server and back.
    InOut,
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its repository id.
    pub repository_id: String,
    /// The span of its name.
    pub span: Span,
    /// The comment before it.
    pub docs: Vec<String>,
    /// Whether it is `readonly`.
    pub readonly: bool,
    /// The exceptions that reading it may raise.
    pub get_raises: Vec<DeclId>,
    /// The exceptions that writing it may raise.
    pub set_raises: Vec<DeclId>,
    /// `@roles("auditor")`: the roles whose members may read it. None where nothing is said.
    pub get_roles: Vec<String>,
    /// The roles whose members may write it.
    pub set_roles: Vec<String>,
    /// Its type.
    pub ty: Type,
}

/// An initializer of a valuetype: `factory`.
#[derive(Debug, Clone)]
pub struct Initializer {
    /// Its name.
    pub name: String,
    /// The span of its name.
    pub span: Span,
    /// The comment before it.
    pub docs: Vec<String>,
    /// Its parameters, which are all `in`.
    pub parameters: Vec<Parameter>,
    /// The exceptions that it may raise.
    pub raises: Vec<DeclId>,
}
