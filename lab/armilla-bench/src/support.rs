//! Functions that the programs in `src/bin` share.

use armilla::{Orb, OrbBuilder, SameHost, SystemException};
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

/// A server at a free port of the loopback interface that is called over TCP, on this host, too.
///
/// # Errors
/// Those of [`OrbBuilder::listen`].
pub fn over_tcp() -> Result<OrbBuilder, SystemException> {
    let builder = Orb::builder().settings(|settings| settings.same_host = SameHost::Off);
    builder.listen("iiop://127.0.0.1:0")
}
