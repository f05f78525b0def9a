//! `armilla demo`: the demonstration, which is a crate of its own.

use armilla_terminal::{Failure, Outcome};
use std::path::PathBuf;

/// The arguments of `armilla demo`.
#[derive(Debug, clap::Args)]
pub(crate) struct Demo {
    /// Also write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure too little for meaningful figures
    #[arg(long, hide = true)]
    quick: bool,
}

pub(crate) fn run(demo: &Demo) -> Outcome {
    let demo = armilla_demo::Demo { json: demo.json.clone(), quick: demo.quick };
    armilla_demo::demonstrate(&demo).then_some(()).ok_or(Failure::Reported)
}
