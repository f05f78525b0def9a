//! A client of an etcd cluster, by its JSON interface over HTTP: transactions, ranges and watches, as
//! services need them whose instances share a state. It blocks, and knows no ORB.

#![forbid(unsafe_code)]

mod address;
mod answers;
mod gateway;
mod user;

pub use address::parse_address;
pub use answers::{Event, KeyValue, Range, Txn, WatchResult};
pub use gateway::{Gateway, Unanswered, base64};
pub use user::ClusterUser;

/// Why an address, or the file of a user, cannot be read.
pub use armilla_store::StoreError as AddressError;

/// Compiles its examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
