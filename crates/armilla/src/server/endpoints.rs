//! Listening and accepting.

use super::admit::accept_all;
use super::crew::Crew;
use crate::client::stream_options;
use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::local_endpoint::LocalEndpoint;
use crate::log::report;
use crate::orb::Orb;
use armilla_ipc::{Acceptor, Address, host};
use std::str::FromStr;
use std::sync::Arc;
use std::thread;

/// Where a server listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ListenAddress {
    /// `iiop://host:port`, either part of which may be left out. Without a host it listens on every
    /// interface and publishes the primary address of this host; without a port the system chooses
    /// one.
    Iiop { host: String, port: u16 },
    /// `uiop:///path` or `shmiop:///path`: for processes on this host, beside the others.
    Local(Address),
}

impl FromStr for ListenAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "an endpoint is iiop://HOST:PORT, with either part left out at will, \
                    uiop:///PATH or shmiop:///PATH";
        let local = [("uiop:///", Address::unix as fn(String) -> _), ("shmiop:///", Address::shm)];
        for (scheme, address) in local {
            if let Some(path) = text.strip_prefix(scheme) {
                return Ok(Self::Local(address(format!("/{path}"))));
            }
        }
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
        Ok(Self::Iiop { host: host.to_owned(), port })
    }
}

/// The listening endpoints of an ORB.
pub(crate) struct Server {
    acceptors: Vec<Arc<dyn Acceptor>>,
    crew: Arc<Crew>,
    /// Host and port as references carry them.
    published: Vec<(String, u16)>,
    /// Where processes on this host reach it besides.
    local: Vec<LocalEndpoint>,
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
        let any = ListenAddress::Iiop { host: String::new(), port: 0 };
        let none = !addresses.iter().any(|address| matches!(address, ListenAddress::Iiop { .. }));
        let addresses = addresses.iter().chain(none.then_some(&any));
        let crew = Crew::start(orb.settings()).map_err(|e| no_thread(&e))?;
        let (acceptors, published, local) = Default::default();
        let mut server = Self { acceptors, crew, published, local };
        for address in addresses {
            server.listen(orb, address, publish)?;
        }
        Ok(server)
    }

    fn listen(
        &mut self,
        orb: &Orb,
        address: &ListenAddress,
        publish: Option<&str>,
    ) -> Result<(), SystemException> {
        let acceptor = match address {
            ListenAddress::Iiop { host, port } => {
                let everywhere = if host.is_empty() { "0.0.0.0" } else { host };
                let acceptor = listen(orb, &Address::tcp(everywhere, *port))?;
                self.published.push(published(host, *port, acceptor.local(), publish));
                acceptor
            }
            ListenAddress::Local(address) => {
                self.local.push(LocalEndpoint::here(address));
                listen(orb, address)?
            }
        };
        self.accept(orb, acceptor)
    }

    /// The endpoints that only processes on this host can reach.
    pub(crate) fn local(&self) -> &[LocalEndpoint] {
        &self.local
    }

    /// The addresses that references carry.
    pub(crate) fn published(&self) -> &[(String, u16)] {
        &self.published
    }

    fn accept(&mut self, orb: &Orb, acceptor: Arc<dyn Acceptor>) -> Result<(), SystemException> {
        self.acceptors.push(acceptor.clone());
        let crew = self.crew.clone();
        let orb = orb.clone();
        thread::Builder::new()
            .name("armilla-accept".into())
            .spawn(move || accept_all(&orb, &*acceptor, &crew))
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
        let left = self.crew.registry.drain(orb.settings().drain_timeout);
        self.crew.dismiss();
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

fn listen(orb: &Orb, address: &Address) -> Result<Arc<dyn Acceptor>, SystemException> {
    let options = stream_options(orb.settings());
    armilla_ipc::listen(address, &options).map(Arc::from).map_err(|error| {
        SystemException::new(ExceptionKind::Initialize, Minor::LISTEN_FAILED, Completion::No)
            .because(error.to_string())
            .hint("another process may have it: -ORBEndpoint iiop://HOST:PORT chooses another")
    })
}

/// What references carry for an endpoint: the host that was asked for, and the port that it got.
fn published(host: &str, port: u16, local: &Address, publish: Option<&str>) -> (String, u16) {
    let everywhere = matches!(host, "" | "0.0.0.0" | "::");
    let host = match publish {
        Some(host) => host.to_owned(),
        None if everywhere => host::primary_address().to_string(),
        None => host.to_owned(),
    };
    match local {
        Address::Tcp { port, .. } => (host, *port),
        _ => (host, port),
    }
}
