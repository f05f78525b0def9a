//! A bridge as a process: `armilla bridge serve`.
//!
//! `metrics` is what Prometheus reads, `page` the web page. The listener, the stages and the frame of
//! the page are those of all services (`armilla-service`).

mod metrics;
mod page;

use crate::bridge::Bridge;
use crate::options::{BridgeError, BridgeOptions};
use armilla::observe::Metrics;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_dcom::client::{Client, ClientOptions};
use armilla_dcom::server::{Server as ComServer, ServerBuilder as ComBuilder, ServerOptions};
use armilla_service::{Console, ConsoleOptions, Events, Lifecycle};
use std::fmt;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often references without a call are looked for.
const SWEEP: Duration = Duration::from_secs(10);

/// A bridge that serves, with its ORB and its server of DCOM.
pub struct Server {
    orb: Orb,
    bridge: Bridge,
    com: ComServer,
    lifecycle: Lifecycle,
    console: Option<Console>,
    sweeper: Option<(Sender<()>, JoinHandle<()>)>,
}

/// A server to be started.
#[must_use = "only `start` starts the server"]
pub struct ServerBuilder {
    options: BridgeOptions,
    com: ServerOptions,
    address: String,
    accounts: Vec<(String, String)>,
    client: Option<ClientOptions>,
    console: ConsoleOptions,
}

impl ServerBuilder {
    /// Sets what crosses.
    pub fn options(mut self, options: BridgeOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets where programs of COM find the bridge: port 135 is where they look. Default:
    /// `127.0.0.1:135`.
    pub fn listen(mut self, address: impl Into<String>) -> Self {
        self.address = address.into();
        self
    }

    /// Changes how the server of DCOM behaves.
    pub fn com(mut self, change: impl FnOnce(&mut ServerOptions)) -> Self {
        change(&mut self.com);
        self
    }

    /// Adds a user of COM, with the password.
    pub fn account(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.accounts.push((user.into(), password.into()));
        self
    }

    /// Sets as whom the bridge calls objects of COM. Without it, it calls none.
    pub fn client(mut self, options: ClientOptions) -> Self {
        self.client = Some(options);
        self
    }

    /// Serves the web page, `/healthz` and `/metrics` at an address.
    pub fn console(mut self, options: impl Into<ConsoleOptions>) -> Self {
        self.console = options.into();
        self
    }

    /// Starts the server with an ORB that `configure` completes: endpoints, and options of the
    /// command line.
    ///
    /// # Errors
    /// The ORB, the server of DCOM or the console cannot listen, or an option is wrong.
    pub fn start(
        self,
        configure: impl FnOnce(OrbBuilder) -> Result<OrbBuilder, SystemException>,
    ) -> Result<Server, ServerError> {
        let metrics = Metrics::new();
        let orb = configure(Orb::builder())?.initializer(metrics.clone()).build()?;
        self.serve(&orb, metrics).inspect_err(|_| orb.shutdown())
    }

    fn serve(mut self, orb: &Orb, metrics: Metrics) -> Result<Server, ServerError> {
        let (events, lifecycle) = (Events::new(), Lifecycle::new());
        let client = self.client.map(Client::new).transpose().map_err(ServerError::Com)?;
        let most = self.options.most.unwrap_or(BridgeOptions::MOST);
        self.com.limits.max_objects = self.com.limits.max_objects.min(most);
        let bridge = Bridge::new(orb, self.options, client)?;
        bridge.serve_interfaces()?;
        let com = bridge.classes(ComBuilder::new(self.com));
        let with =
            |com: ComBuilder, (user, password): &(String, String)| com.account(user, password);
        let com = self.accounts.iter().fold(com, with);
        let com = com.listen(&*self.address).map_err(ServerError::Com)?;
        bridge.begin(com.exports());
        let counted = bridge.clone();
        let console = self.console.start(&lifecycle, |console| {
            console
                .metrics(move || metrics::text(&counted.counts()))
                .metrics(move || metrics.to_prometheus())
                .pages(page::pages(&bridge))
                .events(&events)
        });
        let console = console.map_err(ServerError::Console)?;
        let sweeper = Some(sweep(&bridge).map_err(ServerError::Com)?);
        Ok(Server { orb: orb.clone(), bridge, com, lifecycle, console, sweeper })
    }
}

/// A thread that forgets references without a call.
fn sweep(bridge: &Bridge) -> io::Result<(Sender<()>, JoinHandle<()>)> {
    let (stop, stopped) = mpsc::channel::<()>();
    let bridge = bridge.clone();
    let sweeper = thread::Builder::new().name("bridge-sweep".into()).spawn(move || {
        while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(SWEEP) {
            bridge.expire();
        }
    })?;
    Ok((stop, sweeper))
}

impl Server {
    /// Begins to make a server; clients of COM see this name of a computer.
    pub fn builder(computer: &str) -> ServerBuilder {
        ServerBuilder {
            options: BridgeOptions::default(),
            com: ServerOptions::new(computer),
            address: "127.0.0.1:135".to_owned(),
            accounts: Vec::new(),
            client: None,
            console: ConsoleOptions::default(),
        }
    }

    /// The ORB.
    pub const fn orb(&self) -> &Orb {
        &self.orb
    }

    /// The bridge.
    pub const fn bridge(&self) -> &Bridge {
        &self.bridge
    }

    /// The server of DCOM.
    pub const fn com(&self) -> &ComServer {
        &self.com
    }

    /// The console, if the server has one.
    pub const fn console(&self) -> Option<&Console> {
        self.console.as_ref()
    }

    /// Prints `ready HOST:PORT`, where programs of COM find the bridge, and serves until SIGINT,
    /// SIGTERM or a shutdown of the ORB; see [`armilla_service::run`].
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(self) -> Result<(), ServerError> {
        let address = self.com.address().to_string();
        Ok(armilla_service::run(&self.orb, &self.lifecycle, &address)?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.lifecycle.set_draining();
        if let Some((stop, sweeper)) = self.sweeper.take() {
            drop(stop);
            // It ends as soon as it hears nothing more.
            sweeper.join().ok();
        }
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("com", &self.com.address()).finish_non_exhaustive()
    }
}

/// Why a server does not start or run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The ORB failed.
    Orb(SystemException),
    /// What is to cross is not known.
    Bridge(BridgeError),
    /// The side of COM cannot be started.
    Com(io::Error),
    /// The console cannot be started.
    Console(io::Error),
}

impl From<SystemException> for ServerError {
    fn from(exception: SystemException) -> Self {
        Self::Orb(exception)
    }
}

impl From<BridgeError> for ServerError {
    fn from(error: BridgeError) -> Self {
        Self::Bridge(error)
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Orb(exception) => exception.fmt(f),
            Self::Bridge(error) => error.fmt(f),
            Self::Com(error) => write!(f, "the side of COM: {error}"),
            Self::Console(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ServerError {}
