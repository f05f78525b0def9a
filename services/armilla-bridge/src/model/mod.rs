//! What the bridge knows without an ORB and without a network: IIDs of views, exceptions and
//! HRESULTs, values of both sides, members of interfaces.

mod description;
mod exceptions;
mod iid;
mod interface;
mod values;

pub use description::library;
pub use exceptions::{USER_EXCEPTION, hresult, system_exception, text};
pub use iid::{View, iid, repository_id};
pub use interface::{Interface, Member, given};
pub use values::{Crossing, Mismatch, from_variant, to_variant, type_of};
pub(crate) use values::{
    boolean, character, decimal, digits, integer, number, text as text_of, wrong,
};
