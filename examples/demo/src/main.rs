//! `cargo run --release -p armilla-demo`: the demonstration as a program of its own.

#![forbid(unsafe_code)]

use armilla_demo::{Demo, demonstrate, run_process};
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Runs a client and a server process, and measures their calls against plain sockets

Usage: armilla-demo [--json FILE]

  --json FILE   also write the figures to FILE, as JSON";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if let Some(ended) = run_process(&arguments) {
        return exit_code(ended);
    }
    let mut demo = Demo::default();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match (argument.to_str(), arguments.len()) {
            (Some("--json"), 1..) => demo.json = arguments.next().map(PathBuf::from),
            (Some("--quick"), _) => demo.quick = true,
            (Some("-h" | "--help"), _) => {
                println!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            _ => {
                eprintln!("error: {} is not understood\n\n{USAGE}", argument.display());
                return ExitCode::from(2);
            }
        }
    }
    exit_code(demonstrate(&demo))
}

fn exit_code(succeeded: bool) -> ExitCode {
    ExitCode::from(u8::from(!succeeded))
}
