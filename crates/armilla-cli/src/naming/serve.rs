//! `armilla naming serve`.

use crate::input::{WRITTEN, read_text};
use crate::orb::OrbArguments;
use crate::output;
use crate::service::ServiceArguments;
use armilla_naming::access::{Rules, RulesFile};
use armilla_naming::model::Limits;
use armilla_naming::server::{CheckSettings, Server};
use armilla_naming::{ClusterUser, Store};
use armilla_terminal::{Context, Failure, Outcome, complain};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The arguments of `armilla naming serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Without -ORBEndpoint the service listens at iiop://:2809. Names are stored in \
                  the directory of --store, else\nin $STATE_DIRECTORY, else in \
                  $XDG_STATE_HOME/armilla/naming or ~/.local/state/armilla/naming.",
    mut_arg("store", |store| store.value_name("DIR|ETCD").help(
        "Store the names in this directory, or in an etcd cluster that several instances share: \
         etcd://HOST:PORT,HOST:PORT. A change is on the disk before the client gets its reply"
    ))
)]
pub(crate) struct Serve {
    #[command(flatten)]
    service: ServiceArguments,
    /// A file that only the service can read: its first line is NAME:PASSWORD, a user of the etcd
    /// cluster
    #[arg(long, value_name = "FILE")]
    etcd_user: Option<PathBuf>,
    /// Show names on the web page, and change none
    #[arg(long, requires = "http")]
    http_read_only: bool,
    /// The rules about names, in the language of --access: who may do what where, names of several
    /// servers, dead bindings
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Have at most so many bindings; a further one is refused (IMP_LIMIT)
    #[arg(long, value_name = "COUNT")]
    bindings: Option<usize>,
    /// Have at most so many contexts
    #[arg(long, value_name = "COUNT")]
    contexts: Option<usize>,
    /// Check each object this often, in seconds; 0 checks none
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    check_interval: u64,
    /// Check at most this many objects a second
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    check_rate: u32,
    /// Also write the reference of the root context to this file, for use as file://FILE
    #[arg(long, value_name = "FILE")]
    reference: Option<PathBuf>,
    /// Bind the names of this running service first, such as corbaloc::HOST:2809/NameService; names
    /// that are bound already stay
    #[arg(long, value_name = "REF")]
    import: Option<String>,
}

/// Where a service listens that is not told so: at the port of `corbaloc` URLs without one.
const ENDPOINT: &str = "iiop://:2809";

pub(super) fn run(options: &Serve, arguments: &OrbArguments) -> Outcome {
    let mut callers = options.service.callers(options.rules.is_some())?;
    let store = match (cluster(options), options.service.directory("naming")?) {
        (Some(address), _) => Store::shared_as(address, user(options)?)?,
        (None, Some(directory)) => Store::open(directory)?,
        (None, None) => Store::in_memory(),
    };
    let server = Server::builder().store(store).checks(checks(options)).limits(limits(options));
    let mut server = server.console(options.service.console(arguments, &callers));
    if options.http_read_only {
        server = server.read_only_console();
    }
    if let Some(file) = &options.rules {
        let rules = RulesFile::open("rules about names", file, rules).map_err(Failure::because)?;
        callers.upkeep.file("the rules about names", rules.clone());
        server = server.rules_file(rules);
    }
    // The rules ask it, too, so the service gives it to the ORB.
    if let Some(security) = callers.security.take() {
        server = server.security(security);
    }
    if let Some(from) = &options.import {
        server = server.import(from);
    }
    let mut publishes = true;
    let server = server.start(|orb| {
        let orb = arguments.configure(orb, ENDPOINT, &callers)?;
        Ok(orb.settings(|settings| publishes = !settings.publish_addresses.is_empty()))
    })?;
    if cluster(options).is_some() && !publishes {
        complain(format_args!(
            "warning: references to contexts have the address of this instance only, so clients of \
             several instances take those of another one for contexts of another server: give all \
             addresses, this one's first, by -ORBPublishAddress HOST:PORT\n"
        ));
    }
    if let Some(file) = &options.reference {
        let reference = server.orb().object_to_string(server.service().root())?;
        let written = output::write(file, format!("{reference}\n"));
        written.context(format_args!("cannot write {}", file.display()))?;
    }
    Ok(server.run()?)
}

fn limits(options: &Serve) -> Limits {
    let mut limits = Limits::default();
    limits.bindings = options.bindings.unwrap_or(limits.bindings);
    limits.contexts = options.contexts.unwrap_or(limits.contexts);
    limits
}

fn checks(options: &Serve) -> Option<CheckSettings> {
    let mut checks = CheckSettings::default();
    checks.interval = Duration::from_secs(options.check_interval);
    checks.rate = options.check_rate;
    (options.check_interval > 0).then_some(checks)
}

fn rules(file: &Path) -> Result<Rules, String> {
    let text = read_text(file, WRITTEN)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    text.parse().map_err(|error| format!("{}: {error}", file.display()))
}

/// The user of the cluster, if the service is to be one.
fn user(options: &Serve) -> Outcome<Option<ClusterUser>> {
    Ok(options.etcd_user.as_ref().map(ClusterUser::read).transpose()?)
}

/// The address of the cluster that has the names, if one does.
fn cluster(options: &Serve) -> Option<&str> {
    options.service.store()?.to_str().filter(|store| store.starts_with("etcd:"))
}
