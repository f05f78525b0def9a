//! `armilla imr`: serves an implementation repository or an activator, and operates one.

mod define;
mod serve;
mod show;

use crate::orb::OrbArguments;
use armilla::{Error, Orb};
use armilla_imr::corba::{LogStream, Repository, RepositoryRef};
use armilla_terminal::{Failure, Outcome, one_line, print_log, say};
use std::fmt::Debug;

/// The name of the initial reference.
const IMR: &str = "ImplementationRepository";

/// Where a repository is, if nothing else is said.
const HERE: &str = "127.0.0.1:2810";

/// The arguments of `armilla imr`.
#[derive(Debug, clap::Subcommand)]
#[command(
    after_help = "A repository is found at --imr HOST:PORT or URL, else at ARMILLA_IMR, else \
                        by\n-ORBInitRef ImplementationRepository=URL, else at 127.0.0.1:2810."
)]
pub(crate) enum Imr {
    /// Serve a repository until interrupted; prints `ready URL`
    Serve(serve::Serve),
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
    Start(Named),
    /// End a server; it is not started again before `start`
    Stop(Named),
    /// End a server and start it again; clients wait meanwhile
    Restart(Named),
    /// Start another process of a server, and end the present one when that serves
    Replace(Named),
    /// Show what a server has written to standard error, or to standard output
    Log(Log),
    /// Print all definitions as JSON, for `add --from`
    Export(Where),
}

/// Which repository.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Where {
    /// The repository
    #[arg(long, value_name = "HOST:PORT|URL")]
    imr: Option<String>,
}

impl Where {
    /// The repository that the command line or the environment names.
    fn given(&self) -> Option<String> {
        let variable = || std::env::var("ARMILLA_IMR").ok().filter(|place| !place.is_empty());
        self.imr.clone().or_else(variable)
    }
}

/// A server of a repository.
#[derive(Debug, clap::Args)]
pub(crate) struct Named {
    /// The name of the server
    name: String,
    #[command(flatten)]
    at: Where,
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
        Imr::Remove(named) => command(named, arguments, |to, name| failed(to.remove(name))),
        Imr::Start(named) => command(named, arguments, |to, name| failed(to.start(name))),
        Imr::Stop(named) => command(named, arguments, |to, name| failed(to.stop(name))),
        Imr::Restart(named) => command(named, arguments, |to, name| failed(to.restart(name))),
        Imr::Replace(named) => command(named, arguments, |to, name| failed(to.replace(name))),
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
    command: impl FnOnce(&RepositoryRef, &str) -> Outcome,
) -> Outcome {
    let (_orb, repository) = repository(&named.at, arguments)?;
    command(&repository, &named.name)?;
    say!(
        "{}",
        failed(repository.status(&named.name))
            .map_or("removed".to_owned(), |status| one_line(&status.stage).into_owned())
    )
}

/// The repository, and the ORB that calls it.
fn repository(at: &Where, arguments: &OrbArguments) -> Outcome<(Orb, RepositoryRef)> {
    let orb = arguments.orb()?;
    let object = match at.given() {
        Some(place) => orb.string_to_object(&url(&place))?,
        None => match orb.resolve_initial_references(IMR) {
            Ok(object) => object,
            Err(_) => orb.string_to_object(&url(HERE))?,
        },
    };
    let repository = object.narrow()?;
    Ok((orb, repository))
}

/// The URL of a repository at `HOST:PORT`.
fn url(place: &str) -> String {
    match place.contains("corbaloc:") || place.contains("IOR:") || place.contains("://") {
        true => place.to_owned(),
        false => format!("corbaloc::{place}/{}", armilla_imr::KEY),
    }
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
