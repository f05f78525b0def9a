//! A transaction service as a process of its own: `armilla transactions serve`. Programs embed
//! [`Transactions`] instead, and save the calls to it.

mod metrics;
mod page;

use crate::corba::TransactionFactoryRef;
use crate::{DiskJournal, MemoryJournal, Transactions, TransactionsBuilder};
use armilla::{Orb, OrbBuilder, SystemException};
pub use armilla_service::ServerError;
use armilla_service::{Console, ConsoleOptions, Events, Process, Rounds};
use std::fmt;
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
    process: Process,
    transactions: Transactions,
    url: String,
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
                let journal = DiskJournal::open(directory).map_err(ServerError::service)?;
                self.transactions.journal(Arc::new(journal))
            }
            None => self.transactions.journal(Arc::new(MemoryJournal::new())),
        };
        let transactions = transactions.build();
        let initializer = transactions.clone();
        let configure = |orb| Ok(configure(orb)?.initializer(initializer));
        let parts = (self.name, self.console);
        let (process, (url, watch)) = Process::start(configure, |process| {
            let served = serve(process, &transactions, parts);
            served.inspect_err(|_| transactions.stop())
        })?;
        Ok(Server { process, transactions, url, _watch: watch })
    }
}

fn serve(
    process: &mut Process,
    transactions: &Transactions,
    (name, console): (Option<String>, ConsoleOptions),
) -> Result<(String, Option<Rounds>), ServerError> {
    transactions.start(process.orb())?;
    if let (Some(name), Some(factory)) = (&name, transactions.factory()) {
        process.orb().bind_name(name, factory)?;
    }
    let (counted, checked) = (transactions.clone(), transactions.clone());
    let events = Events::new();
    process.open_console(console, |console| {
        console
            .service("transactions")
            .check(move || match checked.has_failed() {
                true => Err("the log of transactions cannot be written; restart".to_owned()),
                false => Ok(()),
            })
            .metrics(move || metrics::text(&counted))
            .pages(page::pages(transactions))
            .events(&events)
    })?;
    let watch = process.console().map(|_| page::watch(transactions, &events));
    let watch = watch.transpose().map_err(ServerError::service)?;
    Ok((transactions.url().unwrap_or_default(), watch))
}

impl Server {
    /// Begins to make a server of these transactions. Their journal is that of the server.
    pub fn builder(transactions: TransactionsBuilder) -> ServerBuilder {
        ServerBuilder { transactions, log: None, name: None, console: ConsoleOptions::default() }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        self.process.orb()
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
        self.process.console()
    }

    /// Prints `ready URL` on standard output, and serves until SIGINT, SIGTERM or a shutdown of the
    /// ORB; see [`Process::run`].
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(self) -> Result<(), ServerError> {
        self.process.run(&self.url)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.lifecycle().set_draining();
        self.transactions.stop();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("url", &self.url).finish_non_exhaustive()
    }
}
