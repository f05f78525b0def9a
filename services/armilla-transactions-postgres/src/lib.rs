#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod branch;
mod database;
mod endings;
mod error;
mod sessions;

pub use database::{Database, DatabaseBuilder};
pub use error::DatabaseError;
pub use postgres;
