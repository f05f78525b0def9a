//! Commands of the laboratory, which is a program of its own: `armilla bench` and `armilla ttcp` run
//! `armilla-lab`, so that the command stays small.

use armilla_terminal::{Context, Failure, Outcome};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// The name of the program.
const PROGRAM: &str = "armilla-lab";

/// Arguments that the laboratory reads.
#[derive(Debug, clap::Args)]
pub(crate) struct Passed {
    /// What `armilla-lab` takes; --help lists it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Becomes the laboratory: the one beside this executable, or else the first on the search path.
pub(crate) fn run(command: &str, passed: &Passed) -> Outcome {
    let beside = std::env::current_exe().ok().map(|myself| myself.with_file_name(PROGRAM));
    let program = beside.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(PROGRAM));
    let error = Command::new(program).arg(command).args(&passed.arguments).exec();
    match error.kind() {
        ErrorKind::NotFound => Err(Failure::because(format_args!(
            "{command} is a command of {PROGRAM}, which is not installed: cargo install \
             armilla-bench"
        ))),
        _ => Err(error).context(format_args!("cannot start {PROGRAM}")),
    }
}
