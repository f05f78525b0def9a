//! Listening and accepting.

use super::connection::Connection;
use super::registry::Registry;
use crate::client::stream_options;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::orb::Orb;
use armilla_ipc::{Acceptor, Address, Stream, host};
use std::str::FromStr;
use std::sync::Arc;
use std::thread;

/// Where a server listens: `iiop://host:port`, either part of which may be left out. Without a host
/// it listens on every interface and publishes the primary address of this host; without a port the
/// system chooses one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListenAddress {
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "an endpoint is iiop://HOST:PORT, with either part left out at will";
        let bare = text
            .strip_prefix("iiop://")
            .or_else(|| text.strip_prefix("giop:tcp:"))
            .ok_or_else(|| format!("{text:?}: {form}"))?;
        let (host, port) = match bare.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port),
            _ => (bare, ""),
        };
        let port = match port {
            "" => 0,
            port => port.parse().map_err(|_| format!("{text:?}: {port:?} is no TCP port"))?,
        };
        let host = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')).unwrap_or(host);
        Ok(Self { host: host.to_owned(), port })
    }
}

/// The listening endpoints of an ORB.
pub(crate) struct Server {
    acceptors: Vec<Arc<dyn Acceptor>>,
    registry: Arc<Registry>,
    /// Host and port as references carry them.
    published: Vec<(String, u16)>,
}

impl Server {
    /// Opens `addresses` and begins to accept.
    ///
    /// # Errors
    /// `INITIALIZE` when one cannot be opened.
    pub(crate) fn open(
        orb: &Orb,
        addresses: &[ListenAddress],
        publish: Option<&str>,
    ) -> Result<Self, SystemException> {
        let any = [ListenAddress { host: String::new(), port: 0 }];
        let addresses = if addresses.is_empty() { &any } else { addresses };
        let registry = Registry::start(orb.settings()).map_err(|e| no_thread(&e))?;
        let mut server = Self { acceptors: Vec::new(), registry, published: Vec::new() };
        for address in addresses {
            let acceptor = listen(orb, address)?;
            server.published.push(published(address, acceptor.local(), publish));
            server.accept(orb, acceptor)?;
        }
        Ok(server)
    }

    /// The addresses that references carry.
    pub(crate) fn published(&self) -> &[(String, u16)] {
        &self.published
    }

    fn accept(&mut self, orb: &Orb, acceptor: Arc<dyn Acceptor>) -> Result<(), SystemException> {
        self.acceptors.push(acceptor.clone());
        let registry = self.registry.clone();
        let orb = orb.clone();
        thread::Builder::new()
            .name("armilla-accept".into())
            .spawn(move || accept_all(&orb, &*acceptor, &registry))
            .map(drop)
            .map_err(|error| {
                SystemException::new(
                    ExceptionKind::NoResources,
                    Minor::THREAD_FAILED,
                    Completion::No,
                )
                .because(format!("no thread to accept connections: {error}"))
            })
    }

    /// Stops accepting, lets calls under way end, and closes every connection in order.
    pub(crate) fn close(&self, orb: &Orb) {
        self.acceptors.iter().for_each(|acceptor| acceptor.close());
        let left = self.registry.drain(orb.settings().drain_timeout);
        if left > 0 {
            report!(
                warn,
                "connections with calls still under way after drain_timeout",
                left = left
            );
        }
    }
}

#[cold]
fn no_thread(error: &std::io::Error) -> SystemException {
    SystemException::new(ExceptionKind::NoResources, Minor::THREAD_FAILED, Completion::No)
        .because(format!("no thread to serve connections: {error}"))
}

fn listen(orb: &Orb, address: &ListenAddress) -> Result<Arc<dyn Acceptor>, SystemException> {
    let host = if address.host.is_empty() { "0.0.0.0" } else { &address.host };
    let place = Address::tcp(host, address.port);
    let options = stream_options(orb.settings());
    armilla_ipc::listen(&place, &options).map(Arc::from).map_err(|error| {
        SystemException::new(ExceptionKind::Initialize, Minor::LISTEN_FAILED, Completion::No)
            .because(error.to_string())
            .hint("another process may have this port: -ORBEndpoint iiop://HOST:PORT chooses one")
    })
}

/// What references carry for an endpoint: the host that was asked for, and the port that it got.
fn published(wanted: &ListenAddress, local: &Address, publish: Option<&str>) -> (String, u16) {
    let everywhere = matches!(wanted.host.as_str(), "" | "0.0.0.0" | "::");
    let host = match publish {
        Some(host) => host.to_owned(),
        None if everywhere => host::primary_address().to_string(),
        None => wanted.host.clone(),
    };
    let port = match local {
        Address::Tcp { port, .. } => *port,
        _ => wanted.port,
    };
    (host, port)
}

fn accept_all(orb: &Orb, acceptor: &dyn Acceptor, registry: &Arc<Registry>) {
    loop {
        match acceptor.accept() {
            Ok(Some(stream)) => admit(orb, stream, registry),
            Ok(None) => return,
            Err(error) => {
                report!(error, "no longer accepting", endpoint = acceptor.local(), error = error);
                return;
            }
        }
    }
}

/// Gives the connection a thread of its own.
fn admit(orb: &Orb, stream: Box<dyn Stream>, registry: &Arc<Registry>) {
    let stream: Arc<dyn Stream> = stream.into();
    let limit = orb.settings().max_connections;
    let Some(place) = registry.enter(&stream, limit) else {
        report!(warn, "refused: max_connections are open", peer = stream.peer(), limit = limit);
        return Connection::turn_away(&*stream);
    };
    let mut connection = Connection::new(orb.clone(), stream, place);
    let spawned =
        thread::Builder::new().name("armilla-serve".into()).spawn(move || connection.serve());
    if let Err(error) = spawned {
        report!(error, "no thread for a connection; it is closed", error = error);
    }
}
