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
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_ipc::host;
pub use armilla_service::ServerError;
use armilla_service::{Console, ConsoleOptions, Events, Process, Rounds, Visitor};
use checker::Findings;
use std::error::Error;
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
    process: Process,
    trader: Trader,
    url: String,
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
type Failure = Box<dyn Error + Send + Sync>;

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
        let (process, parts) = Process::start(configure, |process| self.serve(process, open))?;
        let (trader, url, checker) = parts;
        Ok(Server { process, trader, url, _checker: checker })
    }

    fn serve(
        self,
        process: &mut Process,
        open: impl FnOnce(&Orb) -> Result<Store, Failure>,
    ) -> Result<(Trader, String, Option<Rounds>), ServerError> {
        let orb = process.orb();
        let trader = serve(orb, open(orb).map_err(ServerError::Service)?, self.limits)?;
        // Publishing it again tells the URL.
        let url = orb.publish(TRADING_SERVICE, trader.lookup())?;
        let findings = Findings::default();
        let shown = Shown {
            trader: trader.clone(),
            orb: orb.clone(),
            findings: findings.clone(),
            read_only: self.read_only,
        };
        let (state, kept, found) = (trader.clone(), trader.clone(), findings.clone());
        process.open_console(self.console, |console| {
            let changes = Events::new();
            let console = console
                .service("trader")
                .check(move || kept.check_store())
                .metrics(move || metrics::text(&state, &found))
                .pages(page::pages(shown))
                .events(&changes);
            trader.on_change(move || changes.change("contents"));
            console
        })?;
        // Only pages and metrics show what it finds.
        let checker = process.console().map(|_| checker::start(&trader, &findings));
        let checker = checker.transpose().map_err(ServerError::service)?;
        Ok((trader, url, checker))
    }
}

impl Server {
    /// Begins to make a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        self.process.orb()
    }

    /// The trader.
    pub const fn trader(&self) -> &Trader {
        &self.trader
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
        let ended = self.process.run(&self.url);
        self.trader.close();
        ended
    }
}
