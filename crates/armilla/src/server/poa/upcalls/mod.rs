//! From an object id to a call of its servant.

pub(super) mod existence;
pub(super) mod extension;
pub(super) mod found;
pub(super) mod kept;
pub(super) mod located_servant;
pub(super) mod upcall;
