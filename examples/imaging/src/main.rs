//! `armilla-imaging`: image servers, a locator, and a viewer on the command line.

#![forbid(unsafe_code)]

mod commands;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().collect();
    let orb = match armilla::Orb::builder().take_arguments(&mut arguments) {
        Ok(orb) => orb,
        Err(error) => return fail(&error.into()),
    };
    let level = std::env::var("ARMILLA_LOG").ok().and_then(|level| level.parse().ok());
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level.unwrap_or(tracing::Level::WARN))
        .init();
    match commands::Command::parse_from(arguments).run(orb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

fn fail(error: &commands::Failure) -> ExitCode {
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
