//! A service as a process: its ORB, its stage and its console.

use crate::console::{Console, ConsoleBuilder};
use crate::lifecycle::{Lifecycle, run};
use crate::options::ConsoleOptions;
use armilla::observe::Metrics;
use armilla::{Orb, OrbBuilder, SystemException};
use std::error::Error;
use std::fmt;
use std::io;

/// A service as a process: its ORB, which counts its calls, its stage and its console.
///
/// ```no_run
/// use armilla_service::{Process, ServerError};
///
/// let configure = |orb: armilla::OrbBuilder| orb.listen("iiop://:2809");
/// let (process, url) = Process::start(configure, |process| {
///     let clock = process.orb().string_to_object("corbaloc::time.example.org/Clock")?;
///     process.open_console("127.0.0.1:9809".into(), |console| console.service("clock"))?;
///     Ok(process.orb().publish("Clock", clock)?)
/// })?;
/// process.run(&url)?;
/// # Ok::<(), ServerError>(())
/// ```
pub struct Process {
    orb: Orb,
    metrics: Metrics,
    lifecycle: Lifecycle,
    console: Option<Console>,
}

impl Process {
    /// Starts a service, which `serve` makes in an ORB that `configure` completes: endpoints, and
    /// options of the command line. Returns it with what `serve` returns.
    ///
    /// # Errors
    /// The ORB cannot be made, or `serve` fails; then the ORB is shut down.
    pub fn start<S>(
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
        serve: impl FnOnce(&mut Self) -> Result<S, ServerError>,
    ) -> Result<(Self, S), ServerError> {
        let metrics = Metrics::new();
        let orb = configure(Orb::builder())?.initializer(metrics.clone()).build()?;
        let mut process = Self { orb, metrics, lifecycle: Lifecycle::new(), console: None };
        match serve(&mut process) {
            Ok(service) => Ok((process, service)),
            Err(error) => {
                process.orb.shutdown();
                Err(error)
            }
        }
    }

    /// Opens the console, if the operator wants one. It shows what `complete` says, and the metrics
    /// of the ORB.
    ///
    /// # Errors
    /// [`ServerError::Console`].
    pub fn open_console(
        &mut self,
        options: ConsoleOptions,
        complete: impl FnOnce(ConsoleBuilder) -> ConsoleBuilder,
    ) -> Result<(), ServerError> {
        let of_orb = self.metrics.clone();
        let complete = |console| complete(console).metrics(move || of_orb.to_prometheus());
        let console = options.start(&self.lifecycle, complete);
        self.console = console.map_err(ServerError::Console)?;
        Ok(())
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        &self.orb
    }

    /// The stage.
    pub const fn lifecycle(&self) -> &Lifecycle {
        &self.lifecycle
    }

    /// The console, if there is one.
    pub const fn console(&self) -> Option<&Console> {
        self.console.as_ref()
    }

    /// Prints `ready URL` on standard output, and serves until SIGINT, SIGTERM or a shutdown of the
    /// ORB; see [`run`](crate::run()).
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(&self, url: &str) -> Result<(), ServerError> {
        Ok(run(&self.orb, &self.lifecycle, url)?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.lifecycle.set_draining();
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("stage", &self.lifecycle.stage()).finish_non_exhaustive()
    }
}

/// Why a server does not start or run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The ORB failed.
    Orb(SystemException),
    /// The service failed, for example since its store cannot be read.
    Service(Box<dyn Error + Send + Sync>),
    /// The console cannot be started.
    Console(io::Error),
}

impl ServerError {
    /// An error of the service itself.
    pub fn service(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Service(error.into())
    }
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
            Self::Service(error) => error.fmt(f),
            Self::Console(error) => error.fmt(f),
        }
    }
}

impl Error for ServerError {}
