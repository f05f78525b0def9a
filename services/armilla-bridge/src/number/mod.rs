//! Interfaces that are called by number: how their values travel ([`shape`], [`value`]), what these are in
//! CORBA ([`convert`]), and their methods ([`methods`]): those of a view, and those that the IDL of COM has.

mod convert;
mod methods;
mod midl;
mod shape;
mod value;

pub(crate) use convert::{from_value, to_value};
pub(crate) use methods::{Method, Numbered, Place, Raises};
pub(crate) use midl::midl;
pub(crate) use value::{Pointer, Value};
