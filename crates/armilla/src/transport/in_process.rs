//! From the process to itself: how calls for which no thread waits reach objects of their own process,
//! whatever its addresses are, and whether or not it could reach them.

use super::{Listening, Stream, Transport};
use crate::orb::WeakOrb;
use crate::settings::Settings;
use std::fmt;
use std::io;
use std::time::Duration;

/// The transport to the objects of one ORB, for that ORB. No reference carries it.
pub(super) struct InProcess(pub(super) WeakOrb);

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
        let orb = self.0.upgrade().ok_or(io::ErrorKind::NotConnected)?;
        orb.server().map_err(io::Error::other)?.connect_here(&orb)
    }
}

impl fmt::Debug for InProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InProcess")
    }
}
