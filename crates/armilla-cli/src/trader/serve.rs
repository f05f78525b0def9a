//! `armilla trader serve`.

use crate::orb::OrbArguments;
use crate::service::ServiceArguments;
use armilla_terminal::{Context, Outcome};
use armilla_trader::Store;
use armilla_trader::server::Server;
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
    /// Also write the reference of `Lookup` to this file, for use as file://FILE
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
}

/// Where a service listens that is not told so.
const ENDPOINT: &str = "iiop://:2811";

pub(super) fn run(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let directory = options.service.directory("trader")?;
    let server = Server::builder().console(options.service.console()).start(
        |orb| arguments.configure(orb, ENDPOINT),
        |orb| match &directory {
            None => Ok(Store::memory(orb)?),
            Some(directory) => Ok(Store::open(directory, orb)?),
        },
    )?;
    if let Some(file) = &options.reference {
        let reference = server.orb().object_to_string(server.trader().lookup())?;
        let written = std::fs::write(file, format!("{reference}\n"));
        written.context(format_args!("cannot write {}", file.display()))?;
    }
    Ok(server.run()?)
}
