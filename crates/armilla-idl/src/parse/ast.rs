//! The syntax tree. Names are not resolved and constants are not evaluated.

use super::com_ast::{ComDefinition, ComInterface};
use crate::lex::Pragma;
use crate::model::{self, Direction, Fixed, Flavour, Primitive, ValueModifier};
use crate::source::Span;
use std::rc::Rc;

/// The name in a declaration, or one part of a scoped name.
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

/// An item of a scope.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    Definition(Box<Definition>),
    Pragma(Rc<Pragma>, Span),
    EnterFile,
    LeaveFile,
}

#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) docs: Vec<String>,
    pub(crate) kind: DefinitionKind,
}

#[derive(Debug, Clone)]
pub(crate) enum DefinitionKind {
    Module {
        name: Name,
        items: Vec<Item>,
    },
    Interface {
        flavour: Flavour,
        name: Name,
        bases: Vec<ScopedName>,
        items: Vec<Item>,
    },
    Com(ComInterface),
    ComType(ComDefinition),
    /// What one declaration of MIDL declares: a struct and its tag, or the content of a library.
    ComGroup(Vec<Definition>),
    /// `interface I;` of MIDL, or a class or another interface that is only named.
    ComForward(Name),
    Value(Value),
    Component(Component),
    Home(Home),
    PortType {
        name: Name,
        items: Rc<[Item]>,
    },
    /// A port of a component, a connector or a port type.
    Port(Port),
    /// `factory` or `finder` of a home.
    HomeOperation {
        kind: HomeOperation,
        initializer: Initializer,
    },
    Template(Rc<Template>),
    Instance(Instance),
    ValueBox {
        name: Name,
        ty: TypeSpec,
    },
    StateMember {
        public: bool,
        ty: TypeSpec,
        declarators: Vec<Declarator>,
    },
    Initializer(Initializer),
    Native {
        name: Name,
    },
    Bitmask(Bitmask),
    Bitset(Bitset),
    /// `typeid A::B "IDL:…:1.0";`
    TypeId {
        name: ScopedName,
        id: String,
        id_span: Span,
    },
    /// `typeprefix "example.com";` in a module, as in files of the OMG.
    ModulePrefix {
        prefix: String,
        prefix_span: Span,
    },
    /// `typeprefix A::B "example.com";`
    TypePrefix {
        name: ScopedName,
        prefix: String,
        prefix_span: Span,
    },
    /// `import A::B;`
    Import {
        name: ScopedName,
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
    Attribute(Attribute),
    /// A construct that declares nothing or was reported as unsupported. Uses of its name must not
    /// be reported again.
    Unsupported {
        name: Option<Name>,
    },
}

/// The kind of a forward declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForwardKind {
    Interface(Flavour),
    Struct,
    Union,
    /// A valuetype, abstract or not.
    Value(bool),
    /// An event type, abstract or not.
    Event(bool),
    Component,
}

/// A component or a connector.
#[derive(Debug, Clone)]
pub(crate) struct Component {
    pub(crate) connector: bool,
    pub(crate) name: Name,
    pub(crate) base: Option<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) items: Vec<Item>,
}

/// `provides A b;` and the like.
#[derive(Debug, Clone)]
pub(crate) struct Port {
    pub(crate) kind: PortKind,
    /// The interface, the event type or the port type.
    pub(crate) ty: TypeSpec,
    pub(crate) name: Name,
}

/// The kind of a port: a basic port, or one of a port type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortKind {
    Plain(model::PortKind),
    /// `port P x;`
    Extended,
    /// `mirrorport P x;`: provided interfaces of the port type are used, and vice versa.
    Mirror,
}

#[derive(Debug, Clone)]
pub(crate) struct Home {
    pub(crate) name: Name,
    pub(crate) base: Option<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) manages: ScopedName,
    pub(crate) primary_key: Option<ScopedName>,
    pub(crate) items: Vec<Item>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HomeOperation {
    Factory,
    Finder,
}

/// `module M<typename T> { … };`
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<TemplateParameter>,
    pub(crate) items: Vec<Item>,
    /// The number of its tokens.
    pub(crate) size: usize,
}

#[derive(Debug)]
pub(crate) struct TemplateParameter {
    pub(crate) kind: ParameterKind,
    pub(crate) name: Name,
}

/// The kind of a parameter of a template module.
#[derive(Debug)]
pub(crate) enum ParameterKind {
    Typename,
    Interface,
    Value,
    Event,
    Struct,
    Union,
    Exception,
    Enum,
    /// `sequence<T>`, or `sequence` of any element type.
    Sequence(Option<TypeSpec>),
    /// `const long`
    Const(TypeSpec),
}

/// `module M<long, 7> Name;` or `alias M<T, N> Name;`
#[derive(Debug, Clone)]
pub(crate) struct Instance {
    pub(crate) template: ScopedName,
    pub(crate) arguments: Vec<TemplateArgument>,
    pub(crate) name: Name,
}

/// An argument of a template module. The kind of its parameter decides whether a name is a type or
/// a constant.
#[derive(Debug, Clone)]
pub(crate) enum TemplateArgument {
    Name(ScopedName),
    Type(TypeSpec),
    Value(Expr),
}

#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) modifier: ValueModifier,
    /// Whether the keyword was `eventtype`.
    pub(crate) event: bool,
    pub(crate) name: Name,
    pub(crate) truncatable: Option<Span>,
    pub(crate) bases: Vec<ScopedName>,
    pub(crate) supports: Vec<ScopedName>,
    pub(crate) items: Vec<Item>,
}

