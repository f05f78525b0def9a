//! TypeCodes: types as values (CORBA 3.4 Part 1, 8.11).

mod close;
mod compact;
mod compare;
mod debug;
mod decode;
mod display;
mod drop;
mod encode;
mod factory;
mod index;
mod inspect;
mod kind;
mod parts;
mod typed;
mod value;

pub(crate) use decode::read_label;
pub(crate) use encode::{label, write};
pub use factory::{TypeCodeError, TypeCodeErrorKind, TypeCodeFactory, UnionMember};
pub use index::TypeIndex;
pub use kind::TypeCodeKind;
pub use typed::Typed;

use crate::key_table::Key;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The largest nesting depth of TypeCodes that are sent, or created by [`TypeCodeFactory`].
pub const TYPE_CODE_DEPTH_LIMIT: usize = 64;

/// How many values without octets, such as structs without members, one value of a type known only
/// at run time may hold: the size of the message does not limit them.
pub const ZERO_SIZED_LIMIT: usize = 1_000;

/// The description of a type, as a value. Clones share their parts.
///
/// A recursive type refers to itself through [`Recursive`](Self::Recursive), which names an
/// enclosing type by its repository id. Equality is that of `TypeCode::equal`: names and aliases
/// count. [`is_equivalent`](Self::is_equivalent) ignores both.
///
/// ```
/// use armilla_cdr::{TypeCode, Typed};
///
/// let point = TypeCode::structure("IDL:Point:1.0", "Point", [("x", TypeCode::Long)]);
/// let alias = TypeCode::alias("IDL:Position:1.0", "Position", point.clone());
/// assert!(alias != point && alias.is_equivalent(&point));
/// assert_eq!(Vec::<f64>::type_code(), TypeCode::sequence(TypeCode::Double, 0));
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum TypeCode {
    /// No type: the type of an empty [`Any`](crate::Any).
    #[default]
    Null,
    /// The result type of an operation without a result.
    Void,
    /// `short`.
    Short,
    /// `long`.
    Long,
    /// `unsigned short`.
    UShort,
    /// `unsigned long`.
    ULong,
    /// `float`.
    Float,
    /// `double`.
    Double,
    /// `boolean`.
    Boolean,
    /// `char`.
    Char,
    /// `octet`.
    Octet,
    /// `any`.
    Any,
    /// `TypeCode`.
    TypeCode,
    /// `Principal`, which CORBA 2.3 deprecated.
    Principal,
    /// `long long`.
    LongLong,
    /// `unsigned long long`.
    ULongLong,
    /// `long double`.
    LongDouble,
    /// `wchar`.
    WChar,
    /// `string` with its bound, 0 for none.
    String(u32),
    /// `wstring` with its bound, 0 for none.
    WString(u32),
    /// `fixed`.
    Fixed {
        /// The number of decimal digits.
        digits: u16,
        /// The number of digits behind the point.
        scale: i16,
    },
    /// A reference to an object with this interface.
    ObjectReference(Arc<NamedCode>),
    /// An abstract interface.
    AbstractInterface(Arc<NamedCode>),
    /// A local interface.
    LocalInterface(Arc<NamedCode>),
    /// A native type.
    Native(Arc<NamedCode>),
    /// A reference to a component.
    Component(Arc<NamedCode>),
    /// A reference to a component home.
    Home(Arc<NamedCode>),
    /// A struct.
    Struct(Arc<StructCode>),
    /// An exception.
    Exception(Arc<StructCode>),
    /// A union.
    Union(Arc<UnionCode>),
    /// An enum.
    Enum(Arc<EnumCode>),
    /// A sequence: its element type and its bound, 0 for none.
    Sequence(Arc<TypeCode>, u32),
    /// An array of one dimension: its element type and its length.
    Array(Arc<TypeCode>, u32),
    /// A typedef.
    Alias(Arc<AliasCode>),
    /// A valuetype.
    Value(Arc<ValueCode>),
    /// An event type: a valuetype that components emit and consume.
    Event(Arc<ValueCode>),
    /// A boxed valuetype.
    ValueBox(Arc<AliasCode>),
    /// A reference to an enclosing type, by its repository id.
    Recursive(Arc<str>),
}

