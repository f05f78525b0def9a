//! Valuetypes: objects that are passed by value, together with all values that they refer to.
//!
//! A [`Value`] is a handle; clones of it denote the same value. The IDL compiler generates the
//! state of a valuetype as a struct, and implements the traits of this module for it. The
//! submodules are:
//!
//! * `handle`: the handle, with which a program uses a value.
//! * `shared`: the state that the handles of a value share.
//! * `marshal`: encoding and decoding, and the choice of the type of a received value.
//! * `stack`: the stack budget for nested values.
//! * `cycles`: the collector for cycles of values.
//! * `registry`: the types that a program registers.
//! * `abstraction`: `ValueBase` and abstract interfaces.

mod abstraction;
mod cycles;
mod handle;
mod marshal;
mod registry;
mod shared;
mod stack;

pub use abstraction::{Abstract, ValueBase, ValueBaseRef};
pub use handle::{Snapshot, Value};
pub(crate) use registry::Values;
pub use shared::Kind;

use armilla_cdr::{CdrResult, Decode, Decoder, Encode, Encoder, Typed};
use std::any::{Any, TypeId};

/// The type of a value: a valuetype, a boxed value, `ValueBase`, or an abstract interface as
/// `dyn Trait`. The IDL compiler implements it.
pub trait Valuetype: 'static {
    /// The repository id.
    const REPOSITORY_ID: &'static str;

    /// The concrete types of the same IDL file whose values are values of this type.
    const FAMILY: &'static [Kind];
}

/// A concrete valuetype. The Rust type is the state of its values. The IDL compiler implements it.
pub trait State:
    Valuetype + Typed + Clone + Encode + for<'a> Decode<'a> + Send + Sync + Sized
{
    /// The repository id, followed by the ids of the types to which a receiver that does not know
    /// the type may truncate a value, the nearest first.
    const IDS: &'static [&'static str];

    /// Whether the program marshals the state (`custom` in IDL).
    const CUSTOM: bool = false;

    /// Whether values of this type are also values of the type `other`.
    fn is(other: TypeId) -> bool;

    /// The state of the type `wanted` within the state of the base, if there is a base.
    fn base_part(&self, _wanted: TypeId) -> Option<&dyn Any> {
        None
    }

    /// The mutable form of [`base_part`](Self::base_part).
    fn base_part_mut(&mut self, _wanted: TypeId) -> Option<&mut dyn Any> {
        None
    }

    /// The state of the type `wanted` within this one: itself, or that of a base.
    fn part(&self, wanted: TypeId) -> Option<&dyn Any> {
        if wanted == TypeId::of::<Self>() { Some(self) } else { self.base_part(wanted) }
    }

    /// The mutable form of [`part`](Self::part).
    fn part_mut(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        if wanted == TypeId::of::<Self>() { Some(self) } else { self.base_part_mut(wanted) }
    }
}

/// The marshalling of the state of a `custom` valuetype. The program implements it for the struct
/// that the IDL compiler generates. `unmarshal` must read exactly the octets that `marshal` writes.
pub trait CustomMarshal: Sized {
    /// Writes the state.
    ///
    /// # Errors
    /// When the state cannot be encoded. The call then fails.
    fn marshal<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult;

    /// Reads the state. It must not access the state of a value that it reads: if that value refers
    /// back to this one, the decoder may not have completed it.
    ///
    /// # Errors
    /// When the octets are not a valid state. The call then fails.
    fn unmarshal(input: &mut Decoder<'_>) -> CdrResult<Self>;
}

/// Marks that values of this type are also values of `B`. The IDL compiler implements it.
pub trait Extends<B: ?Sized>: Valuetype {}

impl<T: Valuetype + ?Sized> Extends<ValueBase> for T {}
