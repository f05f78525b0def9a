//! The laboratory: the published experiments, and a test of networks. `armilla bench` and `armilla
//! ttcp` start it.

#![forbid(unsafe_code)]

mod bench;
mod ttcp;

use armilla_terminal::{Failure, Outcome};
use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Measure the object request broker, its peers and networks
#[derive(Debug, Parser)]
#[command(version, name = "armilla-lab", bin_name = "armilla")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Bench(bench::Bench),
    Ttcp(ttcp::Ttcp),
}

fn main() -> ExitCode {
    let arguments: Vec<String> = match std::env::args_os().map(|word| word.into_string()).collect()
    {
        Ok(arguments) => arguments,
        Err(other) => return Failure::usage(format_args!("{other:?} is not UTF-8")).report(),
    };
    let outcome = bench::worker(arguments.get(1..).unwrap_or_default())
        .unwrap_or_else(|| run(&Arguments::parse_from(arguments).command));
    outcome.map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}

fn run(command: &Command) -> Outcome {
    match command {
        Command::Bench(bench) => bench::run(bench),
        Command::Ttcp(ttcp) => ttcp::run(ttcp),
    }
}
