//! What the servers of all services have in common on the command line.

use armilla_service::ConsoleOptions;
use armilla_terminal::{Failure, Outcome};
use std::env;
use std::path::{Path, PathBuf};

/// Where a service keeps what it knows, and where it shows that.
#[derive(Debug, clap::Args)]
pub(crate) struct ServiceArguments {
    /// Store everything in this directory. A change is on the disk before the client gets its reply
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    store: Option<PathBuf>,
    /// Store nothing: everything goes with the process
    #[arg(long)]
    memory: bool,
    /// Serve a web page, /healthz and /metrics at this address, such as 127.0.0.1:9809
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,
    /// A host name by which browsers reach the page through a proxy; repeatable
    #[arg(long, value_name = "HOST", requires = "http")]
    http_host: Vec<String>,
}

impl ServiceArguments {
    /// What stands behind `--store`.
    pub(crate) fn store(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    /// The directory of a service with this name: that of `--store`, of the service manager, or of
    /// the user. `None` if nothing is stored.
    pub(crate) fn directory(&self, service: &str) -> Outcome<Option<PathBuf>> {
        if self.memory {
            return Ok(None);
        }
        let variable =
            |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let of_user = || {
            let home = || variable("HOME").map(|home| home.join(".local/state"));
            let state = variable("XDG_STATE_HOME").or_else(home);
            state.map(|state| state.join("armilla").join(service))
        };
        let given = self.store.clone().or_else(|| variable("STATE_DIRECTORY"));
        let none =
            || Failure::usage("--store DIR or --memory is needed: there is no home directory");
        given.or_else(of_user).map(Some).ok_or_else(none)
    }

    /// The web page.
    pub(crate) fn console(&self) -> ConsoleOptions {
        let options = self.http.as_deref().map(ConsoleOptions::from).unwrap_or_default();
        self.http_host.iter().fold(options, ConsoleOptions::host)
    }
}
