//! `armilla locks`: serves locks, shows who has them, and runs a command under one.

use crate::orb::OrbArguments;
use crate::place::{At, Place};
use crate::service::ServerArguments;
use armilla::Error;
use armilla_cos::locks::corba::{
    LockMode, LockSet, LockSetFactory, LockSetFactoryRef, LockSetRef, Operator, OperatorRef,
};
use armilla_cos::locks::{KEY, LockOptions, OPERATOR_KEY};
use armilla_cos::server::{self, Server};
use armilla_terminal::{Failure, Outcome, one_line, say};
use armilla_transactions::{ContextId, Transactions};
use std::process::Command;
use std::time::Duration;

/// The endpoint of a service, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:11171";

/// What makes lock sets, and what operators call.
const FACTORY: Place = Place { name: KEY, variable: "ARMILLA_LOCKS", usual: "127.0.0.1:11171" };
const OPERATOR: Place = Place { name: OPERATOR_KEY, ..FACTORY };

/// The arguments of `armilla locks`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A service is found at --at HOST:PORT or URL, else at ARMILLA_LOCKS, else at \
                  127.0.0.1:11171."
)]
pub(crate) enum Locks {
    /// Serve a factory of lock sets until interrupted; prints `ready URL`
    Serve(Box<Serve>),
    /// List who has which locks, and who waits
    Ls(At),
    /// Make a lock set, and print its reference
    Create(Create),
    /// Run a command while it has a lock
    Run(Run),
    /// Release all that a holder has, who is gone
    Release(Release),
}

/// The arguments of `armilla locks serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:11171. Locks are in memory: \
                  they end with the process,\nwhile references to lock sets outlive it."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    server: ServerArguments,
    /// Have at most so many locks and waits at once
    #[arg(long, value_name = "COUNT")]
    most: Option<usize>,
    /// Let clients wait for a lock so many seconds at most
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    /// Bind the factory to this name in the naming service of -ORBInitRef NameService=URL
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
    /// Allow clients on other hosts to release locks of others
    #[arg(long)]
    remote_operators: bool,
}

/// The arguments of `armilla locks create`.
#[derive(Debug, clap::Args)]
pub(crate) struct Create {
    /// Make it for transactions that are given by their coordinators
    #[arg(long)]
    transactional: bool,
    #[command(flatten)]
    at: At,
}

/// The arguments of `armilla locks run`.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The lock set
    #[arg(value_name = "REF")]
    set: String,
    /// The mode of the lock
    #[arg(long, value_enum, default_value_t = Mode::Write)]
    mode: Mode,
    /// Do not wait: fail if the lock cannot be had at once
    #[arg(long)]
    now: bool,
    /// The command, behind `--`
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// The arguments of `armilla locks release`.
#[derive(Debug, clap::Args)]
pub(crate) struct Release {
    /// The holder, as `ls` shows it
    #[arg(value_name = "HOLDER")]
    holder: u64,
    #[command(flatten)]
    at: At,
}

/// The mode of a lock.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Mode {
    Read,
    Write,
    Upgrade,
    IntentionRead,
    IntentionWrite,
}

pub(crate) fn run(locks: &Locks, arguments: &OrbArguments) -> Outcome {
    match locks {
        Locks::Serve(options) => serve(options, arguments),
        Locks::Ls(at) => list(at, arguments),
        Locks::Create(options) => create(options, arguments),
        Locks::Run(options) => under_lock(options, arguments),
        Locks::Release(options) => release(options, arguments),
    }
}

fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.server.callers(false)?;
    let transactions = Transactions::builder().context(ContextId::Both).build();
    let mut locks = LockOptions::default();
    locks.most = options.most.unwrap_or(locks.most);
    locks.longest_wait = Duration::from_secs(options.wait);
    locks.remote_operators = options.remote_operators;
    let server = Server::builder().console(options.server.console(arguments, &callers));
    let server = options.bind.iter().fold(server, |server, name| server.bind(name));
    let initializer = transactions.clone();
    let configure = |orb: armilla::OrbBuilder| {
        arguments.configure(orb.initializer(initializer), ENDPOINT, &callers)
    };
    Ok(server.start(configure, |orb| server::locks(orb, transactions, locks))?.run()?)
}

fn list(at: &At, arguments: &OrbArguments) -> Outcome {
    let (_orb, operator) = OPERATOR.at(at, arguments)?;
    let operator: OperatorRef = operator.narrow()?;
    let locks = operator.list()?;
    say!("{:<16} {:>8} {:<15} {:>10} NAME", "SET", "HOLDER", "MODE", "HELD")?;
    for it in locks {
        let mode = match it.mode {
            LockMode::Read => "read",
            LockMode::Write => "write",
            LockMode::Upgrade => "upgrade",
            LockMode::IntentionRead => "intention-read",
            LockMode::IntentionWrite => "intention-write",
        };
        let held = match it.count {
            0 => format!("waits {} s", it.waited / 1000),
            count => count.to_string(),
        };
        let (set, name) = (one_line(&it.lock_set), one_line(&it.name));
        say!("{set:<16} {:>8} {mode:<15} {held:>10} {name}", it.holder)?;
    }
    Ok(())
}

fn release(options: &Release, arguments: &OrbArguments) -> Outcome {
    let (_orb, operator) = OPERATOR.at(&options.at, arguments)?;
    let operator: OperatorRef = operator.narrow()?;
    operator.release(options.holder).map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(_) => Failure::because(format_args!(
            "there is no holder {}, or it has released its locks",
            options.holder
        )),
    })
}

fn create(options: &Create, arguments: &OrbArguments) -> Outcome {
    let (orb, factory) = FACTORY.at(&options.at, arguments)?;
    let factory: LockSetFactoryRef = factory.narrow()?;
    let made = match options.transactional {
        true => factory.create_transactional()?.object().clone(),
        false => factory.create()?.object().clone(),
    };
    say!("{}", orb.object_to_string(&made)?)
}

fn under_lock(options: &Run, arguments: &OrbArguments) -> Outcome {
    let orb = arguments.orb()?;
    let set: LockSetRef = orb.string_to_object(&options.set)?.narrow()?;
    let mode = match options.mode {
        Mode::Read => LockMode::Read,
        Mode::Write => LockMode::Write,
        Mode::Upgrade => LockMode::Upgrade,
        Mode::IntentionRead => LockMode::IntentionRead,
        Mode::IntentionWrite => LockMode::IntentionWrite,
    };
    match options.now {
        false => set.lock(mode)?,
        true if set.try_lock(mode)? => {}
        true => return Err(Failure::because("the lock cannot be had now")),
    }
    let (program, rest) = options.command.split_first().unwrap_or((&options.set, &[]));
    let ended = Command::new(program).args(rest).status();
    let released = set.unlock(mode);
    let status = ended.map_err(|error| Failure::because(format_args!("{program}: {error}")))?;
    released.map_err(|error| Failure::because(format_args!("the lock was not kept: {error}")))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::because(format_args!("{program}: {status}"))),
    }
}
