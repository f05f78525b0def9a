//! Functions that the programs in `src/bin` share.

use std::fmt::Display;
use std::process::ExitCode;
use std::time::Instant;

/// The exit code for an outcome; prints an error to standard error.
pub fn exit_code(outcome: Result<(), impl Display>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the mean time in microseconds of `count` calls since `started`.
pub fn print_average(started: Instant, count: u32) {
    println!("{:.2} µs", started.elapsed().as_secs_f64() * 1e6 / f64::from(count.max(1)));
}
