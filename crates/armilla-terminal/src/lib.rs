//! What commands share: how they fail, how they write to standard output, and how they end on
//! Ctrl-C.
//!
//! ```
//! use armilla_terminal::{Context, Outcome, say};
//!
//! fn run() -> Outcome {
//!     let release = std::fs::read_to_string("/proc/sys/kernel/osrelease");
//!     say!("Linux {}", release.context("cannot ask the kernel")?.trim())
//! }
//! # run().unwrap_or_else(|failure| { failure.report(); });
//! ```

#![forbid(unsafe_code)]

mod failure;
mod interrupt;
mod output;
mod text;

pub use failure::{Context, Failure, Outcome, complain};
pub use interrupt::{on_interrupt, unless_interrupted};
pub use output::{outcome, print, print_bytes, print_log};
pub use text::{many_lines, one_line};
