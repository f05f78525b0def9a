//! The checked model of one compilation: every declaration with its scope, its repository id and
//! its documentation, every name resolved, every constant evaluated.
//!
//! The front end makes it, a back end reads it. A back end never sees syntax, and everything in a
//! model is valid: there is no declaration in it that the front end reported an error for.

use crate::source::Span;

/// The index of a declaration in its [`Model`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeclId(pub(crate) u32);

impl DeclId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every declaration of one compilation, those of included files among them.
#[derive(Debug, Clone, Default)]
pub struct Model {
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) roots: Vec<DeclId>,
}

impl Model {
    /// The declarations at file scope, in the order of the source. A module that was opened again
    /// stands once, where it was opened first, with the members of all its openings.
    pub fn roots(&self) -> &[DeclId] {
        &self.roots
    }

    /// The declaration that `id` names.
    pub fn get(&self, id: DeclId) -> &Declaration {
        &self.declarations[id.index()]
    }

    /// Every declaration with its id, in the order in which the source first names them.
    pub fn iter(&self) -> impl Iterator<Item = (DeclId, &Declaration)> {
        self.declarations.iter().enumerate().map(|(i, d)| (DeclId(i as u32), d))
    }

    /// The names from file scope down to `id`, as the IDL spells them.
    pub fn path(&self, id: DeclId) -> Vec<&str> {
        let mut path = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            let declaration = self.get(id);
            path.push(declaration.name.as_str());
            next = declaration.scope;
        }
        path.reverse();
        path
    }

    /// The scoped name of `id` as a message writes it: `Bank::Account`.
    pub fn scoped_name(&self, id: DeclId) -> String {
        self.path(id).join("::")
    }

    /// The id that the next declaration gets.
    pub(crate) fn next_id(&self) -> DeclId {
        DeclId(self.declarations.len() as u32)
    }

    /// `ty` with every typedef at its head followed to the type that it stands for.
    pub fn resolve<'m>(&'m self, ty: &'m Type) -> &'m Type {
        let mut ty = ty;
        while let Type::Named(id) = ty {
            match &self.get(*id).kind {
                DeclKind::Typedef(aliased) => ty = aliased,
                _ => break,
            }
        }
        ty
    }
}

/// One named declaration.
#[derive(Debug, Clone)]
pub struct Declaration {
    /// The identifier as the IDL spells it, an escaping underscore removed.
    pub name: String,
    /// The module, interface, struct, union or exception that it stands in.
    pub scope: Option<DeclId>,
    /// Its repository id: `IDL:Bank/Account:1.0`.
    pub repository_id: String,
    /// Where its name stands.
    pub span: Span,
    /// The comment that stands right before it, a line each, without comment signs.
    pub docs: Vec<String>,
    /// Whether it stands in an included file and not in the file that was compiled.
    pub included: bool,
    /// What it is.
    pub kind: DeclKind,
}

/// What a declaration declares.
#[derive(Debug, Clone)]
pub enum DeclKind {
    /// A module and its members.
    Module(Vec<DeclId>),
    /// An interface.
    Interface(Interface),
    /// A struct; declarations nested in it are in `nested`.
    Struct(Struct),
    /// An exception, which may have no members.
    Exception(Struct),
    /// A union.
    Union(Union),
    /// An enum.
    Enum(Enum),
    /// A typedef of one declarator; its array dimensions are part of the type.
    Typedef(Type),
    /// A constant.
    Const(Const),
}

/// An interface. One that was only declared forward and never defined is not in a model.
#[derive(Debug, Clone, Default)]
pub struct Interface {
    /// The interfaces it directly inherits from, in order.
    pub bases: Vec<DeclId>,
    /// Types, constants and exceptions declared in it, in order.
    pub nested: Vec<DeclId>,
    /// Its own operations and attributes, in order; inherited ones stand with their bases.
    pub exports: Vec<Export>,
}

/// An operation or an attribute of an interface.
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
    /// Where its name stands.
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
}

