//! Interfaces of COM, as MIDL or `@uuid` declare them.

use super::{DeclId, Direction, Model};
use crate::source::Span;

/// An interface of COM.
#[derive(Debug, Clone)]
pub struct ComInterface {
    /// Its IID, in lower case: `6d1c2f0e-3b7a-4d52-9c41-7e0a5b8f1d01`.
    pub iid: String,
    /// The interface that it inherits from.
    pub base: ComBase,
    /// Its own methods, in order.
    pub methods: Vec<ComMethod>,
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
    /// A reference to an object with an interface, or null; `None` if a parameter names it.
    Object(Option<ComBase>),
    /// A pointer to a value, or null.
    Unique(Box<ComType>),
    /// Elements, whose number travels with them.
    Array(Box<ComType>),
    /// Elements of which some are in use; both numbers travel.
    Varying(Box<ComType>),
    /// So many elements: only within a struct.
    Fixed(Box<ComType>, u32),
    /// A struct of this model ([`ComDefinition`]).
    Struct(DeclId),
    /// An enum of this model.
    Enum(DeclId),
}

/// A type that the IDL declares for interfaces of COM.
#[derive(Debug, Clone)]
pub enum ComDefinition {
    /// A struct: its members, in order.
    Struct(Vec<ComField>),
    /// An enum.
    Enum(ComEnum),
    /// Another name of a type.
    Alias(ComType),
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
            format!("{direction}{retval} {} {}", self.com_type_text(&parameter.ty), parameter.name)
        });
        let parameters: Vec<String> = parameters.collect();
        let successes = if method.success_codes { " success_codes" } else { "" };
        format!("{} {}({}){successes}", method.opnum, method.full_name(), parameters.join(", "))
    }

    /// What a type of COM is made of, as text: `struct {i4 x, r8 y}`.
    pub fn com_definition(&self, definition: &ComDefinition) -> String {
        match definition {
            ComDefinition::Struct(fields) => {
                let field = |it: &ComField| format!("{} {}", self.com_type_text(&it.ty), it.name);
                format!("struct {{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
            ComDefinition::Enum(ComEnum { wide, values }) => {
                let value = |it: &ComValue| format!("{} = {}", it.name, it.value);
                let values: Vec<String> = values.iter().map(value).collect();
                format!("{} {{{}}}", if *wide { "v1_enum" } else { "enum" }, values.join(", "))
            }
            ComDefinition::Alias(ty) => self.com_type_text(ty),
        }
    }

    fn com_type_text(&self, ty: &ComType) -> String {
        match ty {
            ComType::Object(None) => "object".to_owned(),
            ComType::Object(Some(ComBase::Unknown)) => "IUnknown".to_owned(),
            ComType::Object(Some(ComBase::Dispatch)) => "IDispatch".to_owned(),
            ComType::Object(Some(ComBase::Interface(id))) => self.scoped_name(*id),
            ComType::Unique(ty) => format!("unique {}", self.com_type_text(ty)),
            ComType::Array(ty) => format!("array of {}", self.com_type_text(ty)),
            ComType::Varying(ty) => format!("varying array of {}", self.com_type_text(ty)),
            ComType::Fixed(ty, count) => format!("{count} {}", self.com_type_text(ty)),
            ComType::Struct(id) | ComType::Enum(id) => self.scoped_name(*id),
            simple => format!("{simple:?}").to_ascii_lowercase(),
        }
    }
}
