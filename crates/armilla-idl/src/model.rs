//! The checked model of one compilation: every declaration with its scope, its repository id and
//! its documentation, every name resolved, every constant evaluated.
//!
//! The front end builds the model, a back end reads it. A back end never sees syntax, and every
//! declaration in a model is valid. Only a definition may be missing: an interface or a valuetype
//! that is only declared forward is in the model if something refers to it, and is not `defined`.
//!
//! The enums of the model are exhaustive on purpose: when IDL gets a new construct, the Rust
//! compiler finds every back end that does not handle it. Operations and attributes are in
//! `callable`, their timing in `timing`, interfaces of COM in `com` and `com_size`, components in `component`, types and constants in `types`, fixed-point numbers in
//! `fixed`, numbers of 128 bits in `long_double`.

mod callable;
mod com;
mod com_size;
mod component;
mod fixed;
mod id;
mod long_double;
mod natural;
mod text;
mod timing;
mod types;

pub use callable::{Attribute, Direction, Export, Initializer, Operation, Parameter};
pub use com::{
    ComAlias, ComArm, ComBase, ComDefinition, ComEnum, ComEvents, ComField, ComInterface,
    ComMember, ComMethod, ComParameter, ComPointer, ComType, ComUnion, ComValue,
};
pub use com_size::{ComBound, ComBounds, ComCount, ComOperator};
pub use component::{Component, Home, Port, PortKind, Role};
pub use fixed::Fixed;
pub use id::DeclId;
pub use long_double::LongDouble;
pub use timing::{Hold, Level, TimedCall, Timing};
pub use types::{Const, ConstValue, Primitive, Type};

use crate::source::Span;

/// Every declaration of one compilation, including those of included files.
#[derive(Debug, Clone, Default)]
pub struct Model {
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) roots: Vec<DeclId>,
}

impl Model {
    /// The declarations at file scope, in the order of the source. A module that is reopened
    /// appears once, where it is first opened, with the members of all its openings.
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

    /// The interfaces that interface `id` directly and indirectly inherits from, each once.
    pub(crate) fn all_bases(&self, id: DeclId) -> Vec<DeclId> {
        let mut bases = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let DeclKind::Interface(data) = &self.get(id).kind else { continue };
            for base in &data.bases {
                if !bases.contains(base) {
                    bases.push(*base);
                    open.push(*base);
                }
            }
        }
        bases
    }

    /// The id that the next declaration gets.
    pub(crate) fn next_id(&self) -> DeclId {
        DeclId(self.declarations.len() as u32)
    }

    /// `ty` with outer typedefs resolved. Element types are not resolved.
    ///
    /// ```
    /// use armilla_idl::model::{Primitive, Type};
    /// use armilla_idl::{Options, parse_str};
    ///
    /// let idl = "typedef long Cents; typedef Cents Price;";
    /// let model = parse_str("t.idl", idl, &Options::new()).unwrap().model;
    /// let price = Type::Named(model.roots()[1]);
    /// assert_eq!(*model.resolve(&price), Type::Primitive(Primitive::Long));
    /// ```
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
#[non_exhaustive]
pub struct Declaration {
    /// The identifier as the IDL spells it, an escaping underscore removed.
    pub name: String,
    /// The module, interface, valuetype, struct, union or exception that encloses it.
    pub scope: Option<DeclId>,
    /// Its repository id: `IDL:Bank/Account:1.0`.
    pub repository_id: String,
    /// The span of its name.
    pub span: Span,
    /// The lines of the comment right before it, without comment delimiters.
    pub docs: Vec<String>,
    /// Whether it is declared in an included file, not in a compiled one.
    pub included: bool,
    /// Its kind, with what that kind has.
    pub kind: DeclKind,
}

/// What a declaration declares.
#[derive(Debug, Clone)]
pub enum DeclKind {
    /// A module and its members.
    Module(Vec<DeclId>),
    /// An interface.
    Interface(Interface),
    /// An interface of COM, which travels by DCOM alone.
    Com(ComInterface),
    /// A struct, an enum or a typedef for interfaces of COM.
    ComType(ComDefinition),
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
    /// A valuetype or an event type.
    Value(Value),
    /// A boxed value: `valuetype Name string;`, with the boxed type.
    ValueBox(Type),
    /// A native type, which only the language mapping defines.
    Native,
    /// A bitmask of IDL 4.
    Bitmask(Bitmask),
    /// A bitset of IDL 4.
    Bitset(Bitset),
}

