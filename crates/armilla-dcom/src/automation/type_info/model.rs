//! Types, their functions and their parameters.

use super::super::dispatch::{DISPATCH, flags};
use super::super::variant::vt;
use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use armilla_dcerpc::Uuid;

/// `IUnknown`.
const UNKNOWN: Uuid = Uuid::literal("00000000-0000-0000-c000-000000000046");

/// Which way a parameter travels, and what it is for: bits of [`Parameter::passing`]
/// (`PARAMFLAGS`).
pub mod passing {
    /// From the caller.
    pub const IN: u16 = 1;
    /// To the caller.
    pub const OUT: u16 = 2;
    /// It is the result for scripts.
    pub const RESULT: u16 = 8;
    /// A script may leave it out.
    pub const OPTIONAL: u16 = 0x10;
}

/// A type, as descriptions name it (`TYPEDESC`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// A type of Automation by its number, as [`Variant::vt`](crate::automation::Variant::vt) has
    /// it.
    Simple(u16),
    /// A pointer; what an `out` parameter is.
    Pointer(Box<Type>),
    /// A `SAFEARRAY` of this type.
    SafeArray(Box<Type>),
    /// An array of this type, with how many elements each dimension has.
    FixedArray(Box<Type>, Vec<u32>),
    /// A type of the same library, or of another one, by its name.
    Named(String),
}

macro_rules! simple {
    ($($(#[$attribute:meta])* $name:ident = $number:expr;)*) => {
        impl Type {
            $($(#[$attribute])* pub const $name: Self = Self::Simple($number);)*
        }
    };
}

simple! {
    /// No value.
    VOID = vt::VOID;
    /// 16 bits.
    I2 = vt::I2;
    /// 32 bits.
    I4 = vt::I4;
    /// A floating-point number of 32 bits.
    R4 = vt::R4;
    /// A floating-point number of 64 bits.
    R8 = vt::R8;
    /// Money.
    CURRENCY = vt::CY;
    /// A moment.
    DATE = vt::DATE;
    /// A string.
    BSTR = vt::BSTR;
    /// An object that is called by name.
    DISPATCH = vt::DISPATCH;
    /// True or false.
    BOOL = vt::BOOL;
    /// A value of any type.
    VARIANT = vt::VARIANT;
    /// An object.
    UNKNOWN = vt::UNKNOWN;
    /// A decimal number.
    DECIMAL = vt::DECIMAL;
    /// 8 bits.
    I1 = vt::I1;
    /// 8 bits without a sign.
    UI1 = vt::UI1;
    /// 16 bits without a sign.
    UI2 = vt::UI2;
    /// 32 bits without a sign.
    UI4 = vt::UI4;
    /// 64 bits.
    I8 = vt::I8;
    /// 64 bits without a sign.
    UI8 = vt::UI8;
    /// What methods of a vtable return.
    HRESULT = vt::HRESULT;
    /// Text that ends with a NUL.
    WIDE_STRING = vt::LPWSTR;
    /// Octets that end with a NUL.
    NARROW_STRING = vt::LPSTR;
    /// A UUID.
    GUID = vt::CLSID;
}

impl Type {
    /// A pointer to this type.
    pub fn pointer(self) -> Self {
        Self::Pointer(Box::new(self))
    }

    /// A `SAFEARRAY` of this type.
    pub fn array(self) -> Self {
        Self::SafeArray(Box::new(self))
    }
}

/// What a type is (`TYPEKIND`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeKind {
    /// Constants.
    Enum,
    /// A structure.
    Record,
    /// Functions outside of objects.
    Module,
    /// An interface that is called by the numbers of its methods.
    Interface,
    /// An interface that is called by name.
    Dispatch,
    /// What objects of a class have.
    Class,
    /// Another name of a type.
    Alias,
    /// A union.
    Union,
    /// A number that no specification knows.
    Other(u32),
}

impl TypeKind {
    const ALL: [Self; 8] = [
        Self::Enum,
        Self::Record,
        Self::Module,
        Self::Interface,
        Self::Dispatch,
        Self::Class,
        Self::Alias,
        Self::Union,
    ];

    /// The kind of this number.
    pub fn from_number(number: u32) -> Self {
        Self::ALL.get(number as usize).copied().unwrap_or(Self::Other(number))
    }

    /// Its number.
    pub fn number(self) -> u32 {
        match self {
            Self::Other(number) => number,
            known => {
                Self::ALL.iter().zip(0..).find(|(kind, _)| **kind == known).map_or(8, |it| it.1)
            }
        }
    }
}

/// A parameter of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its type; that of an `out` parameter is a pointer.
    pub ty: Type,
    /// Which way it travels: see [`passing`].
    pub passing: u16,
}

impl Parameter {
    /// A parameter that the caller gives.
    pub fn new(name: impl Into<String>, ty: Type) -> Self {
        Self { name: name.into(), ty, passing: passing::IN }
    }

    /// A parameter that the caller gets, or gives and gets.
    pub fn out(name: impl Into<String>, ty: Type, passing: u16) -> Self {
        Self { name: name.into(), ty: ty.pointer(), passing }
    }
}

/// A method, or one way to a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The number by which scripts invoke it.
    pub member: i32,
    /// Its name.
    pub name: String,
    /// What it does.
    pub documentation: String,
    /// How it is invoked: one of [`flags`].
    pub how: u32,
    /// Its number in calls; 0 if it is called by name alone.
    pub opnum: u16,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// What it returns.
    pub result: Type,
}

impl Function {
    /// A method that scripts call.
    pub fn method(
        member: i32,
        name: impl Into<String>,
        parameters: Vec<Parameter>,
        result: Type,
    ) -> Self {
        let (name, documentation) = (name.into(), String::new());
        Self { member, name, documentation, how: flags::METHOD, opnum: 0, parameters, result }
    }

    /// What reads a property.
    pub fn get(member: i32, name: impl Into<String>, ty: Type) -> Self {
        Self { how: flags::GET, ..Self::method(member, name, Vec::new(), ty) }
    }

    /// What sets a property.
    pub fn put(member: i32, name: impl Into<String>, ty: Type) -> Self {
        let value = Vec::from([Parameter::new("value", ty)]);
        Self { how: flags::PUT, ..Self::method(member, name, value, Type::VOID) }
    }
}

/// A property that is described as a variable, a member of a structure, or a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariableDescription {
    /// The number by which scripts get and put it.
    pub member: i32,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// What a type has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeDescription {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub documentation: String,
    /// The IID of an interface, the CLSID of a class.
    pub uuid: Uuid,
    /// What it is.
    pub kind: TypeKind,
    /// Its methods and properties, in order.
    pub functions: Vec<Function>,
    /// Its variables, in order.
    pub variables: Vec<VariableDescription>,
    /// The interface that it inherits from, or the interfaces that a class has, by their names.
    pub bases: Vec<String>,
}

