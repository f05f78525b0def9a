//! The `armilla` command: its arguments and exit status. Each subcommand is a module of its own
//! that calls the libraries.

#![forbid(unsafe_code)]

mod access;
mod bridge;
mod call;
mod com;
mod demo;
mod events;
mod groups;
mod identity;
mod idl;
mod ifr;
mod imr;
mod input;
mod ior;
mod json_text;
mod laboratory;
mod lifecycle;
mod locks;
mod naming;
mod orb;
mod output;
mod passwd;
mod ping;
mod place;
mod progress;
mod properties;
mod rt;
mod schedule;
mod service;
mod time;
mod tls;
mod trader;
mod transactions;
mod values;

use armilla_ipc::outlive_file_limits;
use armilla_terminal::{Failure, Outcome, say};
use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use identity::login::LoginArguments;
use orb::OrbArguments;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::process::ExitCode;
use tracing_subscriber::filter::LevelFilter;

/// Tools of the Armilla object request broker
///
/// REF is an object reference: IOR:…, corbaloc:…, corbaname:… or file://…. The -ORB…
/// options of the ORB, such as -ORBInitRef NAME=URL, may appear anywhere on the command line;
/// `armilla help orb-options` lists them.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Log more: -v info, -vv debug, -vvv trace. Without -v, ARMILLA_LOG sets the level
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    verbose: u8,
    #[command(flatten)]
    login: LoginArguments,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what the rules of a server decide, and check them
    #[command(subcommand)]
    Access(access::Access),
    /// Run a client and a server process, and measure their calls against plain sockets
    Demo(demo::Demo),
    /// Repeat the published experiments on this machine (a program of its own: armilla-lab)
    #[command(disable_help_flag = true)]
    Bench(laboratory::Passed),
    /// Test the network between two machines (a program of its own: armilla-lab)
    #[command(disable_help_flag = true)]
    Ttcp(laboratory::Passed),
    /// Serve a bridge between CORBA and COM
    #[command(subcommand)]
    Bridge(bridge::Bridge),
    /// Compile, check, format and compare IDL files, or serve an editor
    #[command(subcommand)]
    Idl(idl::Idl),
    /// Call an operation with arguments in JSON
    Call(call::Call),
    /// Show what objects of COM have, and call them by name
    #[command(subcommand)]
    Com(com::Com),
    /// Serve event channels, push events and listen to them
    #[command(subcommand)]
    Events(events::Events),
    /// Serve an interface repository, or show its contents
    #[command(subcommand)]
    Ifr(ifr::Ifr),
    /// Serve an implementation repository or an activator, and operate one: servers that calls start
    #[command(subcommand)]
    Imr(imr::Imr),
    /// Serve a manager of replicated object groups, list them, and change who is in them
    #[command(subcommand)]
    Groups(groups::Groups),
    /// Show what a reference contains
    Ior(ior::ReadIor),
    /// Serve a factory finder, and make, copy, move and remove objects
    #[command(subcommand)]
    Lifecycle(lifecycle::Lifecycle),
    /// Serve lock sets, show who has locks, and run a command under one
    #[command(subcommand)]
    Locks(locks::Locks),
    /// Edit a file of users and passwords
    #[command(subcommand)]
    Passwd(passwd::Passwd),
    /// Serve property sets, and show and change them
    #[command(subcommand)]
    Properties(properties::Properties),
    /// Check that an object exists, and measure how fast it answers
    Ping(ping::Ping),
    Schedule(schedule::Schedule),
    /// List and change the bindings of a naming service
    #[command(subcommand)]
    Naming(naming::Naming),
    /// List the -ORB… options, which set limits, times and choices of the ORB
    #[command(long_about = orb::options_text())]
    OrbOptions,
    /// Show what this host grants of real time
    #[command(subcommand)]
    Rt(rt::Rt),
    /// Serve the time and timers, tell the time, and set an alarm
    #[command(subcommand)]
    Time(time::Time),
    /// Make certificates for TLS, and see what a server offers
    #[command(subcommand)]
    Tls(tls::TlsCommand),
    /// Serve a transaction service, and decide what is in doubt
    #[command(subcommand)]
    Transactions(transactions::Transactions),
    /// Serve a trading service, or find and offer objects at one
    #[command(subcommand)]
    Trader(trader::Trader),
}

