//! Interfaces of COM, as MIDL or `@uuid` declare them.

use super::{ComBounds, DeclId, Direction, Model};
use crate::source::Span;

/// An interface of COM.
#[derive(Debug, Clone)]
pub struct ComInterface {
    /// Its IID, in lower case: `6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01`.
    pub iid: String,
    /// The interface that it inherits from.
    pub base: ComBase,
    /// Its own methods, in order: those that travel.
    pub methods: Vec<ComMethod>,
    /// How many numbers its own methods have, those that do not travel among them.
    pub slots: usize,
}

/// The interface that an interface of COM inherits from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComBase {
    /// `IUnknown`.
    Unknown,
    /// `IDispatch`: objects that scripts call by name.
    Dispatch,
    /// Another one of this model.
    Interface(DeclId),
}

/// What a method is for callers by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComMember {
    /// A method.
    Method,
    /// It reads a property.
    Get,
    /// It sets a property.
    Put,
}

/// A method of an interface of COM.
#[derive(Debug, Clone)]
pub struct ComMethod {
    /// Its name, without `get_` and `put_`.
    pub name: String,
    /// What it is for callers by name.
    pub member: ComMember,
    /// Its number in calls; those of the bases come first.
    pub opnum: u16,
    /// The comment before it.
    pub docs: Vec<String>,
    /// The span of its name.
    pub span: Span,
    /// Whether it may succeed in several ways (`success_codes`): its HRESULT is then a result.
    pub success_codes: bool,
    /// Its parameters, in order.
    pub parameters: Vec<ComParameter>,
}

impl ComMethod {
    /// Its name as MIDL makes it: `get_Balance` reads the property `Balance`.
    pub fn full_name(&self) -> String {
        let prefix = match self.member {
            ComMember::Method => "",
            ComMember::Get => "get_",
            ComMember::Put => "put_",
        };
        format!("{prefix}{}", self.name)
    }
}

/// A parameter of a method.
#[derive(Debug, Clone)]
pub struct ComParameter {
    /// Its name.
    pub name: String,
    /// The span of its name.
    pub span: Span,
    /// Which way it travels.
    pub direction: Direction,
    /// Whether it is the result for callers by name.
    pub retval: bool,
    /// Its type; the pointer of an `out` parameter is no part of it.
    pub ty: ComType,
    /// What is said of its arrays, the outermost first.
    pub bounds: Vec<ComBounds>,
}

/// A type of COM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ComType {
    /// 8 bits with a sign.
    I1,
    /// 8 bits.
    U1,
    /// 16 bits with a sign.
    I2,
    /// 16 bits, or a character of UTF-16.
    U2,
    /// 32 bits with a sign.
    I4,
    /// 32 bits.
    U4,
    /// 64 bits with a sign.
    I8,
    /// 64 bits.
    U8,
    /// A floating-point number of 32 bits.
    R4,
    /// A floating-point number of 64 bits.
    R8,
    /// `VARIANT_BOOL`: 0 or -1 in 16 bits.
    VariantBool,
    /// A GUID.
    Guid,
    /// A moment.
    Date,
    /// Money.
    Currency,
    /// A decimal number.
    Decimal,
    /// A string with a length.
    Bstr,
    /// A value of any type.
    Variant,
    /// An array that knows the type of its elements.
    SafeArray,
    /// UTF-16 that ends with a NUL.
    WideString,
    /// Octets that end with a NUL, in a code set that nothing names.
    NarrowString,
    /// A reference to an object with an interface, or null; `None` if a parameter names it.
    Object(Option<ComBase>),
    /// A pointer to a value, or null.
    Unique(Box<ComType>),
    /// The same, and others may lead to that value, too (`ptr`).
    Full(Box<ComType>),
    /// A pointer within a struct that is never null (`ref`).
    Reference(Box<ComType>),
    /// Elements, whose number travels with them.
    Array(Box<ComType>),
    /// Elements of which some are in use; both numbers travel.
    Varying(Box<ComType>),
    /// So many elements.
    Fixed(Box<ComType>, u32),
    /// A struct of this model ([`ComDefinition`]).
    Struct(DeclId),
    /// An enum of this model.
    Enum(DeclId),
    /// A union of this model.
    Union(DeclId),
}

