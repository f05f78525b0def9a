//! One of the services as a process of its own, as by `armilla locks serve`. What a service needs
//! that it does not make itself, such as its store, the program has made before.

use armilla::{Object, Orb, OrbBuilder, SystemException};
pub use armilla_service::ServerError;
use armilla_service::{Console, ConsoleBuilder, ConsoleOptions, Process};
use std::any::Any;
use std::fmt;

/// A service that was made in an ORB.
pub struct Served {
    /// Its name among the services of a host.
    pub name: &'static str,
    /// Its first object, which `bind` gives a name.
    pub object: Object,
    /// The URL of that.
    pub url: String,
    /// What Prometheus reads of it.
    pub metrics: Box<dyn Fn() -> String + Send + Sync>,
    /// Whether it works.
    pub check: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
    /// The service. It is dropped when the server ends.
    pub service: Box<dyn Any + Send>,
}

impl fmt::Debug for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A service that serves, with its ORB.
///
/// ```no_run
/// use armilla_cos::locks::LockOptions;
/// use armilla_cos::server::{Server, ServerError, locks};
/// use armilla_transactions::Transactions;
///
/// let transactions = Transactions::builder().build();
/// let (initializer, options) = (transactions.clone(), LockOptions::default());
/// let server = Server::builder().console("127.0.0.1:9815").start(
///     |orb| orb.initializer(initializer).listen("iiop://:11171"),
///     |orb| locks(orb, transactions, options),
/// )?;
/// server.run()?;
/// # Ok::<(), ServerError>(())
/// ```
pub struct Server {
    process: Process,
    url: String,
    _service: Box<dyn Any + Send>,
}

/// A server to be started.
#[derive(Debug, Default)]
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    name: Option<String>,
    console: ConsoleOptions,
}

impl ServerBuilder {
    /// Binds the first object of the service to this name in the naming service that the ORB knows.
    pub fn bind(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Serves `/healthz` and `/metrics` at an address, such as `127.0.0.1:9815`.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Starts the server with an ORB that `configure` completes, and a service that `serve` makes.
    ///
    /// # Errors
    /// The ORB or the console cannot listen, `serve` fails, or the name cannot be bound.
    pub fn start(
        self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
        serve: impl FnOnce(&Orb) -> Result<Served, SystemException>,
    ) -> Result<Server, ServerError> {
        let (process, (url, service)) = Process::start(configure, |process| {
            let Served { name: kind, object, url, metrics, check, service } = serve(process.orb())?;
            if let Some(name) = &self.name {
                process.orb().bind_name(name, &object)?;
            }
            let complete =
                |console: ConsoleBuilder| console.service(kind).check(check).metrics(metrics);
            process.open_console(self.console, complete)?;
            Ok((url, service))
        })?;
        Ok(Server { process, url, _service: service })
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

    /// The URL of the first object of the service.
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

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Ends a service when it is dropped.
struct AtTheEnd<F: FnMut()>(F);

impl<F: FnMut()> Drop for AtTheEnd<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Numbers as Prometheus reads them: names, what they say, values.
fn gauges(rows: &[(&str, &str, usize)]) -> String {
    let row = |(name, help, value): &(&str, &str, usize)| {
        format!(
            "# HELP armilla_{name} {help}\n# TYPE armilla_{name} gauge\narmilla_{name} {value}\n"
        )
    };
    rows.iter().map(row).collect()
}

/// A lock service, with transactions that are an initializer of the ORB and have not started.
///
/// # Errors
/// Those of [`LockService::serve`](crate::locks::LockService::serve) and of
/// [`Transactions::start`](armilla_transactions::Transactions::start).
pub fn locks(
    orb: &Orb,
    transactions: armilla_transactions::Transactions,
    options: crate::locks::LockOptions,
) -> Result<Served, SystemException> {
    transactions.start(orb)?;
    let made = crate::locks::LockService::serve(orb, &transactions, options);
    let service = made.inspect_err(|_| transactions.stop())?;
    let counted = service.clone();
    let metrics = move || {
        let (held, waiting, sets) = counted.totals();
        gauges(&[
            ("locks_held", "Locks that are held.", held),
            ("locks_waiting", "Requests that wait for a lock.", waiting),
            ("locks_sets", "Lock sets with locks or waits.", sets),
        ])
    };
    Ok(Served {
        name: "locks",
        object: service.factory().object().clone(),
        url: service.url().to_owned(),
        metrics: Box::new(metrics),
        check: Box::new(|| Ok(())),
        service: Box::new(AtTheEnd(move || {
            service.close();
            transactions.stop();
        })),
    })
}

/// A property service.
///
/// # Errors
/// Those of [`PropertyService::serve`](crate::properties::PropertyService::serve).
pub fn properties(
    orb: &Orb,
    store: crate::properties::Store,
    limits: crate::properties::PropertyLimits,
) -> Result<Served, SystemException> {
    let service = crate::properties::PropertyService::serve(orb, store, limits)?;
    let (counted, checked) = (service.clone(), service.clone());
    let metrics = move || {
        let (sets, properties, iterators) = counted.totals();
        gauges(&[
            ("property_sets", "Property sets.", sets),
            ("property_values", "Properties in all sets.", properties),
            ("property_iterators", "Iterators that are open.", iterators),
        ])
    };
    Ok(Served {
        name: "properties",
        object: service.factory().object().clone(),
        url: service.url().to_owned(),
        metrics: Box::new(metrics),
        check: Box::new(move || checked.check_store()),
        service: Box::new(service),
    })
}

/// A time service with timer events.
///
/// # Errors
/// Those of [`TimeService::serve`](crate::time::TimeService::serve) and of
/// [`TimerService::serve_store`](crate::timers::TimerService::serve_store).
pub fn time(
    orb: &Orb,
    options: crate::time::TimeOptions,
    timers: crate::timers::TimerOptions,
    store: crate::timers::Store,
) -> Result<Served, SystemException> {
    let time = crate::time::TimeService::serve(orb, options)?;
    let timers = crate::timers::TimerService::serve_store(orb, &time, store, timers)?;
    let (counted, checked) = (timers.clone(), timers.clone());
    let metrics = move || {
        let (all, set, missed) = counted.totals();
        let missed = usize::try_from(missed).unwrap_or(usize::MAX);
        gauges(&[
            ("timers", "Timers.", all),
            ("timers_set", "Timers of which an event is to come.", set),
            ("timers_missed", "Events of periodic timers that were left out.", missed),
        ])
    };
    Ok(Served {
        name: "time",
        object: time.reference().object().clone(),
        url: time.url().to_owned(),
        metrics: Box::new(metrics),
        check: Box::new(move || checked.check_store()),
        service: Box::new(AtTheEnd(move || timers.close())),
    })
}

/// A factory finder.
///
/// # Errors
/// Those of [`Finder::serve`](crate::lifecycle::Finder::serve).
pub fn finder(orb: &Orb, finder: crate::lifecycle::Finder) -> Result<Served, SystemException> {
    let (object, url) = finder.serve(orb)?;
    Ok(Served {
        name: "lifecycle",
        object: object.object().clone(),
        url,
        metrics: Box::new(String::new),
        check: Box::new(|| Ok(())),
        service: Box::new(()),
    })
}
