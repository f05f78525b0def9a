//! `armilla trader serve`.

use crate::failure::{Context, Failure, Outcome};
use crate::orb::OrbArguments;
use armilla_trader::Store;
use armilla_trader::server::Server;
use std::env;
use std::path::PathBuf;

/// The arguments of `armilla trader serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:2811. It is stored in the \
                  directory of --store, else in\n$STATE_DIRECTORY, else in \
                  $XDG_STATE_HOME/armilla/trader or ~/.local/state/armilla/trader."
)]
pub(crate) struct Serve {
    /// Store service types, offers and links in this directory. A change is on the disk before the
    /// client gets its reply
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    store: Option<PathBuf>,
    /// Store nothing: everything goes with the process
    #[arg(long)]
    memory: bool,
    /// Serve a web page, /healthz and /metrics at this address, such as 127.0.0.1:9811
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// A host name by which browsers reach the page through a proxy; repeatable
    #[arg(long, value_name = "HOST", requires = "http")]
    http_host: Vec<String>,
    /// Also write the reference of `Lookup` to this file, for use as file://FILE
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
}

/// Where a service listens that is not told so.
const ENDPOINT: &str = "iiop://:2811";

pub(super) fn run(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let directory = if options.memory { None } else { Some(directory(options)?) };
    let mut server = Server::builder();
    if let Some(address) = &options.http {
        server = server.console(address);
    }
    for host in &options.http_host {
        server = server.console_host(host);
    }
    let server = server.start(
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

/// The directory of the store.
fn directory(options: &Serve) -> Outcome<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || {
        let home = || variable("HOME").map(|home| home.join(".local/state"));
        variable("XDG_STATE_HOME").or_else(home).map(|state| state.join("armilla/trader"))
    };
    let given = options.store.clone().or_else(|| variable("STATE_DIRECTORY"));
    let none = || Failure::usage("--store DIR or --memory is needed: there is no home directory");
    given.or_else(of_user).ok_or_else(none)
}
