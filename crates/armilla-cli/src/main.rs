//! The `armilla` command: its arguments and how it ends. Each subcommand is a module of its own,
//! thin over the libraries.

#![forbid(unsafe_code)]

mod allocations;
mod bench;
mod call;
mod demo;
mod failure;
mod idl;
mod ifr;
mod interrupt;
mod ior;
mod naming;
mod orb;
mod output;
mod ping;
mod ttcp;

use clap::{Parser, Subcommand};
use failure::{Failure, Outcome};
use orb::OrbArguments;
use std::process::ExitCode;
use tracing_subscriber::filter::LevelFilter;

/// Tools of the Armilla object request broker.
///
/// Where a REF is asked for, an IOR:…, corbaloc:…, corbaname:… or file://… will do. The -ORB…
/// options of the ORB, such as -ORBInitRef NAME=URL, may stand anywhere.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Log more; twice for even more. ARMILLA_LOG=error|warn|info|debug|trace sets the level too
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Let two processes call each other, and measure against plain sockets
    Demo(demo::Demo),
    Bench(bench::Bench),
    Ttcp(ttcp::Ttcp),
    /// Compile, check, format and compare IDL files, or serve an editor
    #[command(subcommand)]
    Idl(idl::Idl),
    /// Call an operation with arguments in JSON
    Call(call::Call),
    /// Serve an interface repository, or look into one
    #[command(subcommand)]
    Ifr(ifr::Ifr),
    /// Tell what a reference contains
    Ior(ior::ReadIor),
    /// Ask whether an object is there, and how long it takes to answer
    Ping(ping::Ping),
    /// Look into a naming service and change what is in it
    #[command(subcommand)]
    Naming(naming::Naming),
    #[command(hide = true)]
    DemoServer(demo::server::Arguments),
    #[command(hide = true)]
    DemoClient(demo::client::Arguments),
}

fn main() -> ExitCode {
    let arguments: Result<Vec<String>, _> =
        std::env::args_os().map(|argument| argument.into_string()).collect();
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(other) => return Failure::usage(format_args!("{other:?} is not UTF-8")).report(),
    };
    if let Some(outcome) = bench::worker(arguments.get(1..).unwrap_or_default()) {
        return outcome.map_or_else(Failure::report, |()| ExitCode::SUCCESS);
    }
    let (orb_arguments, arguments) = orb::split_arguments(arguments);
    let arguments = Arguments::parse_from(arguments);
    match logging(arguments.verbose).and_then(|()| run(&arguments.command, &orb_arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(command: &Command, orb: &OrbArguments) -> Outcome {
    // The experiments choose for themselves, and the others have no ORB.
    if matches!(command, Command::Bench(_) | Command::Ttcp(_) | Command::Demo(_) | Command::Idl(_))
    {
        orb.refuse()?;
    }
    match command {
        Command::Demo(demo) => demo::run(demo),
        Command::Bench(bench) => bench::run(bench),
        Command::Ttcp(ttcp) => ttcp::run(ttcp),
        Command::Idl(idl) => idl::run(idl),
        Command::Call(call) => call::run(call, orb),
        Command::Ifr(ifr) => ifr::run(ifr, orb),
        Command::Ior(ior) => ior::run(ior, orb),
        Command::Ping(ping) => ping::run(ping, orb),
        Command::Naming(naming) => naming::run(naming, orb),
        Command::DemoServer(arguments) => demo::server::run(arguments),
        Command::DemoClient(arguments) => demo::client::run(arguments),
    }
}

/// Sends what the libraries log to standard error: warnings, unless told otherwise.
fn logging(verbose: u8) -> Outcome {
    let level = match (verbose, std::env::var("ARMILLA_LOG")) {
        (0, Ok(level)) => level.parse().map_err(|_| {
            Failure::usage(format!("ARMILLA_LOG={level}: one of error, warn, info, debug, trace"))
        })?,
        (0, Err(_)) => LevelFilter::WARN,
        (1, _) => LevelFilter::INFO,
        (2, _) => LevelFilter::DEBUG,
        (3.., _) => LevelFilter::TRACE,
    };
    tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).init();
    Ok(())
}