/// A type that the IDL declares for interfaces of COM.
#[derive(Debug, Clone)]
pub enum ComDefinition {
    /// A struct: its members, in order.
    Struct(Vec<ComField>),
    /// An enum.
    Enum(ComEnum),
    /// A union.
    Union(ComUnion),
    /// Another name of a type.
    Alias(ComAlias),
    /// A class: its CLSID, in lower case.
    Class(String),
    /// An interface whose members are called by `IDispatch` alone.
    Dispatch(ComEvents),
}

/// An interface of COM whose members are called by their numbers, as those of events are.
#[derive(Debug, Clone)]
pub struct ComEvents {
    /// Its IID, in lower case.
    pub iid: String,
    /// Its members, in order.
    pub members: Vec<ComValue>,
}

/// Another name of a type, with what it says of the pointers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComAlias {
    /// The type that the pointers lead to.
    pub ty: ComType,
    /// How many pointers the name stands for.
    pub stars: usize,
    /// Whether the last of them leads to text that ends with a NUL.
    pub string: bool,
    /// Of which kind the first of them is, if the name says so.
    pub pointer: Option<ComPointer>,
}

/// Kinds of pointers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComPointer {
    /// It is never null.
    Reference,
    /// It may be null.
    Unique,
    /// It may be null, or lead to what another one leads to.
    Full,
}

/// A union of COM: its tag travels with it.
#[derive(Debug, Clone)]
pub struct ComUnion {
    /// The type of the tag: an integer or an enum.
    pub tag: ComType,
    /// What there may be, in order.
    pub arms: Vec<ComArm>,
}

/// An arm of a union of COM.
#[derive(Debug, Clone)]
pub struct ComArm {
    /// The tags that select it.
    pub labels: Vec<i64>,
    /// Whether all other tags select it.
    pub default: bool,
    /// What it holds, if anything.
    pub field: Option<ComField>,
}

