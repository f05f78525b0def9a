//! `armilla imr`: serves an implementation repository or an activator, and operates one.

mod define;
mod serve;
mod show;
mod wait;

use crate::orb::OrbArguments;
use crate::place::Place;
use crate::service::RecoverArguments;
use armilla::{Error, Orb};
use armilla_imr::Store;
use armilla_imr::corba::{LogStream, Repository, RepositoryRef};
use armilla_imr::model::Definition;
use armilla_terminal::{Failure, Outcome, one_line, print_log, say};
use std::fmt::Debug;
use wait::Before;

const SERVICE: Place =
    Place { name: armilla_imr::KEY, variable: "ARMILLA_IMR", usual: "127.0.0.1:2810" };

/// The arguments of `armilla imr`.
#[derive(Debug, clap::Subcommand)]
#[command(after_help = "A repository is found at --imr HOST:PORT or URL, else by -ORBInitRef \
                  ImplementationRepository=URL, else at\nARMILLA_IMR, else at 127.0.0.1:2810.")]
pub(crate) enum Imr {
    /// Serve a repository until interrupted; prints `ready URL`
    Serve(Box<serve::Serve>),
    /// Start and end servers on this host for a repository on another
    Activator(serve::Activate),
    /// Add a server, or change one with --replace
    Add(Box<define::Add>),
    /// Remove a server that does not run
    Remove(Named),
    /// List the servers and what they do
    Ls(Where),
    /// Show a server: its definition, its processes, and why it has failed
    Show(Named),
    /// Start a server, also after a crash loop
    Start(Awaited),
    /// End a server; it is not started again before `start`
    Stop(Named),
    /// End a server and start it again; clients wait meanwhile
    Restart(Awaited),
    /// Start another process of a server, and end the present one when that serves; returns when the
    /// new one serves alone
    Replace(Replace),
    /// Show what a server has written to standard error, or to standard output
    Log(Log),
    /// Print all definitions as JSON, for `add --from`
    Export(Where),
    /// Save what can be saved of a damaged store, while no repository runs; the damaged file is kept
    Recover(RecoverArguments),
}

/// Which repository.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Where {
    /// The repository
    #[arg(long, value_name = "HOST:PORT|URL")]
    imr: Option<String>,
}

/// A server of a repository.
#[derive(Debug, clap::Args)]
pub(crate) struct Named {
    /// The name of the server
    name: String,
    #[command(flatten)]
    at: Where,
}

/// A server that may be waited for.
#[derive(Debug, clap::Args)]
pub(crate) struct Awaited {
    #[command(flatten)]
    named: Named,
    /// Return when the server serves, or say why it does not
    #[arg(long)]
    wait: bool,
}

/// The arguments of `armilla imr replace`.
#[derive(Debug, clap::Args)]
pub(crate) struct Replace {
    #[command(flatten)]
    named: Named,
    /// Return when the new process serves alone, so that each later call goes there (the default)
    #[arg(long, conflicts_with = "no_wait")]
    wait: bool,
    /// Return at once; until the new process serves, calls go to the old one
    #[arg(long)]
    no_wait: bool,
}

/// The arguments of `armilla imr log`.
#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    #[command(flatten)]
    named: Named,
    /// Standard output instead of standard error
    #[arg(long)]
    out: bool,
    /// Show at most the last so many octets
    #[arg(long, value_name = "OCTETS", default_value_t = 16384)]
    limit: u32,
}

pub(crate) fn run(imr: &Imr, arguments: &OrbArguments) -> Outcome {
    match imr {
        Imr::Serve(options) => serve::serve(options, arguments),
        Imr::Activator(options) => serve::activate(options, arguments),
        Imr::Add(options) => define::add(options, arguments),
        Imr::Ls(at) => show::list(&repository(at, arguments)?.1),
        Imr::Export(at) => show::export(&repository(at, arguments)?.1),
        Imr::Show(named) => show::show(&repository(&named.at, arguments)?.1, &named.name),
        Imr::Recover(options) => {
            options.run("imr", arguments, |store, is_trial| Store::recover(store, is_trial))
        }
        Imr::Remove(named) => remove(named, arguments),
        Imr::Stop(named) => stop(named, arguments),
        Imr::Start(Awaited { named, wait }) => command(named, arguments, |to, name| {
            let before = Before::start(to, name)?;
            failed(to.start(name))?;
            wait.then(|| before.await_service(to, name)).transpose()
        }),
        Imr::Restart(Awaited { named, wait }) => command(named, arguments, |to, name| {
            let before = Before::replacement(to, name)?;
            failed(to.restart(name))?;
            wait.then(|| before.await_service(to, name)).transpose()
        }),
        Imr::Replace(Replace { named, no_wait, wait: _ }) => {
            command(named, arguments, |to, name| {
                let before = Before::replacement(to, name)?;
                failed(to.replace(name))?;
                (!no_wait).then(|| before.await_service(to, name)).transpose()
            })
        }
        Imr::Log(log) => {
            let stream = if log.out { LogStream::Output } else { LogStream::Errors };
            let (_orb, repository) = repository(&log.named.at, arguments)?;
            print_log(&failed(repository.log(&log.named.name, stream, log.limit))?)
        }
    }
}

