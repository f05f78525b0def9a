//! A replication manager as a process of its own: `armilla groups serve`.

mod metrics;
mod page;
mod picture;

use crate::documents::Documents;
use crate::error::ReplicaError;
use crate::manager::{Manager, ManagerOptions};
use armilla::observe::Metrics;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_service::{Console, ConsoleOptions, Events, Lifecycle, Rounds};
use picture::Pictures;
use std::fmt;
use std::io;
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
    orb: Orb,
    manager: Arc<Manager>,
    lifecycle: Lifecycle,
    console: Option<Console>,
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
        let metrics = Metrics::new();
        let orb = configure(Orb::builder())?.initializer(metrics.clone()).build()?;
        self.serve(&orb, metrics).inspect_err(|_| orb.shutdown())
    }

    fn serve(self, orb: &Orb, of_orb: Metrics) -> Result<Server, ServerError> {
        let lifecycle = Lifecycle::new();
        let manager = Manager::serve(orb, self.documents.clone(), self.options);
        let manager = Arc::new(manager.map_err(ServerError::Manager)?);
        if let Some(name) = &self.name {
            manager.wait_ready(READY);
            orb.bind_name(name, &orb.string_to_object(&manager.reference()?)?)?;
        }
        let pictures = Pictures::new(orb, &self.documents, &manager);
        let (counted, checked, shown) = (pictures.clone(), pictures.clone(), pictures.clone());
        let events = Events::new();
        let console = self.console.start(&lifecycle, |console| {
            console
                .service("replication")
                .check(move || checked.groups().map(drop).map_err(|failure| failure.to_string()))
                .metrics(move || metrics::text(&counted))
                .metrics(move || of_orb.to_prometheus())
                .pages(page::pages(shown))
                .events(&events)
        });
        let console = console.map_err(ServerError::Console)?;
        let watch = console.is_some().then(|| page::watch(pictures, events));
        let watch = watch.transpose().map_err(ServerError::Console)?;
        Ok(Server { orb: orb.clone(), manager, lifecycle, console, _watch: watch })
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
        &self.orb
    }

    /// The manager.
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// The console, if the server has one.
    pub const fn console(&self) -> Option<&Console> {
        self.console.as_ref()
    }

    /// Prints `ready URL` on standard output, and serves until SIGINT, SIGTERM or a shutdown of the
    /// ORB; see [`armilla_service::run`].
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(self) -> Result<(), ServerError> {
        Ok(armilla_service::run(&self.orb, &self.lifecycle, self.manager.url())?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.lifecycle.set_draining();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("manager", &self.manager).finish_non_exhaustive()
    }
}

/// Why a server does not start or run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The ORB failed.
    Orb(SystemException),
    /// The manager does not start.
    Manager(ReplicaError),
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
            Self::Manager(error) => error.fmt(f),
            Self::Console(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ServerError {}
