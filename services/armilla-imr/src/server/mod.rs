//! An implementation repository as a server process: `armilla imr serve`.
//!
//! `metrics` is what Prometheus reads, `page` the web page. The listener, the stages and the frame
//! of the pages are those of all services (`armilla-service`).

mod metrics;
mod page;

use crate::servant::{ImplementationRepository, ImplementationRepositoryBuilder};
use armilla::{Orb, OrbBuilder, SystemException};
pub use armilla_service::ServerError;
use armilla_service::{Console, ConsoleOptions, Events, Process};

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
    process: Process,
    repository: ImplementationRepository,
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
        let (process, repository) = Process::start(configure, |process| {
            let events = Events::new();
            let changed = events.clone();
            let repository = self.repository.on_change(move |name| changed.change(name));
            let repository = repository.serve(process.orb())?;
            let (servers, checked) = (repository.clone(), repository.clone());
            process.open_console(self.console, |console| {
                console
                    .service("implementation repository")
                    .check(move || checked.check())
                    .metrics(move || metrics::text(&servers.list()))
                    .pages(page::pages(&repository))
                    .events(&events)
            })?;
            Ok(repository)
        })?;
        Ok(Server { process, repository })
    }
}

impl Server {
    /// Begins to make a server.
    pub fn builder(repository: ImplementationRepositoryBuilder) -> ServerBuilder {
        ServerBuilder { repository, console: ConsoleOptions::default() }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        self.process.orb()
    }

    /// The repository.
    pub const fn repository(&self) -> &ImplementationRepository {
        &self.repository
    }

    /// The console, if the server has one.
    pub const fn console(&self) -> Option<&Console> {
        self.process.console()
    }

    /// Prints `ready URL` on standard output, and serves until SIGINT, SIGTERM or a shutdown of the
    /// ORB; see [`Process::run`]. The servers that the repository has started go on.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(self) -> Result<(), ServerError> {
        self.process.run(self.repository.url())
    }
}
