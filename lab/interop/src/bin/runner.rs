//! Runs the interop suite. All of its programs must have been built; see `lab/interop/run`.

use armilla_interop::runner::{self, Expected};
use std::error::Error;
use std::process::ExitCode;

const USAGE: &str = "\
usage: runner [--report | FILTER]
  --report  write docs/interop.md
  FILTER    a part of the names of the groups that shall run";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (filter, report) = match arguments.as_slice() {
        [] => ("", false),
        [option] if option == "--report" => ("", true),
        [filter] if !filter.starts_with('-') => (filter.as_str(), false),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(filter, report) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("FAILED runner: {error}\n0 passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}

/// Whether all groups passed.
fn run(filter: &str, report: bool) -> Result<bool, Box<dyn Error>> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/expected-failures.txt");
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let expected: Expected = text.parse().map_err(|error| format!("{path}, {error}"))?;
    runner::all(filter, expected, report)
}