fn command(
    named: &Named,
    arguments: &OrbArguments,
    command: impl FnOnce(&RepositoryRef, &str) -> Outcome<Option<String>>,
) -> Outcome {
    let (_orb, repository) = repository(&named.at, arguments)?;
    let stage = match command(&repository, &named.name)? {
        Some(stage) => stage,
        None => failed(repository.status(&named.name))?.stage,
    };
    say!("{}", one_line(&stage))
}

/// Removes a server, and says which calls nobody answers from now on.
fn remove(named: &Named, arguments: &OrbArguments) -> Outcome {
    let (_orb, repository) = repository(&named.at, arguments)?;
    let definition = failed(repository.definition(&named.name))?;
    let definition: Definition = serde_json::from_str(&definition)?;
    failed(repository.remove(&named.name))?;
    let objects: Vec<String> = definition.objects.iter().map(ToString::to_string).collect();
    say!("removed; calls to the objects {} are refused from now on", one_line(&objects.join(", ")))
}

/// Stops a server, and says what that ends.
fn stop(named: &Named, arguments: &OrbArguments) -> Outcome {
    let (_orb, repository) = repository(&named.at, arguments)?;
    let before = failed(repository.status(&named.name))?;
    failed(repository.stop(&named.name))?;
    let stage = failed(repository.status(&named.name))?.stage;
    let processes = match before.runs.len() {
        0 => "no process ran".to_owned(),
        1 => "1 process was told to end".to_owned(),
        count => format!("{count} processes were told to end"),
    };
    let refused = match before.waiting {
        0 => String::new(),
        1 => ", 1 client that waited was refused".to_owned(),
        count => format!(", {count} clients that waited were refused"),
    };
    say!("{}; {processes}{refused}; calls are refused until `start`", one_line(&stage))
}

/// The repository, and the ORB that calls it.
fn repository(at: &Where, arguments: &OrbArguments) -> Outcome<(Orb, RepositoryRef)> {
    let orb = SERVICE.orb(arguments, at.imr.as_deref())?;
    let repository = SERVICE.object(&orb)?.narrow()?;
    Ok((orb, repository))
}

/// The error of an operation of a repository, with what the user exception says.
fn failed<T, E: Debug + UserText>(outcome: Result<T, Error<E>>) -> Outcome<T> {
    outcome.map_err(|error| match error {
        Error::System(exception) => exception.into(),
        Error::User(exception) => Failure::because(exception.text()),
    })
}

/// What the user exceptions of a repository say.
trait UserText {
    fn text(&self) -> String;
}

/// Operations with one or both of the exceptions.
macro_rules! user_texts {
    ($($raises:ident: $($exception:ident)*;)*) => {$(
        impl UserText for armilla_imr::corba::repository::$raises {
            fn text(&self) -> String {
                match self {
                    $(Self::$exception(exception) => exception.text(),)*
                }
            }
        }
    )*};
}

user_texts! {
    DefineRaises: Refused;
    DefinitionRaises: UnknownServer;
    LogRaises: UnknownServer Refused;
    RemoveRaises: UnknownServer Refused;
    ReplaceRaises: UnknownServer Refused;
    RestartRaises: UnknownServer Refused;
    StartRaises: UnknownServer Refused;
    StatusRaises: UnknownServer;
    StopRaises: UnknownServer;
}

impl UserText for armilla_imr::corba::Refused {
    fn text(&self) -> String {
        self.reason.clone()
    }
}

impl UserText for armilla_imr::corba::UnknownServer {
    fn text(&self) -> String {
        format!("there is no server {:?}", self.name)
    }
}
