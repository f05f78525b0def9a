//! From the process to itself: how calls for which no thread waits reach objects of their own process,
//! whatever its addresses are, and whether or not it could reach them.

use super::{Address, Listening, Stream, Transport};
use crate::settings::Settings;
use std::fmt;
use std::io;
use std::time::Duration;

/// Connects the process with itself.
pub(crate) type ConnectHere = dyn Fn() -> io::Result<Box<dyn Stream>> + Send + Sync;

/// The address of both ends of a connection of this process with itself.
pub(crate) const HERE: Address = Address::Abstract(Vec::new());

/// Whether it is this process itself that is at the other end.
pub(crate) fn is_here(peer: &Address) -> bool {
    *peer == HERE
}

/// The transport to the objects of one ORB, for that ORB. No reference carries it.
pub(super) struct InProcess(pub(super) Box<ConnectHere>);

impl InProcess {
    /// No text that somebody writes as an address is this one.
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