/// `factory create(in long x);` in a valuetype.
#[derive(Debug, Clone)]
pub(crate) struct Initializer {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) raises: Vec<ScopedName>,
}

#[derive(Debug, Clone)]
pub(crate) struct Attribute {
    pub(crate) readonly: bool,
    pub(crate) ty: TypeSpec,
    pub(crate) names: Vec<Name>,
    /// `raises` of a `readonly` attribute, or `getraises`.
    pub(crate) get_raises: Vec<ScopedName>,
    pub(crate) set_raises: Vec<ScopedName>,
    /// Annotations of its roles.
    pub(crate) roles: Vec<TimingAnnotation>,
}

#[derive(Debug, Clone)]
pub(crate) struct Bitmask {
    pub(crate) name: Name,
    /// `@bit_bound(16)`
    pub(crate) bound: Option<Number>,
    /// The flags, each with its `@position(3)`.
    pub(crate) flags: Vec<(Name, Option<Number>)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Bitset {
    pub(crate) name: Name,
    pub(crate) base: Option<ScopedName>,
    pub(crate) fields: Vec<BitField>,
}

/// `bitfield<3, octet> a, b;`
#[derive(Debug, Clone)]
pub(crate) struct BitField {
    pub(crate) bits: Expr,
    pub(crate) ty: Option<TypeSpec>,
    pub(crate) names: Vec<Name>,
}

/// A number in an annotation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    pub(crate) value: u64,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct Struct {
    pub(crate) name: Name,
    pub(crate) base: Option<ScopedName>,
    pub(crate) body: Vec<BodyItem>,
}

/// An item of a struct, an exception or a union.
#[derive(Debug, Clone)]
pub(crate) enum BodyItem {
    Member(Member),
    /// A pragma or a file marker.
    Marker(Item),
}

/// `long a, b[3];`
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) docs: Vec<String>,
    pub(crate) ty: TypeSpec,
    pub(crate) declarators: Vec<Declarator>,
    /// The labels of a union's case; empty in a struct.
    pub(crate) labels: Vec<Label>,
}

#[derive(Debug, Clone)]
pub(crate) enum Label {
    Case(Expr),
    Default(Span),
}

#[derive(Debug, Clone)]
pub(crate) struct Union {
    pub(crate) name: Name,
    pub(crate) discriminator: TypeSpec,
    pub(crate) body: Vec<BodyItem>,
}

#[derive(Debug, Clone)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) enumerators: Vec<(Name, Vec<String>)>,
}

#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) oneway: Option<Span>,
    /// `None` is `void`.
    pub(crate) result: Option<TypeSpec>,
    pub(crate) name: Name,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) raises: Vec<ScopedName>,
    pub(crate) context: Vec<String>,
    /// The comments on the parameters, each with the name of its parameter.
    pub(crate) parameter_docs: Vec<String>,
    /// Annotations of its timing and its roles.
    pub(crate) timing: Vec<TimingAnnotation>,
}

/// An annotation of an operation's timing or roles, such as `@period(10 ms)`.
#[derive(Debug, Clone)]
pub(crate) struct TimingAnnotation {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) arguments: Vec<Argument>,
}

/// An argument of an annotation, which need not be a constant of IDL: `10 ms`, `delay = 2 us`.
#[derive(Debug, Clone)]
pub(crate) struct Argument {
    /// The name before the `=`, if there is one.
    pub(crate) name: Option<String>,
    /// The words, joined by one blank if one stood between them.
    pub(crate) text: String,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) direction: Direction,
    pub(crate) direction_span: Span,
    pub(crate) ty: TypeSpec,
    pub(crate) name: Name,
}

#[derive(Debug, Clone)]
pub(crate) struct Declarator {
    pub(crate) name: Name,
    pub(crate) dimensions: Vec<Expr>,
}

#[derive(Debug, Clone)]
pub(crate) struct TypeSpec {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum TypeKind {
    Primitive(Primitive),
    String(Option<Expr>),
    WString(Option<Expr>),
    Sequence(Box<TypeSpec>, Option<Expr>),
    Map(Box<TypeSpec>, Box<TypeSpec>, Option<Expr>),
    /// `fixed<digits, scale>`
    Fixed(Box<Expr>, Box<Expr>),
    /// `fixed` of a constant.
    FixedConstant,
    Object,
    Any,
    ValueBase,
    Named(ScopedName),
    /// A type that the checker has resolved.
    Known(model::Type),
    /// A struct, union or enum that is declared inline.
    Constructed(Box<Definition>),
    /// An error was reported.
    Unsupported,
}

/// A constant expression in postfix order, so that its evaluation does not recurse.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) steps: Vec<Step>,
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) kind: StepKind,
    /// The literal, the name or the operator.
    pub(crate) span: Span,
}

#[derive(Debug, Clone)]
pub(crate) enum StepKind {
    Literal(Literal),
    Name(ScopedName),
    Unary(Unary),
    Binary(Binary),
}

#[derive(Debug, Clone)]
pub(crate) enum Literal {
    Integer(u64),
    /// A floating-point number as it is written: its type is that of its constant.
    Float(Box<str>),
    Boolean(bool),
    Char(u8),
    String(String),
    WChar(u16),
    WString(Vec<u16>),
    Fixed(Fixed),
    /// An error was reported.
    Invalid,
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
