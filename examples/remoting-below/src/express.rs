//! A transport that references name object by object: TCP at a port that other calls do not use.

use armilla::Settings;
use armilla::transport::{Address, Listening, Stream, TaggedComponent, Transport, connect, listen};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The component of references to objects that have the port: its `HOST:PORT`. One for the world
/// outside would be asked of the OMG.
pub const EXPRESS: u32 = 0x4558_0003;

/// Endpoints `express://HOST:PORT`.
#[derive(Debug, Clone, Default)]
pub struct Express {
    address: Arc<OnceLock<String>>,
    connections: Arc<AtomicU32>,
}

impl Express {
    /// What the component says of where this listens, once it does.
    pub fn component(&self) -> Option<&str> {
        self.address.get().map(String::as_str)
    }

    /// How many connections it has made.
    pub fn connections(&self) -> u32 {
        self.connections.load(Ordering::Relaxed)
    }
}

impl Transport for Express {
    fn scheme(&self) -> &str {
        "express"
    }

    fn form(&self) -> &str {
        "express://HOST:PORT"
    }

    fn listen(&self, endpoint: &str, settings: &Settings) -> io::Result<Listening> {
        let acceptor = listen(&tcp(endpoint)?, &settings.stream_options())?;
        if let Address::Tcp { host, port } = acceptor.local() {
            self.address.get_or_init(|| format!("{host}:{port}"));
        }
        // References carry nothing of it, but for those to which the program adds the component.
        Ok(Listening { acceptor, publications: Vec::new() })
    }

    fn connect(
        &self,
        address: &str,
        timeout: Duration,
        settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        let place = address.strip_prefix("express://").unwrap_or(address);
        let options = settings.stream_options();
        let stream = connect(&tcp(place)?, Some(timeout), &options)?;
        self.connections.fetch_add(1, Ordering::Relaxed);
        Ok(stream)
    }

    fn read_component(&self, component: &TaggedComponent, _settings: &Settings) -> Option<String> {
        // A component that is not what it should be is none.
        let place =
            std::str::from_utf8(&component.data).ok().filter(|_| component.id == EXPRESS)?;
        tcp(place).ok().map(|_| format!("express://{place}"))
    }
}

/// The TCP address that `place` is.
fn tcp(place: &str) -> io::Result<Address> {
    format!("tcp://{place}").parse().map_err(io::Error::other)
}
