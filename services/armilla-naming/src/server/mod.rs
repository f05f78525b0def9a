//! A naming service as a server process: `armilla naming serve`.
//!
//! `checker` looks whether objects are alive, `metrics` is what Prometheus reads, `pages` shows
//! names, `actions` changes them, `reference` tells of references in words. The listener, the stages
//! and the frame of the pages are those of all services (`armilla-service`).

mod actions;
mod checker;
mod metrics;
mod pages;
mod reference;

pub use checker::CheckSettings;

use crate::access::{Client, Operation, Rules, RulesFile};
use crate::client::{ClientError, export, import};
use crate::model::{Limits, NameComponent};
use crate::servant::{NamingService, NamingServiceBuilder};
use crate::store::Store;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_security::ServerSecurity;
pub use armilla_service::ServerError;
use armilla_service::axum::Router;
use armilla_service::axum::extract::FromRequestParts;
use armilla_service::axum::http::request::Parts;
use armilla_service::axum::routing::{get, post};
use armilla_service::{Console, ConsoleOptions, Events, Process, Rounds, Visitor};

/// A naming service that serves, with its ORB.
///
/// # Examples
/// ```no_run
/// use armilla_naming::Store;
/// use armilla_naming::server::Server;
///
/// let server = Server::builder()
///     .store(Store::in_memory())
///     .console("127.0.0.1:9809")
///     .start(|orb| orb.listen("iiop://:2809"))?;
/// server.run()?;
/// # Ok::<(), armilla_naming::server::ServerError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    process: Process,
    service: NamingService,
    _checker: Option<Rounds>,
}

/// A server to be started.
#[derive(Debug)]
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    store: Store,
    console: ConsoleOptions,
    import: Option<String>,
    rules: Option<RulesFile>,
    security: Option<ServerSecurity>,
    checks: Option<CheckSettings>,
    read_only: bool,
    limits: Option<Limits>,
}

impl ServerBuilder {
    /// Sets the store of the names. By default they are in memory only.
    pub fn store(mut self, store: Store) -> Self {
        self.store = store;
        self
    }