fn main() -> ExitCode {
    // A shell that completes asks by a variable; then this prints candidates and ends.
    CompleteEnv::with_factory(Arguments::command).complete();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    if let Some(succeeded) = armilla_demo::run_process(arguments.get(1..).unwrap_or_default()) {
        return ExitCode::from(u8::from(!succeeded));
    }
    let arguments: Result<Vec<String>, _> =
        arguments.into_iter().map(OsString::into_string).collect();
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(other) => return Failure::usage(format_args!("{other:?} is not UTF-8")).report(),
    };
    let (orb_arguments, arguments) = orb::split_arguments(arguments);
    let arguments = Arguments::parse_from(arguments);
    if let Err(error) = outlive_file_limits() {
        return Failure::because(format_args!("SIGXFSZ cannot be taken over: {error}")).report();
    }
    match logging(arguments.verbose).and_then(|()| run(&arguments, orb_arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(Arguments { login, command, .. }: &Arguments, mut orb: OrbArguments) -> Outcome {
    // The experiments set their own ORB options, and the others use no ORB.
    if matches!(
        command,
        Command::Access(_)
            | Command::Bench(_)
            | Command::Com(_)
            | Command::Ttcp(_)
            | Command::Demo(_)
            | Command::Idl(_)
            | Command::OrbOptions
            | Command::Passwd(_)
            | Command::Rt(_)
            | Command::Schedule(_)
    ) {
        orb.refuse()?;
        login.refuse()?;
    }
    orb.log_in(login)?;
    let orb = &orb;
    match command {
        Command::Access(access) => access::run(access),
        Command::Bridge(bridge) => bridge::run(bridge, orb),
        Command::Demo(demo) => demo::run(demo),
        Command::Bench(passed) => laboratory::run("bench", passed),
        Command::Ttcp(passed) => laboratory::run("ttcp", passed),
        Command::Idl(idl) => idl::run(idl),
        Command::Call(call) => call::run(call, orb),
        Command::Com(com) => com::run(com),
        Command::Events(events) => events::run(events, orb),
        Command::Groups(groups) => groups::run(groups, orb),
        Command::Ifr(ifr) => ifr::run(ifr, orb),
        Command::Imr(imr) => imr::run(imr, orb),
        Command::Ior(ior) => ior::run(ior, orb),
        Command::Lifecycle(lifecycle) => lifecycle::run(lifecycle, orb),
        Command::Locks(locks) => locks::run(locks, orb),
        Command::Properties(properties) => properties::run(properties, orb),
        Command::Time(time) => time::run(time, orb),
        Command::Schedule(schedule) => schedule::run(schedule),
        Command::Passwd(passwd) => passwd::run(passwd),
        Command::Ping(ping) => ping::run(ping, orb),
        Command::Naming(naming) => naming::run(naming, orb),
        Command::OrbOptions => say!("{}", orb::options_text().trim_end()),
        Command::Rt(rt) => rt::run(rt),
        Command::Tls(command) => tls::run(command, orb),
        Command::Transactions(transactions) => transactions::run(transactions, orb),
        Command::Trader(trader) => trader::run(trader, orb),
    }
}

/// Sends the log of the libraries to standard error. The default level is `warn`.
fn logging(verbose: u8) -> Outcome {
    let level = match (verbose, std::env::var("ARMILLA_LOG")) {
        (0, Ok(level)) => level.parse().map_err(|_| {
            Failure::usage(format!(
                "ARMILLA_LOG={level}: expected one of error, warn, info, debug, trace"
            ))
        })?,
        (0, Err(_)) => LevelFilter::WARN,
        (1, _) => LevelFilter::INFO,
        (2, _) => LevelFilter::DEBUG,
        (3.., _) => LevelFilter::TRACE,
    };
    // Colours are for a terminal, and for people who want them (https://no-color.org).
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colours = std::io::stderr().is_terminal() && !plain;
    let log = tracing_subscriber::fmt().with_max_level(level).with_ansi(colours);
    log.with_writer(std::io::stderr).init();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The parser takes arguments of the same name for one, and panics if their types differ.
    #[test]
    fn no_argument_of_a_command_has_the_name_of_an_option_of_all() {
        let all = Arguments::command();
        let global: Vec<_> = all.get_arguments().filter(|it| it.is_global_set()).collect();
        assert!(global.len() > 3);
        let mut commands: Vec<_> = all.get_subcommands().collect();
        while let Some(command) = commands.pop() {
            for own in command.get_arguments() {
                let twice = global.iter().any(|global| global.get_id() == own.get_id());
                assert!(!twice, "{} of `{}`", own.get_id(), command.get_name());
            }
            commands.extend(command.get_subcommands());
        }
    }
}
