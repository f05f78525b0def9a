//! What failed: a call, with OPC's words for it, or something on this side.

use crate::status::text;
use armilla_dcerpc::Status;
use armilla_dcerpc::client::ClientError;
use armilla_dcerpc::driver::DriverError;
use armilla_dcerpc::security::SecurityError;
use armilla_dcom::client::{self, Cause};
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
    /// No server of the host has this program id.
    NoServer(String, Status),
    /// No branch has this name; as what the server says that.
    NoBranch(String, Status),
    /// The server has none of the items that were to be watched.
    NoItems,
    /// Sinks cannot be offered.
    Sinks(io::Error),
    /// The server could not call a sink, and so takes none.
    Uncalled(client::Error),
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

impl Error {
    /// Whether it will fail again: what was asked for is wrong, or the server does not know who asks.
    /// Whoever tries a wrong password again and again has the account locked.
    pub fn is_mistake(&self) -> bool {
        let Self::Dcom(error) = self else {
            return matches!(self, Self::NoServer(..) | Self::NoItems);
        };
        match &*error.cause {
            Cause::Status(status) => matches!(
                *status,
                Status::LOGON_FAILURE
                    | Status::ACCESS_DENIED
                    | Status::E_ACCESS_DENIED
                    | Status::CLASS_NOT_REGISTERED
                    | Status::INVALID_ARGUMENT
            ),
            Cause::Connection(DriverError::Client(error)) => matches!(
                error,
                ClientError::Refused(9) | ClientError::Security(SecurityError::Rejected)
            ),
            _ => false,
        }
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
            Self::NoServer(prog_id, status) => write!(
                f,
                "no server has the program id {prog_id}: {} (list shows those that there are)",
                text(*status)
            ),
            Self::NoBranch(name, status) => write!(
                f,
                "no branch has the name {name}: {} (browse shows those that there are; each name is an \
                 argument of its own)",
                text(*status)
            ),
            Self::NoItems => f.write_str("the server has none of the items"),
            Self::Sinks(error) => write!(f, "the server cannot be given a sink: {error}"),
            Self::Uncalled(error) => write!(
                f,
                "{error} (the server could not call this host back: see --sink, --name and \
                 --allow-low-level, and which of its calls were refused here; or use --poll)"
            ),
            Self::Silent => f.write_str(
                "the server sends nothing, though it was asked to: it does not reach this host \
                 (open the port that --sink names in the firewall, or use --poll)",
            ),
            Self::Ending(reason) => write!(f, "the server ends: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
