//! `armilla trader serve`.

use crate::orb::OrbArguments;
use crate::output;
use crate::service::ServiceArguments;
use armilla_terminal::{Context, Outcome};
use armilla_trader::server::Server;
use armilla_trader::{Limits, Store};
use std::path::PathBuf;

/// The arguments of `armilla trader serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:2811. It is stored in the \
                  directory of --store, else in\n$STATE_DIRECTORY, else in \
                  $XDG_STATE_HOME/armilla/trader or ~/.local/state/armilla/trader."
)]
pub(crate) struct Serve {
    #[command(flatten)]
    service: ServiceArguments,
    /// Let clients on other hosts set attributes, change links, and mask or remove service types
    #[arg(long)]
    remote_operators: bool,
    /// Have at most so many offers and proxy offers; a further one is refused (NO_RESOURCES)
    #[arg(long, value_name = "COUNT")]
    offers: Option<usize>,
    /// Show offers on the web page, and change none
    #[arg(long, requires = "http")]
    http_read_only: bool,
    /// Also write the reference of `Lookup` to this file, for use as file://FILE
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
}

/// Where a service listens that is not told so.
const ENDPOINT: &str = "iiop://:2811";

pub(super) fn run(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let callers = options.service.callers(false)?;
    let directory = options.service.directory("trader")?;
    let mut limits = Limits { remote_operators: options.remote_operators, ..Limits::default() };
    limits.offers = options.offers.unwrap_or(limits.offers);
    let mut server =
        Server::builder().limits(limits).console(options.service.console(arguments, &callers));
    if options.http_read_only {
        server = server.read_only_console();
    }
    let server = server.start(
        |orb| arguments.configure(orb, ENDPOINT, &callers),
        |orb| match &directory {
            None => Ok(Store::memory(orb)?),
            Some(directory) => Ok(Store::open(directory, orb)?),
        },
    )?;
    if let Some(file) = &options.reference {
        let reference = server.orb().object_to_string(server.trader().lookup())?;
        let written = output::write(file, format!("{reference}\n"));
        written.context(format_args!("cannot write {}", file.display()))?;
    }
    Ok(server.run()?)
}