/// The parameters of a type without parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCode {
    /// The repository id.
    pub id: String,
    /// The name without its scopes; may be empty.
    pub name: String,
}

/// A struct or an exception.
#[derive(Debug, Clone)]
pub struct StructCode {
    /// The repository id.
    pub id: String,
    /// The name without its scopes; may be empty.
    pub name: String,
    /// The members, in order.
    pub members: Vec<MemberCode>,
}

/// A member of a struct or an exception.
#[derive(Debug, Clone)]
pub struct MemberCode {
    /// The name; may be empty.
    pub name: String,
    /// The type.
    pub ty: TypeCode,
}

/// A union.
#[derive(Debug, Clone)]
pub struct UnionCode {
    /// The repository id.
    pub id: String,
    /// The name without its scopes; may be empty.
    pub name: String,
    /// The type of the discriminator.
    pub discriminator: TypeCode,
    /// The index of the default case.
    pub default: Option<u32>,
    /// The cases, one for each label.
    pub cases: Vec<CaseCode>,
    /// The indices of the cases by label. The cases with one label are in order.
    order: Vec<u32>,
}

/// A case of a union.
#[derive(Debug, Clone)]
pub struct CaseCode {
    /// The label as a number: of an integer, character, boolean or enumerator. The label of a
    /// default case has no meaning.
    pub label: i64,
    /// The name of the member; may be empty.
    pub name: String,
    /// The type of the member.
    pub ty: TypeCode,
}

/// An enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnumCode {
    /// The repository id.
    pub id: String,
    /// The name without its scopes; may be empty.
    pub name: String,
    /// The enumerators, in order.
    pub enumerators: Vec<String>,
}

/// A typedef or a boxed valuetype.
#[derive(Debug, Clone)]
pub struct AliasCode {
    /// The repository id.
    pub id: String,
    /// The name without its scopes; may be empty.
    pub name: String,
    /// The original type, or the content of the box.
    pub ty: TypeCode,
}

/// A valuetype.
#[derive(Debug, Clone)]
pub struct ValueCode {
    /// The repository id.
    pub id: String,
    /// The name without its scopes; may be empty.
    pub name: String,
    /// The modifier: `VM_NONE` 0, `VM_CUSTOM` 1, `VM_ABSTRACT` 2, `VM_TRUNCATABLE` 3.
    pub modifier: i16,
    /// The concrete base, or [`TypeCode::Null`].
    pub base: TypeCode,
    /// The state members, in order.
    pub members: Vec<StateCode>,
}

/// A state member of a valuetype.
#[derive(Debug, Clone)]
pub struct StateCode {
    /// The name; may be empty.
    pub name: String,
    /// The type.
    pub ty: TypeCode,
    /// Whether it is public.
    pub public: bool,
}

impl TypeCode {
    /// A sequence of `element` with at most `bound` elements; 0 for no bound.
    pub fn sequence(element: Self, bound: u32) -> Self {
        Self::Sequence(Arc::new(element), bound)
    }

    /// An array of `length` elements.
    pub fn array(element: Self, length: u32) -> Self {
        Self::Array(Arc::new(element), length)
    }

    /// A map of at most `bound` pairs; 0 for no bound. TypeCodes have no kind for maps, so the
    /// result is a sequence of structs without a name.
    pub fn map(key: Self, value: Self, bound: u32) -> Self {
        Self::sequence(Self::structure("", "", [("key", key), ("value", value)]), bound)
    }

    /// A reference to an object with the interface `id`.
    pub fn object_reference(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self::ObjectReference(Arc::new(NamedCode { id: id.into(), name: name.into() }))
    }