/// A parameter of an operation.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Which way it travels.
    pub direction: Direction,
    /// Its type.
    pub ty: Type,
    /// Where its name stands.
    pub span: Span,
}

/// Which way a parameter travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From client to server.
    In,
    /// From server to client.
    Out,
    /// Both ways.
    InOut,
}

/// An attribute.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its repository id.
    pub repository_id: String,
    /// Where its name stands.
    pub span: Span,
    /// The comment before it.
    pub docs: Vec<String>,
    /// Whether it can only be read.
    pub readonly: bool,
    /// Its type.
    pub ty: Type,
}

/// The members of a struct or an exception.
#[derive(Debug, Clone, Default)]
pub struct Struct {
    /// Types declared within it.
    pub nested: Vec<DeclId>,
    /// Its members, in order.
    pub members: Vec<Member>,
}

/// A member of a struct or an exception.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type; array dimensions are part of it.
    pub ty: Type,
    /// The comment before it.
    pub docs: Vec<String>,
    /// Where its name stands.
    pub span: Span,
}

/// A discriminated union.
#[derive(Debug, Clone)]
pub struct Union {
    /// Types declared within it, an enum in the switch among them.
    pub nested: Vec<DeclId>,
    /// The type of the discriminator.
    pub discriminator: Type,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// One member of a union with all its labels.
#[derive(Debug, Clone)]
pub struct Case {
    /// The values that select it; empty when it has the label `default` alone.
    pub labels: Vec<ConstValue>,
    /// Whether `default` is among its labels.
    pub default: bool,
    /// The member.
    pub member: Member,
}

/// An enum.
#[derive(Debug, Clone, Default)]
pub struct Enum {
    /// Its enumerators, in order; the first has the value 0.
    pub enumerators: Vec<Enumerator>,
}

/// One value of an enum.
#[derive(Debug, Clone)]
pub struct Enumerator {
    /// Its name.
    pub name: String,
    /// Its repository id.
    pub repository_id: String,
    /// The comment before it.
    pub docs: Vec<String>,
    /// Where its name stands.
    pub span: Span,
}

/// A constant.
#[derive(Debug, Clone)]
pub struct Const {
    /// Its declared type.
    pub ty: Type,
    /// Its value, which that type can hold.
    pub value: ConstValue,
}

/// The value of a constant expression or of a union label.
#[derive(Debug, Clone, PartialEq)]
pub enum ConstValue {
    /// An integer or an octet.
    Integer(i128),
    /// A `float` or a `double`.
    Float(f64),
    /// A boolean.
    Boolean(bool),
    /// A character as its ISO 8859-1 octet.
    Char(u8),
    /// A string.
    String(String),
    /// The enumerator with this index of the enum that the id names.
    Enumerator(DeclId, u32),
}

/// A type where it is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// A basic type.
    Primitive(Primitive),
    /// A string, with its bound.
    String(Option<u32>),
    /// A sequence, with its bound.
    Sequence(Box<Type>, Option<u32>),
    /// An array with its dimensions, the outermost first.
    Array(Box<Type>, Vec<u32>),
    /// `Object`: a reference to an object of any interface.
    Object,
    /// A struct, union, enum, typedef or interface (an object reference) declared elsewhere.
    Named(DeclId),
}

/// The basic types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `short`, 16 bits.
    Short,
    /// `unsigned short`, 16 bits.
    UShort,
    /// `long`, 32 bits.
    Long,
    /// `unsigned long`, 32 bits.
    ULong,
    /// `long long`, 64 bits.
    LongLong,
    /// `unsigned long long`, 64 bits.
    ULongLong,
    /// `float`, IEEE 754 binary32.
    Float,
    /// `double`, IEEE 754 binary64.
    Double,
    /// `char`, one octet of the transmission code set.
    Char,
    /// `boolean`.
    Boolean,
    /// `octet`, 8 bits that are never converted.
    Octet,
}
