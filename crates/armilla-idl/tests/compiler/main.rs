//! The IDL compiler: its front end, formatter and back end, from text to Rust.

mod build;
mod collisions;
mod diff;
mod explain;
mod format;
mod golden;
mod hostile;
mod mapping;
mod options;
mod outline;
mod rust;
mod rust_errors;
mod rust_options;
mod rust_roles;
