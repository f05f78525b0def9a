//! What the servers of all services have in common on the command line.

use crate::identity::server::{CallerArguments, Callers};
use crate::orb::OrbArguments;
use armilla_service::{ConsoleArguments, ConsoleOptions};
use armilla_store::{Recovered, StoreError};
use armilla_terminal::{Failure, Outcome, one_line, say};
use std::env;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// How often a server that stands by looks whether the store is free.
const STANDBY: Duration = Duration::from_millis(200);

/// Where a service keeps what it knows, and where it shows that.
#[derive(Debug, clap::Args)]
pub(crate) struct ServiceArguments {
    /// Store everything in this directory. A change is on the disk before the client gets its reply
    #[arg(long, value_name = "DIR", conflicts_with = "memory")]
    store: Option<PathBuf>,
    /// Store nothing: everything goes with the process
    #[arg(long)]
    memory: bool,
    #[command(flatten)]
    server: ServerArguments,
}

/// Where a service shows what it does, and what it asks of its callers.
#[derive(Debug, clap::Args)]
pub(crate) struct ServerArguments {
    #[command(flatten)]
    page: PageArguments,
}

/// Who may call a service, and where it shows itself.
#[derive(Debug, clap::Args)]
pub(crate) struct PageArguments {
    #[command(flatten)]
    console: ConsoleArguments,
    #[command(flatten)]
    callers: CallerArguments,
}

/// What of a damaged store is to be saved.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "No service may have the store open. A new file takes the place of the damaged \
                  one, which is kept beside it.\nThe status is 0 if nothing is lost, else 1."
)]
pub(crate) struct RecoverArguments {
    /// The directory of the store [default: that of `serve`]
    #[arg(long, value_name = "DIR", alias = "state")]
    store: Option<PathBuf>,
    /// Only say what can be saved, and what is lost; change nothing
    #[arg(long)]
    dry_run: bool,
}

impl RecoverArguments {
    /// Recovers the store of a service with this name by `recover`, which gets the directory and
    /// whether it is a trial. Prints what is saved, what is lost, the last good state, and where the
    /// damaged file is.
    pub(crate) fn run<C: Display>(
        &self,
        service: &str,
        arguments: &OrbArguments,
        recover: impl FnOnce(&Path, bool) -> Result<Recovered<C>, StoreError>,
    ) -> Outcome {
        arguments.refuse()?;
        let none = || Failure::usage("--store DIR is needed: there is no home directory");
        let directory = self.store.clone().or_else(|| default_directory(service));
        let recovered = recover(&directory.ok_or_else(none)?, self.dry_run)?;
        report(&recovered, self.dry_run)
    }
}

/// Prints what is saved of a store, what is lost, the last good state, and where the damaged file is.
///
/// # Errors
/// Something is lost.
pub(crate) fn report<C: Display>(recovered: &Recovered<C>, is_trial: bool) -> Outcome {
    let what = if is_trial { "can be saved" } else { "saved" };
    say!("{what}: {}", one_line(&recovered.saved.to_string()))?;
    match &*recovered.losses {
        [] => say!("nothing is lost")?,
        losses => {
            say!("{} losses:", losses.len())?;
            losses.iter().try_for_each(|loss| say!("  {}", one_line(loss)))?;
        }
    }
    if let Some(last) = &recovered.last_commit {
        say!("{last}")?;
    }
    if let Some(kept) = &recovered.kept {
        say!("the damaged file is kept: {}", kept.display())?;
    }
    match recovered.losses.is_empty() {
        true => Ok(()),
        false => Err(Failure::because("the store is damaged: see above what is lost")),
    }
}

/// The directory of a service that is told none: of the service manager, or of the user.
fn default_directory(service: &str) -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let of_user = || {
        let home = || variable("HOME").map(|home| home.join(".local/state"));
        let state = variable("XDG_STATE_HOME").or_else(home);
        state.map(|state| state.join("armilla").join(service))
    };
    variable("STATE_DIRECTORY").or_else(of_user)
}

/// A second server on the same store.
#[derive(Debug, clap::Args)]
pub(crate) struct Standby {
    /// While another process serves from the same store, stand by: take over when that ends. Both
    /// get the same --store and -ORBEndpoint
    #[arg(long)]
    standby: bool,
}

impl Standby {
    /// Opens a store, and with `--standby` waits until it is free.
    pub(crate) fn open<S>(&self, open: impl Fn() -> Result<S, StoreError>) -> Outcome<S> {
        let mut waits = false;
        loop {
            match open() {
                Err(error) if error.is_held() && self.standby => {
                    if !waits {
                        tracing::info!(path = %error.path().display(), "stands by: the store is held");
                    }
                    waits = true;
                    thread::sleep(STANDBY);
                }
                Err(error) if error.is_held() => {
                    return Err(Failure::because(format_args!(
                        "{error}\n  hint: with --standby this process waits, and takes over when the \
                         other one ends"
                    )));
                }
                opened => return Ok(opened?),
            }
        }
    }
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
        let none =
            || Failure::usage("--store DIR or --memory is needed: there is no home directory");
        self.store.clone().or_else(|| default_directory(service)).map(Some).ok_or_else(none)
    }

    pub(crate) fn callers(&self, has_rules: bool) -> Outcome<Callers> {
        self.server.callers(has_rules)
    }

    pub(crate) fn console(&self, orb: &OrbArguments, callers: &Callers) -> ConsoleOptions {
        self.server.console(orb, callers)
    }
}

impl ServerArguments {
    /// What the server asks of its callers; see [`PageArguments::callers`].
    pub(crate) fn callers(&self, has_rules: bool) -> Outcome<Callers> {
        self.page.callers(has_rules)
    }

    /// The web page; see [`PageArguments::console`].
    pub(crate) fn console(&self, orb: &OrbArguments, callers: &Callers) -> ConsoleOptions {
        self.page.console(orb, callers)
    }
}

impl PageArguments {
    /// What the server asks of its callers. Some services have rules of their own about them.
    pub(crate) fn callers(&self, has_rules: bool) -> Outcome<Callers> {
        self.callers.open(has_rules)
    }

    /// The web page, which may use the certificate of an ORB with these arguments. Where callers show
    /// passwords, or the page takes certificates, its visitors are asked who they are.
    pub(crate) fn console(&self, orb: &OrbArguments, callers: &Callers) -> ConsoleOptions {
        let options = self.console.options();
        let asks = options.asks() || callers.have_passwords;
        let access = callers.page.iter().filter(|_| asks).cloned();
        let options = access.fold(options, ConsoleOptions::access).upkeep(&callers.upkeep);
        match orb.certificate() {
            Some(tls) => options.tls_of_orb(tls),
            None => options,
        }
    }
}
