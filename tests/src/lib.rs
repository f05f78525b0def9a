//! The common part of the tests: the Rust generated from `idl/*.idl`, a servant of `Probe`, ORBs on
//! the loopback interface, and scripted GIOP peers. The tests are in `tests`, in chapters: each is
//! one program, and each of its modules is about one feature.

#![forbid(unsafe_code)]

pub mod alone;
pub mod gate;
pub mod lines;
pub mod mirrors;
pub mod orbs;
pub mod peer;
pub mod process;
pub mod relay;
pub mod sealed;
pub mod servant;
pub mod speaker;

#[allow(missing_docs)]
mod idl {
    armilla::include_idl!("dynamic");
    armilla::include_idl!("frames");
    armilla::include_idl!("probe");
    armilla::include_idl!("texts");
    armilla::include_idl!("values");
}

/// What `idl/shapes.idl` declares; the tests of `shared_types` use it from a crate of its own.
#[allow(missing_docs)]
pub mod shared {
    armilla::include_idl!("shapes");
}

pub use idl::{dynamic, frames, older, probe, texts, values};
