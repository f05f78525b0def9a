//! An implementation repository as a server process: `armilla imr serve`.
//!
//! `metrics` is what Prometheus reads, `page` the web page. The listener, the stages and the frame
//! of the pages are those of all services (`armilla-service`).

mod metrics;
mod page;

use crate::servant::{ImplementationRepository, ImplementationRepositoryBuilder};
use armilla::observe::Metrics;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_service::{Console, ConsoleOptions, Events, Lifecycle};
use std::fmt;
use std::io;

/// An implementation repository that serves, with its ORB.
///
/// # Examples
/// ```no_run
/// use armilla_imr::ImplementationRepository;
/// use armilla_imr::server::Server;
///
/// let server = Server::builder(ImplementationRepository::builder())
///     .console("127.0.0.1:9810")
///     .start(|orb| orb.listen("iiop://:2810"))?;
/// server.run()?;
/// # Ok::<(), armilla_imr::server::ServerError>(())
/// ```
#[derive(Debug)]
pub struct Server {
    orb: Orb,
    repository: ImplementationRepository,
    lifecycle: Lifecycle,
    console: Option<Console>,
}

/// A server to be started.
#[derive(Debug)]
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    repository: ImplementationRepositoryBuilder,
    console: ConsoleOptions,
}

impl ServerBuilder {
    /// Serves the web page, `/healthz` and `/metrics` at an address, such as `127.0.0.1:9810`.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Starts the server with an ORB that `configure` completes: endpoints, and options of the
    /// command line.
    ///
    /// # Errors
    /// The ORB or the console cannot listen, or the store cannot be read.
    pub fn start(
        self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
    ) -> Result<Server, ServerError> {
        let (events, metrics) = (Events::new(), Metrics::new());
        let orb = configure(Orb::builder())?.initializer(metrics.clone()).build()?;
        let changed = events.clone();
        let repository = self.repository.on_change(move |name| changed.send("change", name));
        let repository = repository.serve(&orb)?;
        let lifecycle = Lifecycle::new();
        let (servers, checked) = (repository.clone(), repository.clone());
        let console = self.console.start(&lifecycle, |console| {
            console
                .service("implementation repository")
                .check(move || checked.check())
                .metrics(move || metrics::text(&servers.list()))
                .metrics(move || metrics.to_prometheus())
                .pages(page::pages(&repository))
                .events(&events)
        });
        match console {
            Ok(console) => Ok(Server { orb, repository, lifecycle, console }),
            Err(error) => {
                orb.shutdown();
                Err(ServerError::Console(error))
            }
        }
    }
}

impl Server {
    /// Begins to make a server.
    pub fn builder(repository: ImplementationRepositoryBuilder) -> ServerBuilder {
        ServerBuilder { repository, console: ConsoleOptions::default() }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        &self.orb
    }

    /// The repository.
    pub const fn repository(&self) -> &ImplementationRepository {
        &self.repository
    }

    /// The console, if the server has one.
    pub const fn console(&self) -> Option<&Console> {
        self.console.as_ref()
    }

    /// Prints `ready URL` on standard output, and serves until SIGINT, SIGTERM or a shutdown of the
    /// ORB; see [`armilla_service::run`]. The servers that the repository has started go on.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(self) -> Result<(), ServerError> {
        Ok(armilla_service::run(&self.orb, &self.lifecycle, self.repository.url())?)
    }
}

/// Why a server does not start or run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The ORB or the store failed.
    Orb(SystemException),
    /// The console cannot be started.
    Console(io::Error),
}

impl From<SystemException> for ServerError {
    fn from(exception: SystemException) -> Self {
        Self::Orb(exception)
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Orb(exception) => exception.fmt(f),
            Self::Console(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ServerError {}
