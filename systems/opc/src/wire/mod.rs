//! The interfaces of OPC Data Access 2.05a and OPC Common 1.0, as tables.

pub(crate) mod async_io;
pub(crate) mod browse;
pub(crate) mod callback;
pub(crate) mod common;
pub(crate) mod enumerators;
pub(crate) mod group_state;
pub(crate) mod item_management;
pub(crate) mod list;
pub(crate) mod properties;
pub(crate) mod server;
pub(crate) mod sync_io;
mod types;

pub(crate) use types::{
    FileTime, ItemAttributes, ItemDefinition, ItemResult, ItemState, ServerStatus, boolean,
};

use armilla_dcerpc::ndr::{Conformant, Unique};

/// What `[out, size_is(, count)]` is: a pointer to an array.
pub(crate) type Array<T> = Unique<Conformant<T>>;

/// An array as a result.
pub(crate) fn array<T>(values: Vec<T>) -> Array<T> {
    Unique::new(values.into())
}

/// The elements of an array that came as a result; none if it is null.
pub(crate) fn elements<T>(array: Array<T>) -> Vec<T> {
    array.into_inner().map_or_else(Vec::new, |array| array.0)
}
