//! Valuetypes: objects that are passed by value, with all that they lead to.
//!
//! A [`Value`] is a handle; clones of it are the same value. `handle` has what a program does with
//! values, `shared` what the handles share, `marshal` how values travel, `stack` where deep ones find
//! room, `cycles` frees those that nobody has any more, `abstraction` what is a value or a reference
//! as it turns out. What the IDL compiler makes of a valuetype is its state,
//! a struct, and what the traits stack_position ask for.

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

/// What values can be of: a valuetype, a box, `ValueBase`, or an abstract interface as `dyn Trait`.
/// The IDL compiler implements it.
pub trait Valuetype: 'static {
    /// The repository id.
    const REPOSITORY_ID: &'static str;

    /// The concrete types of the same IDL whose values are values of this type.
    const FAMILY: &'static [Kind];
}

/// A valuetype that values can be of without being of a more special one. The type itself is the
/// state of its values. The IDL compiler implements it.
pub trait State:
    Valuetype + Typed + Clone + Encode + for<'a> Decode<'a> + Send + Sync + Sized
{
    /// The repository id, and behind it those of the types to which a value may be truncated where
    /// its own is not known, the nearest first.
    const IDS: &'static [&'static str];

    /// Whether the program marshals its state.
    const CUSTOM: bool = false;

    /// Whether its values are also values of the other type.
    fn is(other: TypeId) -> bool;

    /// The state of the type `wanted` within that of the base, if there is a base.
    fn base_part(&self, _wanted: TypeId) -> Option<&dyn Any> {
        None
    }

    /// As [`base_part`](Self::base_part), to be changed.
    fn base_part_mut(&mut self, _wanted: TypeId) -> Option<&mut dyn Any> {
        None
    }

    /// The state of the type `wanted` within this one: itself, or that of a base.
    fn part(&self, wanted: TypeId) -> Option<&dyn Any> {
        if wanted == TypeId::of::<Self>() { Some(self) } else { self.base_part(wanted) }
    }

    /// As [`part`](Self::part), to be changed.
    fn part_mut(&mut self, wanted: TypeId) -> Option<&mut dyn Any> {
        if wanted == TypeId::of::<Self>() { Some(self) } else { self.base_part_mut(wanted) }
    }
}

/// How the state of a `custom` valuetype travels; the program implements it for the struct that the
/// IDL compiler makes of the valuetype. What it writes it must also read, to the last octet.
pub trait CustomMarshal: Sized {
    /// Writes the state.
    ///
    /// # Errors
    /// When it cannot be written; the call then fails.
    fn marshal<'p>(&'p self, out: &mut Encoder<'p>) -> CdrResult;

    /// Reads the state. A value that it reads may not have been read to its end yet, if it leads
    /// back to this one, so it must not be looked into.
    ///
    /// # Errors
    /// When the octets are no state; the call then fails.
    fn unmarshal(input: &mut Decoder<'_>) -> CdrResult<Self>;
}

/// Says that values of this type are values of `B`. The IDL compiler implements it.
pub trait Extends<B: ?Sized>: Valuetype {}

impl<T: Valuetype + ?Sized> Extends<ValueBase> for T {}
