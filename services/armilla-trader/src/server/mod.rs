//! A trading service as a server process: `armilla trader serve`.
//!
//! `metrics` is what Prometheus reads, `page` what a browser shows with `forms`, `actions`
//! what those do, `refusal` what they say then, `checker` looks whether offered objects are alive. The listener, the stages and
//! the frame of the pages are those of all services (`armilla-service`).

mod actions;
mod checker;
mod forms;
mod metrics;
mod page;
mod refusal;

use crate::limits::Limits;
use crate::servant::{TRADING_SERVICE, Trader, serve};
use crate::store::Store;
use armilla::observe::Metrics;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_ipc::host;
use armilla_service::{Console, ConsoleOptions, Events, Lifecycle, Rounds, Visitor};
use checker::Findings;
use std::fmt;
use std::io;
use std::net::SocketAddr;

/// A trading service that serves, with its ORB.
///
/// # Examples
/// ```no_run
/// use armilla_trader::Store;
/// use armilla_trader::server::{Server, ServerError};
///
/// let server = Server::builder()
///     .console("127.0.0.1:9811")
///     .start(|orb| orb.listen("iiop://:2811"), |orb| Ok(Store::memory(orb)?))?;
/// server.run()?;
/// # Ok::<(), ServerError>(())
/// ```
pub struct Server {
    orb: Orb,
    trader: Trader,
    url: String,
    lifecycle: Lifecycle,
    console: Option<Console>,
    _checker: Option<Rounds>,
}

/// What the pages show, and change.
#[derive(Clone)]
struct Shown {
    trader: Trader,
    orb: Orb,
    findings: Findings,
    read_only: bool,
}

impl Shown {
    /// Whether a client may change anything by the page: who is known, as the access of the page
    /// says; others by their address.
    fn may_change(&self, client: &Visitor) -> bool {
        let is_operator = |client: SocketAddr| {
            let address = client.ip().to_canonical();
            let is_here = address.is_loopback() || host::is_local_address(address);
            is_here || self.trader.admits_remote_operators()
        };
        !self.read_only && client.may_change(is_operator)
    }
}

/// A server to be started.
#[derive(Debug, Default)]
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    limits: Limits,
    console: ConsoleOptions,
    read_only: bool,
}

/// Why the contents of a trader cannot be had.
type Failure = Box<dyn std::error::Error + Send + Sync>;

impl ServerBuilder {
    /// Sets what the trader spends on its clients at most.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Serves the web page, `/healthz` and `/metrics` at an address, such as `127.0.0.1:9811`.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Shows offers on the pages, and changes none.
    pub fn read_only_console(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Starts the server with an ORB that `configure` completes: endpoints, and options of the
    /// command line. `open` gets the store, for which it needs the ORB.
    ///
    /// # Errors
    /// The ORB or the console cannot listen, or the store cannot be opened.
    pub fn start(
        self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
        open: impl FnOnce(&Orb) -> Result<Store, Failure>,
    ) -> Result<Server, ServerError> {
        let metrics = Metrics::new();
        let orb = configure(Orb::builder())?.initializer(metrics.clone()).build()?;
        let started = self.serve(&orb, metrics, open);
        if started.is_err() {
            orb.shutdown();
        }
        started
    }

    fn serve(
        self,
        orb: &Orb,
        metrics: Metrics,
        open: impl FnOnce(&Orb) -> Result<Store, Failure>,
    ) -> Result<Server, ServerError> {
        let store = open(orb).map_err(ServerError::Store)?;
        let trader = serve(orb, store, self.limits)?;
        // Publishing it again tells the URL.
        let url = orb.publish(TRADING_SERVICE, trader.lookup())?;
        let lifecycle = Lifecycle::new();
        let (findings, read_only) = (Findings::default(), self.read_only);
        let shown = Shown {
            trader: trader.clone(),
            orb: orb.clone(),
            findings: findings.clone(),
            read_only,
        };
        let console = self.console.start(&lifecycle, |console| {
            let (state, changes) = (trader.clone(), Events::new());
            let kept = trader.clone();
            let console = console
                .service("trader")
                .check(move || kept.check_store())
                .metrics(move || metrics::text(&state, &findings))
                .metrics(move || metrics.to_prometheus())
                .pages(page::pages(shown.clone()))
                .events(&changes);
            trader.on_change(move || changes.send("change", "contents"));
            console
        });
        let console = console.map_err(ServerError::Console)?;
        // Only pages and metrics show what it finds.
        let checker = console.as_ref().map(|_| checker::start(&trader, &shown.findings));
        let checker = checker.transpose().map_err(ServerError::Console)?;
        let orb = orb.clone();
        Ok(Server { orb, trader, url, lifecycle, console, _checker: checker })
    }
}

impl Server {
    /// Begins to make a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        &self.orb
    }

    /// The trader.
    pub const fn trader(&self) -> &Trader {
        &self.trader
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
        let ended = armilla_service::run(&self.orb, &self.lifecycle, &self.url);
        self.trader.close();
        Ok(ended?)
    }
}

/// Why a server does not start or run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The ORB failed.
    Orb(SystemException),
    /// The store cannot be opened.
    Store(Failure),
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
            Self::Store(error) => error.fmt(f),
            Self::Console(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ServerError {}
