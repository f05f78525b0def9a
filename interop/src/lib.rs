//! The Rust side of the interop suite: `Interop::Echo` served and called, and the runner that pairs
//! our programs with those of omniORB and JacORB.
//!
//! | module | what |
//! |---|---|
//! | [`interop`], [`cos_naming`] | generated from `idl/interop*.idl` and `idl/CosNaming.idl` |
//! | [`servant`], [`exotics`] | what the server serves |
//! | [`checks`] | what the client calls and expects, one line printed for each |
//! | [`runner`] | processes, temporary directories, the groups of checks of `interop/run` |
//!
//! The programs are in `src/bin`; those of omniORB and JacORB, with the same options and names of
//! checks, are in `interop/omniorb` and `interop/jacorb`.

#![forbid(unsafe_code)]

pub mod checks;
pub mod exotics;
pub mod fill;
mod operations;
pub mod report;
pub mod runner;
pub mod servant;

mod generated {
    armilla::include_idl!("interop");
    armilla::include_idl!("CosNaming");
}

pub use generated::{cos_naming, interop};
