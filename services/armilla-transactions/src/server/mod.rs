//! A transaction service as a process of its own: `armilla transactions serve`. Programs embed
//! [`Transactions`] instead, and save the calls to it.

mod metrics;
mod page;

use crate::corba::TransactionFactoryRef;
use crate::{DiskJournal, MemoryJournal, Transactions, TransactionsBuilder};
use armilla::observe::Metrics;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_service::{Console, ConsoleOptions, Events, Lifecycle, Rounds};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// The object key of the factory in `corbaloc:` URLs.
pub const KEY: &str = crate::servant::FACTORY;

/// The object key of what operators call.
pub const OPERATOR_KEY: &str = crate::servant::OPERATOR;

/// The POA of the service: `poa:transactions` for an implementation repository.
pub const ADAPTER: &str = crate::servant::ADAPTER;

/// A transaction service that serves, with its ORB.
///
/// ```no_run
/// use armilla_transactions::Transactions;
/// use armilla_transactions::server::Server;
///
/// let server = Server::builder(Transactions::builder())
///     .log("/var/lib/armilla/transactions")
///     .start(|orb| orb.listen("iiop://:11170"))?;
/// server.run()?;
/// # Ok::<(), armilla_transactions::server::ServerError>(())
/// ```
pub struct Server {
    orb: Orb,
    transactions: Transactions,
    url: String,
    lifecycle: Lifecycle,
    console: Option<Console>,
    /// Tells open pages.
    _watch: Option<Rounds>,
}

/// A server to be started.
#[derive(Debug)]
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    transactions: TransactionsBuilder,
    log: Option<PathBuf>,
    name: Option<String>,
    console: ConsoleOptions,
}

impl ServerBuilder {
    /// Sets the directory of the log. By default it is in memory only.
    pub fn log(mut self, directory: impl Into<PathBuf>) -> Self {
        self.log = Some(directory.into());
        self
    }

    /// Binds the factory to this name in the naming service that the ORB knows.
    pub fn bind(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Serves a web page, `/healthz` and `/metrics` at an address, such as `127.0.0.1:9814`.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Starts the server with an ORB that `configure` completes: endpoints, and options of the
    /// command line.
    ///
    /// # Errors
    /// The ORB or the console cannot listen, the log cannot be read, or the factory cannot be bound
    /// in the naming service.
    pub fn start(
        self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
    ) -> Result<Server, ServerError> {
        let transactions = match &self.log {
            Some(directory) => {
                let journal = DiskJournal::open(directory).map_err(ServerError::Log)?;
                self.transactions.journal(Arc::new(journal))
            }
            None => self.transactions.journal(Arc::new(MemoryJournal::new())),
        };
        let (transactions, metrics) = (transactions.build(), Metrics::new());
        let orb = configure(Orb::builder())?.initializer(metrics.clone());
        let orb = orb.initializer(transactions.clone()).build()?;
        let parts = (self.name, self.console);
        serve(&orb, transactions.clone(), metrics, parts).inspect_err(|_| {
            transactions.stop();
            orb.shutdown();
        })
    }
}

fn serve(
    orb: &Orb,
    transactions: Transactions,
    of_orb: Metrics,
    (name, console): (Option<String>, ConsoleOptions),
) -> Result<Server, ServerError> {
    let lifecycle = Lifecycle::new();
    transactions.start(orb)?;
    if let (Some(name), Some(factory)) = (&name, transactions.factory()) {
        orb.bind_name(name, factory)?;
    }
    let url = transactions.url().unwrap_or_default();
    let (counted, checked) = (transactions.clone(), transactions.clone());
    let events = Events::new();
    let console = console.start(&lifecycle, |console| {
        console
            .service("transactions")
            .check(move || match checked.has_failed() {
                true => Err("the log of transactions cannot be written; restart".to_owned()),
                false => Ok(()),
            })
            .metrics(move || metrics::text(&counted))
            .metrics(move || of_orb.to_prometheus())
            .pages(page::pages(&transactions))
            .events(&events)
    });
    let console = console.map_err(ServerError::Console)?;
    let watch = console.is_some().then(|| page::watch(&transactions, events));
    let watch = watch.transpose().map_err(ServerError::Console)?;
    Ok(Server { orb: orb.clone(), transactions, url, lifecycle, console, _watch: watch })
}

impl Server {
    /// Begins to make a server of these transactions. Their journal is that of the server.
    pub fn builder(transactions: TransactionsBuilder) -> ServerBuilder {
        ServerBuilder { transactions, log: None, name: None, console: ConsoleOptions::default() }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        &self.orb
    }

    /// The transactions.
    pub const fn transactions(&self) -> &Transactions {
        &self.transactions
    }

    /// The factory of transactions.
    pub fn factory(&self) -> Option<&TransactionFactoryRef> {
        self.transactions.factory()
    }

    /// The URL of the factory, `corbaloc::HOST:PORT/TransactionFactory`.
    pub fn url(&self) -> &str {
        &self.url
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
        Ok(armilla_service::run(&self.orb, &self.lifecycle, &self.url)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.lifecycle.set_draining();
        self.transactions.stop();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Why a server does not start or run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The ORB failed.
    Orb(SystemException),
    /// The log cannot be read.
    Log(io::Error),
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
            Self::Log(error) | Self::Console(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ServerError {}
