//! `armilla-imaging`: image servers, a locator, and a viewer on the command line.

#![forbid(unsafe_code)]

mod commands;

use armilla_tls::Tls;
use clap::Parser;
use std::process::ExitCode;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().collect();
    let orb = match armilla::Orb::builder().transport(Tls::new()).take_arguments(&mut arguments) {
        Ok(orb) => orb,
        Err(error) => return fail(&error.into()),
    };
    let level = std::env::var("ARMILLA_LOG").ok().and_then(|level| level.parse().ok());
    let level = level.unwrap_or(LevelFilter::WARN);
    // What the parsers say of a file is said again where it is refused, and may quote its values.
    let shown = Targets::new().with_default(level).with_target("dicom_", LevelFilter::ERROR);
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(level)
        .finish()
        .with(shown)
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
