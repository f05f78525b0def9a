//! A replication manager as a process of its own: `armilla groups serve`.

mod metrics;
mod page;
mod picture;

use crate::documents::Documents;
use crate::manager::{Manager, ManagerOptions};
use armilla::{Orb, OrbBuilder, SystemException};
pub use armilla_service::ServerError;
use armilla_service::{Console, ConsoleOptions, Events, Process, Rounds};
use picture::Pictures;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// How long a manager may take to meet the others before its name is bound.
const READY: Duration = Duration::from_secs(10);

/// A manager that serves, with its ORB.
///
/// ```no_run
/// use armilla_replication::EtcdRegistry;
/// use armilla_replication::manager::ManagerOptions;
/// use armilla_replication::server::Server;
/// use std::sync::Arc;
///
/// let registry = Arc::new(EtcdRegistry::connect("etcd://10.0.0.1:2379", None)?);
/// let server = Server::builder(registry, ManagerOptions::default())
///     .console("127.0.0.1:9816")
///     .start(|orb| orb.listen("iiop://:11175"))?;
/// server.run()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Server {
    process: Process,
    manager: Arc<Manager>,
    /// Tells open pages.
    _watch: Option<Rounds>,
}

/// A server to be started.
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    documents: Arc<dyn Documents>,
    options: ManagerOptions,
    name: Option<String>,
    console: ConsoleOptions,
}

impl ServerBuilder {
    /// Binds the group of managers, as it is when the server starts, to this name in the naming service
    /// that the ORB knows. Managers that come later tell clients of themselves.
    pub fn bind(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Serves a web page, `/healthz` and `/metrics` at an address, such as `127.0.0.1:9816`.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Starts the server with an ORB that `configure` completes: endpoints, and options of the
    /// command line.
    ///
    /// # Errors
    /// The ORB or the console cannot listen, or the name cannot be bound.
    pub fn start(
        self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
    ) -> Result<Server, ServerError> {
        let (process, parts) = Process::start(configure, |process| self.serve(process))?;
        let (manager, watch) = parts;
        Ok(Server { process, manager, _watch: watch })
    }

    fn serve(self, process: &mut Process) -> Result<(Arc<Manager>, Option<Rounds>), ServerError> {
        let orb = process.orb();
        let manager = Manager::serve(orb, self.documents.clone(), self.options);
        let manager = Arc::new(manager.map_err(ServerError::service)?);
        if let Some(name) = &self.name {
            manager.wait_ready(READY);
            orb.bind_name(name, &orb.string_to_object(&manager.reference()?)?)?;
        }
        let pictures = Pictures::new(orb, &self.documents, &manager);
        let (counted, checked, shown) = (pictures.clone(), pictures.clone(), pictures.clone());
        let events = Events::new();
        process.open_console(self.console, |console| {
            console
                .service("replication")
                .check(move || checked.groups().map(drop).map_err(|failure| failure.to_string()))
                .metrics(move || metrics::text(&counted))
                .pages(page::pages(shown))
                .events(&events)
        })?;
        let watch = process.console().map(|_| page::watch(pictures, &events));
        Ok((manager, watch.transpose().map_err(ServerError::service)?))
    }
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerBuilder").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Server {
    /// Begins to make a server. All managers of a domain have the same documents.
    pub fn builder(documents: Arc<dyn Documents>, options: ManagerOptions) -> ServerBuilder {
        ServerBuilder { documents, options, name: None, console: ConsoleOptions::default() }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        self.process.orb()
    }

    /// The manager.
    pub fn manager(&self) -> &Manager {
        &self.manager
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
        self.process.run(self.manager.url())
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("manager", &self.manager).finish_non_exhaustive()
    }
}
