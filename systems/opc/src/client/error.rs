//! What failed: a call, with OPC's words for it, or something on this side.

use crate::status::text;
use armilla_dcom::client;
use std::fmt;
use std::io;

/// A failure of a client of OPC.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A call failed; it says at which step, and what to change.
    Dcom(client::Error),
    /// The server does what it may not do, or lacks what it has to have.
    Server(String),
    /// Sinks cannot be offered.
    Sinks(io::Error),
    /// The server was silent for longer than it may be.
    Silent,
    /// The server says that it ends.
    Ending(String),
}

impl From<client::Error> for Error {
    fn from(error: client::Error) -> Self {
        Self::Dcom(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dcom(error) => match error.status() {
                // Those of OPC are unknown to DCOM.
                Some(status) if status.name().is_none() => {
                    write!(f, "{} {} at level {}: ", error.step, error.what, error.level)?;
                    f.write_str(&text(status))
                }
                _ => error.fmt(f),
            },
            Self::Server(what) => f.write_str(what),
            Self::Sinks(error) => write!(f, "the server cannot be given a sink: {error}"),
            Self::Silent => f.write_str(
                "the server sends nothing, though it was asked to: it does not reach this host \
                 (open the port that --sink names in the firewall, or use --poll)",
            ),
            Self::Ending(reason) => write!(f, "the server ends: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