    /// Serves the web page, `/healthz` and `/metrics` at an address, such as `127.0.0.1:9809`.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Shows names on the pages, and changes none.
    pub fn read_only_console(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Sets the rules of the service.
    pub fn rules(self, rules: Rules) -> Self {
        self.rules_file(rules.into())
    }

    /// The same from a file, which is read again when it has changed.
    pub fn rules_file(mut self, rules: RulesFile) -> Self {
        self.rules = Some(rules);
        self
    }

    /// Sets how many names and contexts there may be, and how large they are.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Gives the ORB what knows who calls, by which rules tell clients apart.
    pub fn security(mut self, security: ServerSecurity) -> Self {
        self.security = Some(security);
        self
    }

    /// Sets how the objects are checked in the background; `None` checks nothing.
    pub fn checks(mut self, checks: Option<CheckSettings>) -> Self {
        self.checks = checks;
        self
    }

    /// Binds the names of a running service, of any vendor, before this one serves. Names that are
    /// bound already stay as they are.
    pub fn import(mut self, url: impl Into<String>) -> Self {
        self.import = Some(url.into());
        self
    }

    /// Starts the server with an ORB that `configure` completes: endpoints, and options of the
    /// command line.
    ///
    /// # Errors
    /// The ORB or the console cannot listen, or the other service cannot be read.
    pub fn start(
        mut self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
    ) -> Result<Server, ServerError> {
        let security = self.security.take();
        let initializer = security.clone();
        let configure = |orb| {
            let orb: OrbBuilder = configure(orb)?;
            Ok(initializer.into_iter().fold(orb, OrbBuilder::initializer))
        };
        let (process, (service, checker)) = Process::start(configure, |process| {
            let service = NamingService::builder().store(self.store);
            let service = security.into_iter().fold(service, NamingServiceBuilder::security);
            let service = self.rules.into_iter().fold(service, NamingServiceBuilder::rules_file);
            let service = self.limits.into_iter().fold(service, NamingServiceBuilder::limits);
            let service = service.serve(process.orb())?;
            if let Some(url) = &self.import {
                bring(process.orb(), &service, url)?;
            }
            let checker = self.checks.map(|checks| checker::start(&service, checks));
            let checker = checker.transpose().map_err(|error| {
                ServerError::service(format!("the server cannot start a thread: {error}"))
            })?;
            show(process, &service, self.console, self.read_only)?;
            Ok((service, checker))
        })?;
        Ok(Server { process, service, _checker: checker })
    }
}

/// Opens the console.
fn show(
    process: &mut Process,
    service: &NamingService,
    console: ConsoleOptions,
    read_only: bool,
) -> Result<(), ServerError> {
    let (counted, store, events) = (service.clone(), service.clone(), Events::new());
    process.open_console(console, |console| {
        console
            .service("naming")
            .metrics(move || metrics::text(&counted))
            .check(move || store.check_store())
            .events(&events)
            .pages(routes(Shown { service: service.clone(), read_only }))
    })?;
    if process.console().is_some() {
        let tell = move || events.change("{}");
        service.store().observe(tell).map_err(ServerError::service)?;
    }
    Ok(())
}

fn routes(shown: Shown) -> Router {
    Router::new()
        .route("/", get(pages::names))
        .route("/binding", get(pages::binding))
        .route("/bind", post(actions::bind))
        .route("/context", post(actions::context))
        .route("/unbind", post(actions::unbind))
        .route("/rename", post(actions::rename))
        .with_state(shown)
}

/// Binds the names of the service at a URL.
fn bring(orb: &Orb, service: &NamingService, url: &str) -> Result<(), ServerError> {
    let failed = |error: ClientError| {
        ServerError::service(format!("cannot import the names of {url}: {error}"))
    };
    let from = orb.string_to_object(url)?.narrow()?;
    let snapshot = export(orb, &from, &|_| ()).map_err(failed)?;
    for (name, why) in &snapshot.unreadable {
        tracing::warn!(name, why, "a name was not imported");
    }
    let to = service.root().upcast();
    let done = import(orb, &snapshot, &to, false, &|_, _| ()).map_err(failed)?;
    tracing::info!(bound = done.bound, kept = done.kept.len(), url, "names were imported");
    Ok(())
}

impl Server {
    /// Begins to make a server.
    pub fn builder() -> ServerBuilder {
        let (console, import, rules, security, read_only, limits) = Default::default();
        let (store, checks) = (Store::in_memory(), Some(CheckSettings::default()));
        ServerBuilder { store, console, import, rules, security, checks, read_only, limits }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        self.process.orb()
    }

    /// The service.
    pub const fn service(&self) -> &NamingService {
        &self.service
    }

    /// The console, if the server has one.
    pub const fn console(&self) -> Option<&Console> {
        self.process.console()
    }

    /// Prints `ready URL` on standard output, and serves until SIGINT, SIGTERM or a shutdown of the
    /// ORB; see [`Process::run`].
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(self) -> Result<(), ServerError> {
        self.process.run(self.service.url())
    }
}

/// What the pages show.
#[derive(Clone)]
struct Shown {
    service: NamingService,
    read_only: bool,
}

impl Shown {
    /// Whether a viewer may do this. Without rules, only one on this host may change names, or one
    /// whom the access of the page lets.
    fn permits(&self, viewer: &Viewer, operation: Operation, name: &[NameComponent]) -> bool {
        let Viewer { client, may_change } = viewer;
        let otherwise = || self.service.rules().restrict() || client.is_on_this_host();
        !self.read_only
            && may_change.unwrap_or_else(otherwise)
            && self.service.permits(client, operation, name)
    }
}

/// Who looks at the console.
struct Viewer {
    client: Client,
    /// What the access of the console says, where it asks who its visitors are.
    may_change: Option<bool>,
}

impl<S: Sync> FromRequestParts<S> for Viewer {
    type Rejection = <Visitor as FromRequestParts<S>>::Rejection;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        let visitor = Visitor::from_request_parts(parts, state).await?;
        let may_change = visitor.caller().map(|_| visitor.may_change(|_| false));
        let client = match visitor.caller() {
            Some(caller) => Client::from(caller.clone()),
            None => visitor.address().ip().into(),
        };
        Ok(Self { client, may_change })
    }
}
