//! The OMG IDL compiler: front end, diagnostics and Rust mapping.

pub mod model;
pub mod source;
