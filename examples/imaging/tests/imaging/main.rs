//! Images from end to end.

mod cache;
mod common;
mod corpus;
mod images;
mod memory;
mod web;
