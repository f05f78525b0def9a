//! What the small programs of `src/bin` have in common.

use std::fmt::Display;
use std::process::ExitCode;
use std::time::Instant;

/// How a program ends that came out like this; an error is told on the standard error output.
pub fn exit_code(outcome: Result<(), impl Display>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints how many microseconds each of `count` calls took on the average that began at `started`.
pub fn print_average(started: Instant, count: u32) {
    println!("{:.2} µs", started.elapsed().as_secs_f64() * 1e6 / f64::from(count.max(1)));
}