/// An interface.
#[derive(Debug, Clone, Default)]
pub struct Interface {
    /// Whether its objects may be remote, are local, or may be values too.
    pub flavour: Flavour,
    /// What it was declared as: a component and a home are interfaces too.
    pub role: Role,
    /// Whether it is defined; if not, only its name is known.
    pub defined: bool,
    /// The interfaces it directly inherits from, in order.
    pub bases: Vec<DeclId>,
    /// Types, constants and exceptions declared in it, in order.
    pub nested: Vec<DeclId>,
    /// Its own operations and attributes, in order; inherited ones are in the bases.
    pub exports: Vec<Export>,
}

/// What kind of objects an interface has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Flavour {
    /// An ordinary interface, whose objects may be remote.
    #[default]
    Unconstrained,
    /// `local`: its objects never leave their process.
    Local,
    /// `abstract`: an object reference or a value is marshalled, depending on the argument.
    Abstract,
}

/// A valuetype (CORBA 3.4 Part 1, 9), or an event type, which is one too.
#[derive(Debug, Clone, Default)]
pub struct Value {
    /// Whether it is `abstract` or `custom`.
    pub modifier: ValueModifier,
    /// Whether it was declared as an `eventtype`.
    pub event: bool,
    /// Whether it is defined; if not, only its name is known.
    pub defined: bool,
    /// Whether a receiver that does not know it may truncate it to its concrete base.
    pub truncatable: bool,
    /// The valuetypes it directly inherits from, in order; the first may be concrete.
    pub bases: Vec<DeclId>,
    /// The interfaces that it supports, in order; only the first may be other than abstract.
    pub supports: Vec<DeclId>,
    /// Types, constants and exceptions declared in it, in order.
    pub nested: Vec<DeclId>,
    /// Its own state members, in order; inherited ones are in its base.
    pub state: Vec<StateMember>,
    /// Its initializers, in order.
    pub initializers: Vec<Initializer>,
    /// Its own operations and attributes, in order.
    pub exports: Vec<Export>,
}

/// The modifier of a valuetype.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ValueModifier {
    /// No modifier.
    #[default]
    None,
    /// `abstract`: it has no state.
    Abstract,
    /// `custom`: the program marshals its state.
    Custom,
}

/// A state member of a valuetype.
#[derive(Debug, Clone)]
pub struct StateMember {
    /// Whether it is `public`, not `private`.
    pub public: bool,
    /// The member.
    pub member: Member,
}

/// A bitmask of IDL 4 (IDL 4.2, 7.4.13.4.3.3).
#[derive(Debug, Clone, Default)]
pub struct Bitmask {
    /// How many bits it has, 1 to 64.
    pub bound: u32,
    /// Its flags, in order.
    pub flags: Vec<Flag>,
}

/// A flag of a bitmask.
#[derive(Debug, Clone)]
pub struct Flag {
    /// Its name.
    pub name: String,
    /// Its bit, counted from the least significant one, which is 0.
    pub position: u32,
    /// The span of its name.
    pub span: Span,
}

/// A bitset of IDL 4 (IDL 4.2, 7.4.13.4.3.2).
#[derive(Debug, Clone, Default)]
pub struct Bitset {
    /// The bitset that it extends.
    pub base: Option<DeclId>,
    /// Its own fields, in order, including unnamed ones.
    pub fields: Vec<BitField>,
}

/// A field of a bitset.
#[derive(Debug, Clone)]
pub struct BitField {
    /// Its name; `None` if it is padding.
    pub name: Option<String>,
    /// How many bits it has, 1 to 64.
    pub bits: u32,
    /// Its type, if one is given.
    pub ty: Option<Primitive>,
}

/// The members of a struct or an exception.
#[derive(Debug, Clone, Default)]
pub struct Struct {
    /// The struct that it extends, as IDL 4 allows.
    pub base: Option<DeclId>,
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
    /// The span of its name.
    pub span: Span,
}

/// A discriminated union.
#[derive(Debug, Clone)]
pub struct Union {
    /// Types declared in it, including an enum declared in the switch.
    pub nested: Vec<DeclId>,
    /// The type of the discriminator.
    pub discriminator: Type,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// One member of a union with all its labels.
#[derive(Debug, Clone)]
pub struct Case {
    /// The values that select it; empty if `default` is its only label.
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
    /// The span of its name.
    pub span: Span,
}
