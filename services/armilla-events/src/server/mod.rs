//! A service of event channels as a server process: `armilla events serve`.
//!
//! `service` has the channels, `factory` is the object that makes them, `operators` says who may
//! have it do so, `metrics` is what Prometheus reads, `page` the web page. The listener, the stages
//! and the frame of the pages are those of all services (`armilla-service`).

mod factory;
mod metrics;
mod operators;
mod page;
mod service;

use crate::corba::factory::{ChannelFactoryRef, channel_factory};
use crate::options::ChannelLimits;
use crate::store::{KeptChannel, Store};
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_security::ServerSecurity;
pub use armilla_service::ServerError;
use armilla_service::{Console, ConsoleOptions, Events, Process};
use factory::Factory;
use operators::Operators;
use service::{ChannelError, OWN_NAMES, Parts, Service};
use std::fmt;
use std::sync::Arc;

/// The object key of the factory in `corbaloc:` URLs.
pub const KEY: &str = OWN_NAMES[0];

/// The POA of the factory, above those of the channels: `poa:events` for an implementation
/// repository.
pub const ADAPTER: &str = "events";

/// A service of event channels that serves, with its ORB.
///
/// # Examples
/// ```no_run
/// use armilla_events::Store;
/// use armilla_events::server::Server;
///
/// let server = Server::builder()
///     .store(Store::in_memory())
///     .channel("alarms")
///     .console("127.0.0.1:9813")
///     .start(|orb| orb.listen("iiop://:11169"))?;
/// server.run()?;
/// # Ok::<(), armilla_events::server::ServerError>(())
/// ```
pub struct Server {
    process: Process,
    service: Arc<Service>,
    factory: ChannelFactoryRef,
    url: String,
}

/// A server to be started.
#[derive(Debug)]
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    store: Store,
    limits: ChannelLimits,
    most: usize,
    channels: Vec<String>,
    operators: Operators,
    name: Option<String>,
    context: Option<String>,
    security: Option<ServerSecurity>,
    console: ConsoleOptions,
}

impl ServerBuilder {
    /// Sets the store of channels and their clients. By default they are in memory only.
    pub fn store(mut self, store: Store) -> Self {
        self.store = store;
        self
    }

    /// Sets the bounds of channels that are made without bounds of their own.
    pub const fn limits(mut self, limits: ChannelLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how many channels there are at most. Default: 32.
    pub const fn channels(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Makes a channel with this name, unless the store has it.
    pub fn channel(mut self, name: impl Into<String>) -> Self {
        self.channels.push(name.into());
        self
    }

    /// Lets clients on other hosts make and remove channels. Default: no.
    pub const fn remote_operators(mut self, allowed: bool) -> Self {
        self.operators.remote = allowed;
        self
    }

    /// Adds a user who may make and remove channels. Then only such users may, over transports for
    /// which the kernel vouches.
    pub fn operator_user(mut self, user: u32) -> Self {
        self.operators.users.push(user);
        self
    }

    /// Binds the factory to this name in the naming service that the ORB knows.
    pub fn bind(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Binds each channel, by its name, in this context of the naming service that the ORB knows.
    pub fn bind_channels(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Gives the ORB what knows who calls, whose [limits](armilla_security::Limits) say how many events
    /// each may push. An event beyond them is refused with `TRANSIENT`.
    pub fn security(mut self, security: ServerSecurity) -> Self {
        self.security = Some(security);
        self
    }

    /// Serves the web page, `/healthz` and `/metrics` at an address, such as `127.0.0.1:9813`.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Starts the server with an ORB that `configure` completes: endpoints, and options of the
    /// command line.
    ///
    /// # Errors
    /// The ORB or the console cannot listen, the store cannot be read, the factory cannot be bound
    /// in the naming service, or a channel cannot be made.
    pub fn start(
        self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
    ) -> Result<Server, ServerError> {
        let initializer = self.security.clone();
        let configure = |orb| {
            let orb: OrbBuilder = configure(orb)?;
            Ok(initializer.into_iter().fold(orb, OrbBuilder::initializer))
        };
        let (process, parts) = Process::start(configure, |process| self.serve(process))?;
        let (service, factory, url) = parts;
        Ok(Server { process, service, factory, url })
    }

    fn serve(
        self,
        process: &mut Process,
    ) -> Result<(Arc<Service>, ChannelFactoryRef, String), ServerError> {
        let (orb, events) = (process.orb(), Events::new());
        let poa = orb.root_poa().create_poa(ADAPTER).persistent().user_ids().build();
        let poa = poa.map_err(SystemException::from)?;
        let parts = Parts {
            store: self.store,
            defaults: self.limits,
            most: self.most,
            operators: self.operators,
            context: self.context,
            security: self.security,
            changed: events.clone(),
            lifecycle: process.lifecycle().clone(),
        };
        let service = Service::new(orb, &poa, parts);
        let factory = channel_factory::tie(Factory(Arc::downgrade(&service)));
        let factory = poa.activate_with_id("factory", factory).map_err(SystemException::from)?;
        let urls = OWN_NAMES.map(|name| orb.publish(name, &factory));
        let [url, ..] = urls;
        let url = url?;
        service.restore()?;
        for name in &self.channels {
            match service.create(name, KeptChannel::default()) {
                Ok(_) | Err(ChannelError::Exists) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(name) = &self.name {
            orb.bind_name(name, &factory)?;
        }
        let (counted, checked) = (service.clone(), service.clone());
        process.open_console(self.console, |console| {
            console
                .service("events")
                .check(move || checked.check())
                .metrics(move || metrics::text(&counted.counts()))
                .pages(page::pages(&service))
                .events(&events)
        })?;
        Ok((service, factory, url))
    }
}

impl Server {
    /// Begins to make a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder {
            store: Store::in_memory(),
            limits: ChannelLimits::default(),
            most: 32,
            channels: Vec::new(),
            operators: Operators::default(),
            name: None,
            context: None,
            security: None,
            console: ConsoleOptions::default(),
        }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        self.process.orb()
    }

    /// The factory of channels.
    pub const fn factory(&self) -> &ChannelFactoryRef {
        &self.factory
    }

    /// The URL of the factory, `corbaloc::HOST:PORT/EventChannelFactory`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The console, if the server has one.
    pub const fn console(&self) -> Option<&Console> {
        self.process.console()
    }

    /// Whether the service can do its work: whether the store can be written.
    ///
    /// # Errors
    /// Says what it cannot do, and why.
    pub fn check(&self) -> Result<(), String> {
        self.service.check()
    }

    /// Prints `ready URL` on standard output, and serves until SIGINT, SIGTERM or a shutdown of the
    /// ORB; see [`Process::run`]. With a store, the clients stay connected for the next
    /// process.
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
        self.service.close();
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("url", &self.url).finish_non_exhaustive()
    }
}

impl From<ChannelError> for ServerError {
    fn from(error: ChannelError) -> Self {
        match error {
            ChannelError::Refused(why) => Self::service(why),
            other => Self::service(format!("{other:?}")),
        }
    }
}
