//! A bridge as a process: `armilla bridge serve`.
//!
//! `metrics` is what Prometheus reads, `page` the web page. The listener, the stages and the frame of
//! the page are those of all services (`armilla-service`).

mod metrics;
mod page;

use crate::bridge::Bridge;
use crate::options::BridgeOptions;
use armilla::{Orb, OrbBuilder, SystemException};
use armilla_dcom::client::{Client, ClientOptions};
use armilla_dcom::server::{Server as ComServer, ServerBuilder as ComBuilder, ServerOptions};
pub use armilla_service::ServerError;
use armilla_service::{Console, ConsoleOptions, Events, Process};
use std::fmt;
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often references without a call are looked for.
const SWEEP: Duration = Duration::from_secs(10);

/// A bridge that serves, with its ORB and its server of DCOM.
pub struct Server {
    process: Process,
    bridge: Bridge,
    com: ComServer,
    sweeper: Option<Sweeper>,
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
        let (process, parts) = Process::start(configure, |process| self.serve(process))?;
        let (bridge, com, sweeper) = parts;
        Ok(Server { process, bridge, com, sweeper: Some(sweeper) })
    }

    fn serve(mut self, process: &mut Process) -> Result<(Bridge, ComServer, Sweeper), ServerError> {
        let client = self.client.map(Client::new).transpose().map_err(in_com)?;
        let most = self.options.most.unwrap_or(BridgeOptions::MOST);
        let limits = &mut self.com.limits;
        limits.max_objects = limits.max_objects.min(most);
        // Something is left for other users.
        limits.max_objects_of_user = limits.max_objects_of_user.min(limits.max_objects.div_ceil(2));
        let bridge =
            Bridge::new(process.orb(), self.options, client).map_err(ServerError::service)?;
        bridge.serve_interfaces()?;
        let com = bridge.classes(ComBuilder::new(self.com));
        let with =
            |com: ComBuilder, (user, password): &(String, String)| com.account(user, password);
        let com = self.accounts.iter().fold(com, with);
        let com = com.listen(&*self.address).map_err(in_com)?;
        let usage = com.usage().clone();
        bridge.begin(com.exports());
        let (counted, events) = (bridge.clone(), Events::new());
        process.open_console(self.console, |console| {
            console
                .metrics(move || metrics::text(&counted.counts(), &usage))
                .pages(page::pages(&bridge))
                .events(&events)
        })?;
        let sweeper = sweep(&bridge).map_err(in_com)?;
        Ok((bridge, com, sweeper))
    }
}

fn in_com(error: io::Error) -> ServerError {
    ServerError::service(format!("the side of COM: {error}"))
}

/// A thread that looks for such references until this is dropped.
type Sweeper = (Sender<()>, JoinHandle<()>);

/// A thread that forgets references without a call.
fn sweep(bridge: &Bridge) -> io::Result<Sweeper> {
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
        self.process.orb()
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
        self.process.console()
    }

    /// Prints `ready HOST:PORT`, where programs of COM find the bridge, and serves until SIGINT,
    /// SIGTERM or a shutdown of the ORB; see [`Process::run`].
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
    pub fn run(self) -> Result<(), ServerError> {
        let address = self.com.address().to_string();
        self.process.run(&address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.lifecycle().set_draining();
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