impl TypeDescription {
    /// An interface that is called by name.
    pub fn dispatch(name: impl Into<String>, iid: Uuid, functions: Vec<Function>) -> Self {
        let (name, documentation) = (name.into(), String::new());
        let (kind, bases) = (TypeKind::Dispatch, Vec::from(["IDispatch".to_owned()]));
        Self { name, documentation, uuid: iid, kind, functions, variables: Vec::new(), bases }
    }

    /// An interface that is called by the numbers of its methods.
    pub fn interface(
        name: impl Into<String>,
        iid: Uuid,
        base: impl Into<String>,
        functions: Vec<Function>,
    ) -> Self {
        let (kind, bases) = (TypeKind::Interface, Vec::from([base.into()]));
        Self { kind, bases, ..Self::dispatch(name, iid, functions) }
    }

    /// A class with these interfaces, of which the first one is what scripts use.
    pub fn class(name: impl Into<String>, clsid: Uuid, interfaces: Vec<String>) -> Self {
        let kind = TypeKind::Class;
        Self { kind, bases: interfaces, ..Self::dispatch(name, clsid, Vec::new()) }
    }

    /// The functions of a name, whatever the case of its letters.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Function> + 'a {
        self.functions.iter().filter(move |it| it.name.eq_ignore_ascii_case(name))
    }
}

/// Descriptions that refer to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeLibrary {
    /// Its name.
    pub name: String,
    /// Names it for good.
    pub uuid: Uuid,
    types: Vec<TypeDescription>,
}

impl TypeLibrary {
    /// A library of these types. The first one is that of the object that gives it; `IUnknown` and
    /// `IDispatch` it has in any case.
    pub fn new(name: impl Into<String>, uuid: Uuid, mut types: Vec<TypeDescription>) -> Self {
        let standard = |name: &str, iid, base: Option<&str>| TypeDescription {
            bases: base.into_iter().map(ToOwned::to_owned).collect(),
            ..TypeDescription::interface(name, iid, "", Vec::new())
        };
        for (name, iid, base) in
            [("IUnknown", UNKNOWN, None), ("IDispatch", DISPATCH.uuid, Some("IUnknown"))]
        {
            if !types.iter().any(|ty| ty.name == name) {
                types.push(standard(name, iid, base));
            }
        }
        Self { name: name.into(), uuid, types }
    }

    /// All types.
    pub fn types(&self) -> &[TypeDescription] {
        &self.types
    }

    /// The place of a type, by its name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.types.iter().position(|ty| ty.name == name)
    }

    /// The place of the class, if one is described.
    pub fn class(&self) -> Option<usize> {
        self.types.iter().position(|ty| ty.kind == TypeKind::Class)
    }
}
