//! How a server is put together and ends.

use super::activation::Classes;
use super::exports::{Bindings, Exports};
use super::object::Factory;
use super::service::{Accounts, ObjectService};
use super::users::{Usage, UserQuotas, Users};
use crate::clock::Clock;
use crate::exporter::ExporterLimits;
use crate::string_array::{DualStringArray, SecurityBinding, StringBinding};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use armilla_dcerpc::Uuid;
use armilla_dcerpc::driver::{self, Listener, ListenerOptions};
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::ntlm::{NtHash, name_and_domain};
use armilla_dcerpc::security::service;
use core::time::Duration;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};

/// How often a server looks for what has expired.
const SWEEP: Duration = Duration::from_secs(10);

/// The port of resolvers, which a binding need not name.
const RESOLVER_PORT: u16 = 135;

/// How a server behaves.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Connections, security, and what is refused. `rpc.server.min_level` is the level below which
    /// nothing is executed: integrity, unless it is set lower for clients that cannot do better.
    pub rpc: ListenerOptions,
    /// How much is exported, at all and for one user.
    pub limits: ExporterLimits,
    /// What else one user may take.
    pub quotas: UserQuotas,
    /// The names or addresses that references give; empty for the address that it listens at, which
    /// must be one of a network card then.
    pub names: Vec<String>,
    /// Whether pings and resolving need no security, for clients that cannot do better. Off by default.
    pub allow_unsecured_pings: bool,
    /// The time of references.
    pub clock: Clock,
}

impl ServerOptions {
    /// The options of a host of this name.
    pub fn new(computer: &str) -> Self {
        Self {
            rpc: ListenerOptions::new(computer),
            limits: ExporterLimits::default(),
            quotas: UserQuotas::default(),
            names: Vec::new(),
            allow_unsecured_pings: false,
            clock: Clock::system(),
        }
    }
}

/// A server to be: its options, classes and accounts.
pub struct ServerBuilder {
    options: ServerOptions,
    classes: Classes,
    accounts: BTreeMap<String, NtHash>,
    lookup: Option<Accounts>,
    exporter: Option<String>,
}

impl ServerBuilder {
    /// A server with these options.
    pub fn new(options: ServerOptions) -> Self {
        let (classes, accounts) = (BTreeMap::new(), BTreeMap::new());
        Self { options, classes, accounts, lookup: None, exporter: None }
    }

    /// Adds a class.
    #[must_use]
    pub fn class(mut self, class: Uuid, factory: impl Factory) -> Self {
        self.classes.insert(class, Arc::new(factory));
        self
    }

    /// Adds a user, in whichever domain: `PLANT\\operator` and `operator@plant.example` are both `operator`.
    #[must_use]
    pub fn account(mut self, user: &str, password: &str) -> Self {
        self.accounts.insert(user.to_lowercase(), NtHash::of(password));
        self
    }

    /// Asks for the hash of a password by user and domain, if [`account`](Self::account) has none; for
    /// `operator@plant.example` without another domain by this, and then by its two parts.
    #[must_use]
    pub fn accounts(
        mut self,
        lookup: impl Fn(&str, &str) -> Option<NtHash> + Send + Sync + 'static,
    ) -> Self {
        self.lookup = Some(Box::new(lookup));
        self
    }

    /// Listens for calls of objects at an address of its own, apart from resolver and activation.
    #[must_use]
    pub fn exporter_at(mut self, address: &str) -> Self {
        self.exporter = Some(address.to_string());
        self
    }

    /// Listens; resolver and activation are at this address.
    ///
    /// # Errors
    ///
    /// If an address cannot be listened at, or references would name no address: set
    /// [`ServerOptions::names`] then.
    pub fn listen(self, address: impl ToSocketAddrs) -> io::Result<Server> {
        let Self { options, classes, accounts, lookup, exporter } = self;
        let users = Arc::new(Users::new(options.quotas, options.clock.clone()));
        let exports = Exports::new(options.limits, options.clock);
        let known = move |user: &str, domain: &str| {
            let hash = |user: &str, domain: &str| {
                let own = accounts.get(&user.to_lowercase()).copied();
                own.or_else(|| lookup.as_ref().and_then(|lookup| lookup(user, domain)))
            };
            let (name, of) = name_and_domain(user, domain);
            hash(user, domain).or_else(|| hash(name, of).filter(|_| name != user))
        };
        let least = options.rpc.server.min_level;
        let service = Arc::new(ObjectService {
            exports: exports.clone(),
            users: users.clone(),
            classes,
            accounts: Box::new(known),
            least,
            least_for_pings: if options.allow_unsecured_pings { AuthLevel::None } else { least },
        });
        let first = driver::listen(address, service.clone(), options.rpc.clone())?;
        let resolver = first.address();
        let mut listeners = vec![first];
        if let Some(address) = exporter {
            listeners.push(driver::listen(&*address, service, options.rpc)?);
        }
        let exporter = listeners.last().map_or(resolver, Listener::address);
        exports.set_bindings(Bindings {
            exporter: bindings(&options.names, exporter, None)?,
            resolver: bindings(&options.names, resolver, Some(RESOLVER_PORT))?,
        });
        let sweeper = Sweeper::start(exports.clone())?;
        let usage = Usage::new(exports.clone(), users);
        Ok(Server { exports, usage, listeners, exporter, _sweeper: sweeper })
    }
}

/// The bindings of an address; the port that clients assume is left out.
fn bindings(
    names: &[String],
    address: SocketAddr,
    assumed: Option<u16>,
) -> io::Result<DualStringArray> {
    let names = match names {
        [] if address.ip().is_unspecified() => {
            let text = "listening at all addresses needs ServerOptions::names for references";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        [] => vec![address.ip().to_string()],
        names => names.to_vec(),
    };
    let port = address.port();
    let binding = |name: &String| match assumed == Some(port) {
        true => StringBinding::tcp(name),
        false => StringBinding::tcp(&format!("{name}[{port}]")),
    };
    let security = [service::SPNEGO, service::NTLM]
        .map(|service| SecurityBinding { service: service.into(), principal: String::new() });
    Ok(DualStringArray { strings: names.iter().map(binding).collect(), security: security.into() })
}

/// A server that listens. It ends when this is dropped, and each connection when what its client has sent
/// by then is answered.
#[derive(Debug)]
pub struct Server {
    exports: Exports,
    usage: Usage,
    listeners: Vec<Listener>,
    exporter: SocketAddr,
    _sweeper: Sweeper,
}

impl Server {
    /// A server of a host of this name, without classes and accounts.
    pub fn builder(computer: &str) -> ServerBuilder {
        ServerBuilder::new(ServerOptions::new(computer))
    }

    /// Where resolver and activation are.
    pub fn address(&self) -> SocketAddr {
        self.listeners.first().map_or(self.exporter, Listener::address)
    }

    /// Where the objects are.
    pub fn exporter_address(&self) -> SocketAddr {
        self.exporter
    }

    /// What it exports: to make references, and to count them.
    pub fn exports(&self) -> &Exports {
        &self.exports
    }

    /// What users take of it.
    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Waits until it ends, which it does not by itself.
    pub fn wait(self) {
        for listener in self.listeners {
            listener.wait();
        }
    }
}

/// The thread that looks for what has expired.
#[derive(Debug)]
struct Sweeper {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sweeper {
    fn start(exports: Exports) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name("dcom-sweeper".to_string()).spawn(move || {
            while stopped.recv_timeout(SWEEP) == Err(RecvTimeoutError::Timeout) {
                exports.expire();
            }
        })?;
        Ok(Self { stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported where it happened.
            let _ = thread.join();
        }
    }
}
