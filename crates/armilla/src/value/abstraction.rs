//! `ValueBase`, and abstract interfaces: a value or an object reference.

use super::{Kind, Value, Valuetype};
use crate::object::Ref;
use crate::server::Interface;
use armilla_cdr::type_code::ValueCode;
use armilla_cdr::value::Nullable;
use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder, TypeCode, Typed};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The base of all valuetypes: a `Value<ValueBase>` is a value of any type.
///
/// To receive one, the program must register its type; see
/// [`Orb::register_value`](crate::Orb::register_value).
#[derive(Debug)]
pub enum ValueBase {}

/// A value of any type, or null.
pub type ValueBaseRef = Option<Value<ValueBase>>;

impl Valuetype for ValueBase {
    const REPOSITORY_ID: &'static str = "IDL:omg.org/CORBA/ValueBase:1.0";
    const FAMILY: &'static [Kind] = &[];
}

impl Typed for ValueBase {
    fn type_code() -> TypeCode {
        TypeCode::Value(Arc::new(ValueCode {
            id: Self::REPOSITORY_ID.to_owned(),
            name: "ValueBase".to_owned(),
            modifier: 0,
            base: TypeCode::Null,
            members: Vec::new(),
        }))
    }
}

/// The type of parameters with an abstract interface: a reference to an object, or a value that
/// supports the interface (CORBA 3.4 Part 2, 9.3.7).
pub enum Abstract<I: ?Sized> {
    /// A reference to an object.
    Reference(Ref<I>),
    /// A value that supports the interface.
    Value(Value<I>),
}

impl<I: Interface + Valuetype + ?Sized> Nullable for Abstract<I> {
    fn encode_nullable<'p>(value: Option<&'p Self>, out: &mut Encoder<'p>) -> CdrResult {
        match value {
            Some(Self::Reference(reference)) if !reference.is_nil() => {
                out.put_bool(true);
                reference.encode(out)
            }
            Some(Self::Value(value)) => {
                out.put_bool(false);
                Nullable::encode_nullable(Some(value), out)
            }
            _ => {
                out.put_bool(false);
                out.put_null_value();
                Ok(())
            }
        }
    }

    fn decode_nullable(input: &mut Decoder<'_>) -> CdrResult<Option<Self>> {
        if !input.bool()? {
            return Ok(Nullable::decode_nullable(input)?.map(Self::Value));
        }
        let reference = Ref::decode(input)?;
        Ok((!reference.is_nil()).then_some(Self::Reference(reference)))
    }
}

impl<I: Interface + ?Sized> Typed for Abstract<I> {
    fn type_code() -> TypeCode {
        let reference = Ref::<I>::type_code();
        match &reference {
            TypeCode::ObjectReference(code) => TypeCode::AbstractInterface(code.clone()),
            _ => reference,
        }
    }
}

impl<I: ?Sized> From<Ref<I>> for Abstract<I> {
    fn from(reference: Ref<I>) -> Self {
        Self::Reference(reference)
    }
}

impl<I: ?Sized> From<Value<I>> for Abstract<I> {
    fn from(value: Value<I>) -> Self {
        Self::Value(value)
    }
}

impl<I: ?Sized> Clone for Abstract<I> {
    fn clone(&self) -> Self {
        match self {
            Self::Reference(reference) => Self::Reference(reference.clone()),
            Self::Value(value) => Self::Value(value.clone()),
        }
    }
}

impl<I: ?Sized> PartialEq for Abstract<I> {
    /// Whether both are the same value, or refer to the same object.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Reference(a), Self::Reference(b)) => a == b,
            (Self::Value(a), Self::Value(b)) => a == b,
            _ => false,
        }
    }
}

impl<I: ?Sized> Eq for Abstract<I> {}

impl<I: ?Sized> Hash for Abstract<I> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Self::Reference(reference) => reference.hash(state),
            Self::Value(value) => value.hash(state),
        }
    }
}

impl<I: ?Sized> fmt::Debug for Abstract<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reference(reference) => reference.fmt(f),
            Self::Value(value) => value.fmt(f),
        }
    }
}