    /// A struct with these members.
    pub fn structure<M: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        members: impl IntoIterator<Item = (M, Self)>,
    ) -> Self {
        Self::Struct(Arc::new(StructCode::new(id, name, members)))
    }

    /// An exception with these members.
    pub fn exception<M: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        members: impl IntoIterator<Item = (M, Self)>,
    ) -> Self {
        Self::Exception(Arc::new(StructCode::new(id, name, members)))
    }

    /// A union with this discriminator. A case consists of a label, a name and a type; `default` is
    /// the index of the default case, whose label is ignored.
    pub fn union<M: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        discriminator: Self,
        default: Option<u32>,
        cases: impl IntoIterator<Item = (i64, M, Self)>,
    ) -> Self {
        let case = |(label, name, ty): (i64, M, Self)| CaseCode { label, name: name.into(), ty };
        let cases = cases.into_iter().map(case).collect();
        Self::Union(Arc::new(UnionCode::new(id.into(), name.into(), discriminator, default, cases)))
    }

    /// An enum with these enumerators.
    pub fn enumeration<E: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        enumerators: impl IntoIterator<Item = E>,
    ) -> Self {
        let enumerators = enumerators.into_iter().map(Into::into).collect();
        Self::Enum(Arc::new(EnumCode { id: id.into(), name: name.into(), enumerators }))
    }

    /// A typedef of `ty`.
    pub fn alias(id: impl Into<String>, name: impl Into<String>, ty: Self) -> Self {
        Self::Alias(Arc::new(AliasCode { id: id.into(), name: name.into(), ty }))
    }

    /// A reference to the enclosing type with this repository id.
    pub fn recursive(id: impl Into<Arc<str>>) -> Self {
        Self::Recursive(id.into())
    }

    /// The repository id, if the type has one.
    pub fn id(&self) -> Option<&str> {
        Some(match self {
            Self::ObjectReference(code)
            | Self::AbstractInterface(code)
            | Self::LocalInterface(code)
            | Self::Component(code)
            | Self::Home(code)
            | Self::Native(code) => &code.id,
            Self::Struct(code) | Self::Exception(code) => &code.id,
            Self::Union(code) => &code.id,
            Self::Enum(code) => &code.id,
            Self::Alias(code) | Self::ValueBox(code) => &code.id,
            Self::Value(code) | Self::Event(code) => &code.id,
            Self::Recursive(id) => id,
            _ => return None,
        })
    }

    /// The type without the aliases around it.
    pub fn resolved(&self) -> &Self {
        let mut code = self;
        while let Self::Alias(alias) = code {
            code = &alias.ty;
        }
        code
    }

    /// What identifies clones of this code. `None` for kinds without shared parameters.
    pub(crate) fn identity(&self) -> Option<Identity> {
        fn of<T: ?Sized>(shared: &Arc<T>) -> (usize, u32) {
            (Arc::as_ptr(shared).cast::<u8>().addr(), 0)
        }
        let (address, bound) = match self {
            Self::ObjectReference(code)
            | Self::AbstractInterface(code)
            | Self::LocalInterface(code)
            | Self::Native(code)
            | Self::Component(code)
            | Self::Home(code) => of(code),
            Self::Struct(code) | Self::Exception(code) => of(code),
            Self::Union(code) => of(code),
            Self::Enum(code) => of(code),
            Self::Sequence(code, bound) | Self::Array(code, bound) => (of(code).0, *bound),
            Self::Alias(code) | Self::ValueBox(code) => of(code),
            Self::Value(code) | Self::Event(code) => of(code),
            _ => return None,
        };
        Some(Identity { address, kind: self.kind()?, bound })
    }
}

/// The identity of a TypeCode: the address of its shared parts, and the parameters outside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Identity {
    address: usize,
    kind: TypeCodeKind,
    bound: u32,
}

impl Key for Identity {
    fn number(self) -> (usize, u64) {
        (self.address, u64::from(self.kind as u32) << 32 | u64::from(self.bound))
    }
}

impl UnionCode {
    fn new(
        id: String,
        name: String,
        discriminator: TypeCode,
        default: Option<u32>,
        cases: Vec<CaseCode>,
    ) -> Self {
        // A TypeCode has fewer parts than 32 bits can count.
        let labelled = (0..cases.len() as u32).filter(|index| Some(*index) != default);
        let mut order: Vec<u32> = labelled.collect();
        order.sort_by_key(|index| cases.get(*index as usize).map(|case| case.label));
        Self { id, name, discriminator, default, cases, order }
    }
}

impl StructCode {
    fn new<M: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        members: impl IntoIterator<Item = (M, TypeCode)>,
    ) -> Self {
        let member = |(name, ty): (M, TypeCode)| MemberCode { name: name.into(), ty };
        Self {
            id: id.into(),
            name: name.into(),
            members: members.into_iter().map(member).collect(),
        }
    }
}
