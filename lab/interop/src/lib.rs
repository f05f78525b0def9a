//! The Rust side of the interop suite: the server and the client of `Interop::Echo`, and the runner
//! that pairs them with those of omniORB and JacORB.
//!
//! | module | contents |
//! |---|---|
//! | [`interop`], [`cos_naming`] | generated from `idl/interop*.idl` and `idl/CosNaming.idl` |
//! | [`servant`], [`exotics`] | the servants of the server |
//! | [`checks`] | the checks of the client, each printed on a line |
//! | [`runner`] | processes, temporary directories, the groups of checks of `lab/interop/run` |
//!
//! The programs are in `src/bin`. Those of omniORB and JacORB, in `lab/interop/omniorb` and
//! `lab/interop/jacorb`, have the same options and the same names of checks.

#![forbid(unsafe_code)]

pub mod checks;
mod counter;
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
