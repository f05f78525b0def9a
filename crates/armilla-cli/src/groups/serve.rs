//! `armilla groups serve`.

use super::Where;
use crate::orb::OrbArguments;
use crate::service::ServerArguments;
use armilla_replication::manager::ManagerOptions;
use armilla_replication::server::Server;
use armilla_terminal::Outcome;
use std::sync::Arc;
use std::time::Duration;

/// The endpoint of a manager, if no `-ORBEndpoint` says another.
const ENDPOINT: &str = "iiop://:11175";

/// The arguments of `armilla groups serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the manager listens at iiop://:11175. Start as many of a domain as \
                  may fail and one\nmore, on hosts of their own: all that they know is in the registry."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    server: ServerArguments,
    #[command(flatten)]
    at: Where,
    /// Look after the groups of this fault tolerance domain
    #[arg(long, value_name = "DOMAIN", default_value = "default")]
    domain: String,
    /// The name of this manager among those of the domain [default: its host and port]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Look after other managers every so many milliseconds
    #[arg(long, value_name = "MS", default_value_t = 200)]
    interval: u64,
    /// Bind the manager to this name in the naming service of -ORBInitRef NameService=URL
    #[arg(long, value_name = "NAME")]
    bind: Option<String>,
}

pub(super) fn serve(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.server.callers(false)?;
    let mut manager = ManagerOptions::default();
    manager.domain.clone_from(&options.domain);
    manager.name.clone_from(&options.name);
    manager.interval = Duration::from_millis(options.interval);
    let server = Server::builder(Arc::new(options.at.registry()?), manager);
    let server = options.bind.iter().fold(server, |server, name| server.bind(name));
    let server = server.console(options.server.console(arguments, &callers));
    Ok(server.start(|orb| arguments.configure(orb, ENDPOINT, &callers))?.run()?)
}
