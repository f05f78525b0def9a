//! Images from end to end.

mod cache;
mod common;
mod images;
mod web;
