//! A server of the simulated plant: objects of DCOM around the model.

mod browsing;
mod common;
mod enumerator;
mod group;
mod items;
mod list;
mod live;
mod outbox;
mod read_write;
mod session;
mod settings;
mod simulation;

use armilla_dcerpc::Uuid;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::Credentials;
use armilla_dcom::Clock;
use armilla_dcom::client::{Client, ClientOptions};
use armilla_dcom::server::{Caller, Object, ObjectCall, Server, ServerBuilder, ServerOptions};
use list::ServerList;
use session::Session;
use simulation::Simulation;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// An object of the server, for one call of it: what its interfaces are implemented for.
struct Called<'a, T> {
    on: &'a T,
    call: &'a ObjectCall<'a>,
}

/// The class of the simulated plant.
pub const CLASS: Uuid = Uuid::literal("8a4bd5c1-6d63-4c0e-9d53-2f1a70e0c0a1");
/// The program id of the simulated plant.
pub const PROG_ID: &str = "Armilla.Plant.1";

/// What a server serves, to whom, and how much of it.
#[derive(Debug, Clone)]
pub struct PlantOptions {
    /// Who may call, and as whom sinks are called.
    pub credentials: Credentials,
    /// How many tanks there are.
    pub tanks: usize,
    /// How many counters there are, each of which counts ten times a second.
    pub counters: usize,
    /// Whether clients may activate at level connect, and prove themselves by NTLM version 1, and
    /// whether sinks are called without security that take no other calls: for clients that cannot do
    /// better.
    pub allow_low_level: bool,
    /// The names or addresses that references give; empty for the address that it listens at.
    pub names: Vec<String>,
    /// How long a sink may take for one call before it is left out.
    pub sink_timeout: Duration,
    /// How much clients may have.
    pub limits: Limits,
    /// The time of references and of the plant.
    pub clock: Clock,
    /// Whether the plant moves by itself; else [`PlantServer::run`] moves it to the clock's time.
    pub by_itself: bool,
}

/// How much clients may have at once.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Objects of the class of the server.
    pub sessions: usize,
    /// Groups of all sessions.
    pub groups: usize,
    /// Groups of one session.
    pub groups_of_session: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { sessions: 256, groups: 512, groups_of_session: 64 }
    }
}

impl PlantOptions {
    /// Four tanks and a hundred counters, for this account.
    pub fn new(credentials: Credentials) -> Self {
        Self {
            credentials,
            tanks: 4,
            counters: 100,
            allow_low_level: false,
            names: Vec::new(),
            sink_timeout: Duration::from_secs(5),
            limits: Limits::default(),
            clock: Clock::system(),
            by_itself: true,
        }
    }
}

/// A server that listens. It ends when this is dropped.
#[derive(Debug)]
pub struct PlantServer {
    simulation: Arc<Simulation>,
    server: Server,
}

impl PlantServer {
    /// Serves a plant at this address. Clients find classes at port 135 of a host, unless they are told
    /// another one.
    ///
    /// # Errors
    ///
    /// As for [`ServerBuilder::listen`], and if the operating system gives no thread.
    pub fn listen(options: PlantOptions, address: impl ToSocketAddrs) -> io::Result<Self> {
        let mut sinks = ClientOptions::new(options.credentials.clone());
        (sinks.timeout, sinks.connect_timeout) = (options.sink_timeout, options.sink_timeout);
        let mut clients = vec![Client::new(sinks.clone())?];
        let mut server = ServerOptions::new("PLANT");
        server.names.clone_from(&options.names);
        server.clock = options.clock.clone();
        if options.allow_low_level {
            (sinks.level, sinks.allow_low_level) = (AuthLevel::None, true);
            clients.push(Client::new(sinks)?);
            server.rpc.server.min_level = AuthLevel::Connect;
            server.rpc.ntlm.allow_version_1 = true;
            server.allow_unsecured_pings = true;
        }
        let account = options.credentials.clone();
        let simulation = Simulation::new(&options, clients);
        let served = simulation.clone();
        let session = move |_: &Caller<'_>| Session::create(&served);
        let list = |_: &Caller<'_>| Ok(Arc::new(ServerList) as Arc<dyn Object>);
        let server = ServerBuilder::new(server)
            .accounts(move |user, _| account.hash_of(user))
            .class(CLASS, session)
            .class(crate::wire::OPC_ENUM, list)
            .listen(address)?;
        if options.by_itself {
            simulation.run_by_itself()?;
        }
        Ok(Self { simulation, server })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// How many objects clients have, of all kinds.
    pub fn objects(&self) -> usize {
        self.server.exports().len()
    }

    /// Forgets clients that are silent for longer than they may be.
    pub fn expire(&self) {
        self.server.exports().expire();
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.simulation.group_count()
    }

    /// Moves the plant to the clock's time, and tells clients what is due.
    pub fn run(&self) {
        self.simulation.run();
    }

    /// Tells all clients that the server ends.
    pub fn announce_end(&self, reason: &str) {
        self.simulation.announce_end(reason);
    }
}

impl Drop for PlantServer {
    fn drop(&mut self) {
        self.simulation.stop();
    }
}