impl ComDefinition {
    /// The types of its members.
    pub fn members(&self) -> Vec<&ComType> {
        match self {
            Self::Struct(fields) => fields.iter().map(|field| &field.ty).collect(),
            Self::Union(data) => {
                data.arms.iter().filter_map(|arm| Some(&arm.field.as_ref()?.ty)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl ComUnion {
    /// Whether some tags select nothing.
    pub fn has_empty(&self) -> bool {
        self.arms.iter().any(|arm| arm.field.is_none())
    }
}

/// A member of a struct of COM.
#[derive(Debug, Clone)]
pub struct ComField {
    /// Its name.
    pub name: String,
    /// The comment before it.
    pub docs: Vec<String>,
    /// The span of its name.
    pub span: Span,
    /// What travels for it.
    pub ty: ComType,
    /// What is said of its arrays, the outermost first.
    pub bounds: Vec<ComBounds>,
}

/// An enum of COM.
#[derive(Debug, Clone)]
pub struct ComEnum {
    /// Whether its values travel as 32 bits (`v1_enum`), not as 16.
    pub wide: bool,
    /// The names that it gives to values, in order.
    pub values: Vec<ComValue>,
}

/// A value of an enum of COM.
#[derive(Debug, Clone)]
pub struct ComValue {
    /// Its name.
    pub name: String,
    /// The comment before it.
    pub docs: Vec<String>,
    /// The span of its name.
    pub span: Span,
    /// The number.
    pub value: i32,
}

impl Model {
    /// A method of COM with its parameters as text, for messages and tests:
    /// `3 GetSingleString(in i4 index, out bstr item)`.
    pub fn com_signature(&self, method: &ComMethod) -> String {
        let parameters = method.parameters.iter().map(|parameter| {
            let direction = match parameter.direction {
                Direction::In => "in",
                Direction::Out => "out",
                Direction::InOut => "inout",
            };
            let retval = if parameter.retval { " retval" } else { "" };
            format!("{direction}{retval} {} {}", self.com_type(&parameter.ty), parameter.name)
        });
        let parameters: Vec<String> = parameters.collect();
        let successes = if method.success_codes { " success_codes" } else { "" };
        format!("{} {}({}){successes}", method.opnum, method.full_name(), parameters.join(", "))
    }

    /// What a type of COM is made of, as text: `struct {i4 x, r8 y}`.
    pub fn com_definition(&self, definition: &ComDefinition) -> String {
        match definition {
            ComDefinition::Struct(fields) => {
                let field = |it: &ComField| format!("{} {}", self.com_type(&it.ty), it.name);
                format!("struct {{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            ComDefinition::Enum(ComEnum { wide, values }) => {
                let value = |it: &ComValue| format!("{} = {}", it.name, it.value);
                let values: Vec<String> = values.iter().map(value).collect();
                format!("{} {{{}}}", if *wide { "v1_enum" } else { "enum" }, values.join(", "))
            }
            ComDefinition::Union(ComUnion { tag, arms }) => {
                let arms: Vec<String> = arms.iter().map(|arm| self.com_arm(arm)).collect();
                format!("union {} {{{}}}", self.com_type(tag), arms.join(", "))
            }
            ComDefinition::Class(clsid) => format!("class {clsid}"),
            ComDefinition::Dispatch(ComEvents { iid, members }) => {
                let member = |it: &ComValue| format!("{} = {}", it.name, it.value);
                let members: Vec<String> = members.iter().map(member).collect();
                format!("dispinterface {iid} {{{}}}", members.join(", "))
            }
            ComDefinition::Alias(alias) => {
                let pointer = alias.pointer.map(|it| format!("{it:?} ").to_ascii_lowercase());
                let stars = "*".repeat(alias.stars);
                let string = if alias.string { "string " } else { "" };
                let ty = self.com_type(&alias.ty);
                format!("{}{string}{ty}{stars}", pointer.unwrap_or_default())
            }
        }
    }

    fn com_arm(&self, arm: &ComArm) -> String {
        let labels = arm.labels.iter().map(ToString::to_string);
        let labels: Vec<String> = labels.chain(arm.default.then(|| "default".to_owned())).collect();
        let field = arm.field.as_ref();
        let field = field.map(|it| format!("{} {}", self.com_type(&it.ty), it.name));
        format!("{}: {}", labels.join(" "), field.unwrap_or_default())
    }

    /// A type of COM as text: `unique i4`.
    pub fn com_type(&self, ty: &ComType) -> String {
        match ty {
            ComType::Object(None) => "object".to_owned(),
            ComType::Object(Some(ComBase::Unknown)) => "IUnknown".to_owned(),
            ComType::Object(Some(ComBase::Dispatch)) => "IDispatch".to_owned(),
            ComType::Object(Some(ComBase::Interface(id))) => self.scoped_name(*id),
            ComType::Unique(ty) => format!("unique {}", self.com_type(ty)),
            ComType::Full(ty) => format!("ptr {}", self.com_type(ty)),
            ComType::Reference(ty) => format!("ref {}", self.com_type(ty)),
            ComType::Array(ty) => format!("array of {}", self.com_type(ty)),
            ComType::Varying(ty) => format!("varying array of {}", self.com_type(ty)),
            ComType::Fixed(ty, count) => format!("{count} {}", self.com_type(ty)),
            ComType::Struct(id) | ComType::Enum(id) | ComType::Union(id) => self.scoped_name(*id),
            simple => format!("{simple:?}").to_ascii_lowercase(),
        }
    }
}
