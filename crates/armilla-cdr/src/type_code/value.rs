//! The TypeCodes of valuetypes, boxed values, abstract interfaces, components and homes, as
//! generated code creates them.

use super::{AliasCode, NamedCode, StateCode, TypeCode, ValueCode};
use alloc::string::String;
use alloc::sync::Arc;

impl TypeCode {
    /// A valuetype. `modifier` is one of those in [`ValueCode`]. `base` is [`Null`](Self::Null) if
    /// there is no concrete base. A member consists of its name, its type, and whether it is
    /// public.
    pub fn value<M: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        modifier: i16,
        base: Self,
        members: impl IntoIterator<Item = (M, Self, bool)>,
    ) -> Self {
        Self::Value(Arc::new(ValueCode::new(id, name, modifier, base, members)))
    }

    /// An event type. The parameters are those of [`value`](Self::value).
    pub fn event<M: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        modifier: i16,
        base: Self,
        members: impl IntoIterator<Item = (M, Self, bool)>,
    ) -> Self {
        Self::Event(Arc::new(ValueCode::new(id, name, modifier, base, members)))
    }

    /// A boxed value with this content.
    pub fn value_box(id: impl Into<String>, name: impl Into<String>, ty: Self) -> Self {
        Self::ValueBox(Arc::new(AliasCode { id: id.into(), name: name.into(), ty }))
    }

    /// An abstract interface.
    pub fn abstract_interface(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self::AbstractInterface(Arc::new(NamedCode { id: id.into(), name: name.into() }))
    }

    /// A reference to a component.
    pub fn component(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self::Component(Arc::new(NamedCode { id: id.into(), name: name.into() }))
    }

    /// A reference to a component home.
    pub fn home(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self::Home(Arc::new(NamedCode { id: id.into(), name: name.into() }))
    }

    /// Whether its values are valuetypes, whose sharing is preserved.
    pub const fn is_valuetype(&self) -> bool {
        matches!(self, Self::Value(_) | Self::Event(_) | Self::ValueBox(_))
    }

    /// Whether this type inherits from `base`, as far as the TypeCode tells: a valuetype through
    /// its concrete bases. Every valuetype inherits from `ValueBase`, and every interface that is
    /// neither abstract nor local inherits from `Object`.
    pub fn is_derived_from(&self, base: &Self) -> bool {
        if let Self::ObjectReference(wanted) = base.resolved() {
            return wanted.id == OBJECT && self.resolved().is_reference();
        }
        let (Self::Value(wanted) | Self::Event(wanted)) = base.resolved() else { return false };
        if wanted.id == VALUE_BASE {
            return self.resolved().is_valuetype();
        }
        let mut code = self.resolved();
        while let Self::Value(value) | Self::Event(value) = code {
            code = value.base.resolved();
            if code.id().is_some_and(|id| id == wanted.id) {
                return true;
            }
        }
        false
    }

    /// Whether its values are object references.
    const fn is_reference(&self) -> bool {
        matches!(self, Self::ObjectReference(_) | Self::Component(_) | Self::Home(_))
    }
}

impl ValueCode {
    fn new<M: Into<String>>(
        id: impl Into<String>,
        name: impl Into<String>,
        modifier: i16,
        base: TypeCode,
        members: impl IntoIterator<Item = (M, TypeCode, bool)>,
    ) -> Self {
        let member =
            |(name, ty, public): (M, TypeCode, bool)| StateCode { name: name.into(), ty, public };
        let members = members.into_iter().map(member).collect();
        Self { id: id.into(), name: name.into(), modifier, base, members }
    }
}

/// The repository id of the base of all interfaces.
const OBJECT: &str = "IDL:omg.org/CORBA/Object:1.0";

/// The repository id of the base of all valuetypes.
const VALUE_BASE: &str = "IDL:omg.org/CORBA/ValueBase:1.0";
