//! `armilla imr serve` and `armilla imr activator`.

use super::{SERVICE, Where};
use crate::identity::server::Callers;
use crate::orb::OrbArguments;
use crate::service::{ServiceArguments, Standby};
use armilla::Orb;
use armilla_imr::server::Server;
use armilla_imr::{
    Activator, ActivatorBuilder, ImplementationRepository, ImplementationRepositoryBuilder, Store,
};
use armilla_service::Lifecycle;
use armilla_terminal::{Failure, Outcome};
use std::net::IpAddr;
use std::path::PathBuf;

/// The endpoint of a repository, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:2810";

/// The arguments of `armilla imr serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the repository listens at iiop://:2810. It stores what it \
                  knows in the directory of --store,\nelse in $STATE_DIRECTORY, else in \
                  $XDG_STATE_HOME/armilla/imr or ~/.local/state/armilla/imr. What servers\nwrite \
                  goes to files in its subdirectory logs."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    service: ServiceArguments,
    #[command(flatten)]
    standby: Standby,
    /// The name of this host, for definitions [default: that of the system]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Allow operators and activators on other hosts. Whoever may add a server can run any program
    /// here, so the network must keep strangers out
    #[arg(long)]
    remote_operators: bool,
    /// Admit only this user (a number) as an operator, for whom the system vouches: over a
    /// Unix-domain socket (-ORBEndpoint uiop:///PATH) or at the same-host endpoint (-ORBSameHost);
    /// and nobody over TCP or by the page; repeatable
    #[arg(long, value_name = "UID")]
    operator_user: Vec<u32>,
}

/// The arguments of `armilla imr activator`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The activator starts whatever the repository asks for, and believes nobody else: \
                  a caller must come\nfrom an address of the repository's host and know a secret \
                  that the repository alone is told. Without\n-ORBEndpoint it listens at the \
                  address from which packets to the repository leave."
)]
pub(crate) struct Activate {
    #[command(flatten)]
    at: Where,
    /// The name of this host, for definitions [default: that of the system]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// The directory for what servers write
    #[arg(long, value_name = "DIR", default_value = "/var/log/armilla-imr")]
    logs: PathBuf,
    /// Another address from which the repository calls, for one with several addresses or behind
    /// address translation; repeatable
    #[arg(long, value_name = "ADDRESS")]
    called_from: Vec<IpAddr>,
}

pub(super) fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.service.callers(false)?;
    let mut repository = ImplementationRepository::builder();
    if let Some(directory) = options.service.directory("imr")? {
        let store = options.standby.open(|| Store::open(&directory))?;
        repository = repository.store(store).logs(directory.join("logs"));
    }
    if let Some(host) = &options.host {
        repository = repository.host(host);
    }
    let users = options.operator_user.iter().copied();
    let repository = users.fold(repository, ImplementationRepositoryBuilder::operator_user);
    let server = Server::builder(repository.remote_operators(options.remote_operators));
    let server = server.console(options.service.console(arguments, &callers));
    Ok(server.start(|orb| arguments.configure(orb, ENDPOINT, &callers))?.run()?)
}

pub(super) fn activate(options: &Activate, arguments: &OrbArguments) -> Outcome {
    let at = options.at.imr.clone().or_else(|| SERVICE.of_environment()).ok_or_else(|| {
        Failure::usage("--imr HOST:PORT or URL is needed: the repository on the other host")
    })?;
    let url = SERVICE.url(&at);
    let endpoint = match arguments.listen() {
        true => String::new(),
        false => Activator::endpoint(&arguments.orb()?, &url)?,
    };
    let orb = arguments
        .configure(Orb::builder(), &endpoint, &Callers::default())
        .map_err(Failure::usage)?
        .build()?;
    let activator = Activator::builder(&url, &options.logs);
    let activator = options.host.iter().fold(activator, ActivatorBuilder::host);
    let called_from = options.called_from.iter().copied();
    let activator = called_from.fold(activator, ActivatorBuilder::called_from).serve(&orb)?;
    // Its reference is for the repository alone.
    armilla_service::run(&orb, &Lifecycle::new(), &url)?;
    drop(activator);
    Ok(())
}
