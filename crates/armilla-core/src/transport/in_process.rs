//! The connection of an ORB with itself. Asynchronous calls of objects of the same process use it.
//! It needs no address, so it works whether or not the process can reach its published addresses.

use super::{Address, Listening, Stream, Transport};
use crate::settings::Settings;
use std::fmt;
use std::io;
use std::time::Duration;

/// Opens a connection of the process with itself.
pub type ConnectHere = dyn Fn() -> io::Result<Box<dyn Stream>> + Send + Sync;

/// The address of both ends of a connection of this process with itself.
pub const HERE: Address = Address::Abstract(Vec::new());

/// Whether the peer is this process.
#[inline]
pub fn is_here(peer: &Address) -> bool {
    *peer == HERE
}

/// The transport from an ORB to its own objects. References do not carry it.
pub(super) struct InProcess(pub(super) Box<ConnectHere>);

impl InProcess {
    /// The text differs from every valid address.
    pub(super) const NAME: &str = "this process";
}

impl Transport for InProcess {
    fn scheme(&self) -> &str {
        Self::NAME
    }

    fn form(&self) -> &str {
        Self::NAME
    }

    fn listen(&self, _endpoint: &str, _settings: &Settings) -> io::Result<Listening> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn connect(
        &self,
        _address: &str,
        _timeout: Duration,
        _settings: &Settings,
    ) -> io::Result<Box<dyn Stream>> {
        (self.0)()
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}
