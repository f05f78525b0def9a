//! How values travel to and from interfaces that are called by number: as the IDL of COM says, or as the
//! chapter says of a type of CORBA (CORBA 2.3, 18.2).

use armilla::TypeCode;
use armilla_dcerpc::Uuid;
use armilla_idl::model::{ComBase, ComDefinition, ComType, DeclId, DeclKind, Model};
use std::sync::Arc;

/// How a value travels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    I1,
    U1,
    I2,
    U2,
    I4,
    U4,
    I8,
    U8,
    R4,
    R8,
    VariantBool,
    Date,
    Currency,
    Decimal,
    Guid,
    Bstr,
    WideString,
    Variant,
    SafeArray,
    /// An object of which nothing more is known.
    Interface,
    /// An object with an interface.
    Object(Uuid),
    Struct(Arc<[Shape]>),
    /// An array whose size travels with it.
    Array(Arc<Shape>),
    /// An array whose size and length travel with it.
    Varying(Arc<Shape>),
    Fixed(Arc<Shape>, u32),
    /// A pointer that may be null.
    Unique(Arc<Shape>),
    /// A sequence of CORBA: a struct with the size, the length, and a pointer to the elements.
    Sequence(Arc<Shape>),
}

/// Deeper types travel as objects with properties.
const DEEPEST: usize = 16;

impl Shape {
    pub(crate) fn unique(self) -> Self {
        Self::Unique(Arc::new(self))
    }

    /// What a sequence is for COM.
    pub(crate) fn members_of_sequence(element: &Arc<Self>) -> [Self; 3] {
        [Self::U4, Self::U4, Self::Varying(element.clone()).unique()]
    }

    /// How a type of an interface of COM travels; `None` if no value of CORBA is like it: unions, octets
    /// in no code set, and what contains itself.
    pub(crate) fn of_com(model: &Model, ty: &ComType, depth: usize) -> Option<Self> {
        if depth > DEEPEST {
            return None;
        }
        let of = |ty: &ComType| Self::of_com(model, ty, depth + 1).map(Arc::new);
        Some(match ty {
            ComType::I1 => Self::I1,
            ComType::U1 => Self::U1,
            ComType::I2 => Self::I2,
            ComType::U2 => Self::U2,
            ComType::I4 => Self::I4,
            ComType::U4 => Self::U4,
            ComType::I8 => Self::I8,
            ComType::U8 => Self::U8,
            ComType::R4 => Self::R4,
            ComType::R8 => Self::R8,
            ComType::VariantBool => Self::VariantBool,
            ComType::Guid => Self::Guid,
            ComType::Date => Self::Date,
            ComType::Currency => Self::Currency,
            ComType::Decimal => Self::Decimal,
            ComType::Bstr => Self::Bstr,
            ComType::Variant => Self::Variant,
            ComType::SafeArray => Self::SafeArray,
            ComType::WideString => Self::WideString,
            ComType::Object(Some(ComBase::Interface(id))) => {
                iid_of(model, *id).map_or(Self::Interface, Self::Object)
            }
            ComType::Object(_) => Self::Interface,
            ComType::Unique(ty) => Self::Unique(of(ty)?),
            ComType::Array(ty) => Self::Array(of(ty)?),
            ComType::Varying(ty) => Self::Varying(of(ty)?),
            ComType::Fixed(ty, count) => Self::Fixed(of(ty)?, *count),
            ComType::Struct(id) | ComType::Enum(id) => match &model.get(*id).kind {
                DeclKind::ComType(ComDefinition::Struct(fields)) => {
                    // An array of any size within a struct has no counterpart.
                    let open = |ty: &ComType| matches!(ty, ComType::Array(_) | ComType::Varying(_));
                    if fields.last().is_some_and(|last| open(&last.ty)) {
                        return None;
                    }
                    let members = fields.iter().map(|it| Self::of_com(model, &it.ty, depth + 1));
                    Self::Struct(members.collect::<Option<Arc<[Self]>>>()?)
                }
                DeclKind::ComType(ComDefinition::Enum(data)) if !data.wide => Self::U2,
                _ => Self::I4,
            },
            ComType::NarrowString
            | ComType::Full(_)
            | ComType::Reference(_)
            | ComType::Union(_) => return None,
        })
    }

    /// How a value of CORBA travels; `None` if nothing in COM is like it.
    pub(crate) fn of_corba(code: &TypeCode, view: &dyn Fn(&str) -> Uuid) -> Option<Self> {
        match Self::plain(code, view, 0) {
            Err(Unlike::Nothing) => None,
            Err(Unlike::Plain) => Some(Self::Variant),
            Ok(shape) => Some(shape),
        }
    }

    fn plain(code: &TypeCode, view: &dyn Fn(&str) -> Uuid, depth: usize) -> Result<Self, Unlike> {
        if depth == DEEPEST {
            return Err(Unlike::Plain);
        }
        let of = |code: &TypeCode| Self::plain(code, view, depth + 1);
        Ok(match code.resolved() {
            TypeCode::Short => Self::I2,
            TypeCode::UShort | TypeCode::WChar => Self::U2,
            TypeCode::Long | TypeCode::Enum(_) => Self::I4,
            TypeCode::ULong => Self::U4,
            TypeCode::LongLong => Self::I8,
            TypeCode::ULongLong => Self::U8,
            TypeCode::Float => Self::R4,
            TypeCode::Double => Self::R8,
            TypeCode::Boolean | TypeCode::Octet | TypeCode::Char => Self::U1,
            TypeCode::String(_) | TypeCode::WString(_) => Self::WideString.unique(),
            TypeCode::Fixed { .. } => Self::Decimal,
            TypeCode::ObjectReference(named)
            | TypeCode::Component(named)
            | TypeCode::Home(named) => Self::Object(view(&named.id)),
            TypeCode::Struct(data) | TypeCode::Exception(data) => {
                let members = data.members.iter().map(|member| of(&member.ty));
                Self::Struct(members.collect::<Result<_, _>>()?)
            }
            TypeCode::Sequence(element, _) => Self::Sequence(Arc::new(of(element)?)),
            TypeCode::Array(element, count) => Self::Fixed(Arc::new(of(element)?), *count),
            // What a script sees of them is what there is of them.
            TypeCode::Any | TypeCode::Union(_) | TypeCode::TypeCode => Self::Variant,
            TypeCode::Recursive(_) => return Err(Unlike::Plain),
            _ => return Err(Unlike::Nothing),
        })
    }
}

/// Why a type does not travel as it is.
enum Unlike {
    /// It contains itself, or is too deep: it travels as a value of Automation.
    Plain,
    /// It does not travel.
    Nothing,
}

/// The IID of an interface of COM.
pub(crate) fn iid_of(model: &Model, id: DeclId) -> Option<Uuid> {
    match &model.get(id).kind {
        DeclKind::Com(interface) => interface.iid.parse().ok(),
        _ => None,
    }
}
