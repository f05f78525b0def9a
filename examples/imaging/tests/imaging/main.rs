//! Images from end to end.

mod common;
mod images;
mod web;
