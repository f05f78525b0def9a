//! Transactions of a process: their table, and who carries out what the protocol wants.
//!
//! It knows no ORB: what is remote implements [`Resource`](crate::Resource).

mod calls;
mod counts;
mod drive;
mod entry;
mod helpers;
mod local;
mod silence;
mod table;
mod telling;
mod timer;

#[cfg(feature = "server")]
pub(crate) use counts::Counts;
pub(crate) use drive::Engine;
pub(crate) use entry::{Elsewhere, Entry, Host, lock, number_of};
pub(crate) use local::local_name;
pub(crate) use telling::call_limit;
