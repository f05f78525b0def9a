//! The operations that every object has, over the calls of the rooms below.

mod interface;
mod object;
mod waiting;

pub(crate) use interface::interface_of;
pub(crate) use waiting::Waiting;
