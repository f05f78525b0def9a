//! What failed, at which step, and what to change on the other side.

use crate::error::ObjRefError;
use crate::error_info::ErrorInfo;
use alloc::boxed::Box;
use alloc::string::String;
use armilla_dcerpc::Status;
use armilla_dcerpc::client::ClientError;
use armilla_dcerpc::driver::DriverError;
use armilla_dcerpc::ndr::NdrError;
use armilla_dcerpc::pdu::AuthLevel;
use armilla_dcerpc::security::SecurityError;
use core::fmt;

/// What a client was doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// It looked for the exporter of an object.
    Resolve,
    /// It activated a class.
    Activate,
    /// It connected to a server, and proved who it is.
    Bind,
    /// It called an object.
    Call,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Resolve => "resolve",
            Self::Activate => "activate",
            Self::Bind => "bind",
            Self::Call => "call",
        })
    }
}

/// Why something failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Cause {
    /// The server says so: an HRESULT, a fault, or the status of the resolver.
    Status(Status),
    /// The connection, the protocol or security failed.
    Connection(DriverError),
    /// None of the addresses could be reached; each of them with its reason.
    Unreachable(String),
    /// None of the names of the host is known here; each of them with its reason.
    UnknownHost(String),
    /// An argument has a value that cannot travel as its type. Nothing was sent.
    Argument(NdrError),
    /// The server answered what is no such answer.
    Malformed(ObjRefError),
    /// The reference is one that only the class of its handler understands.
    CustomReference(armilla_dcerpc::Uuid),
    /// A member that was called by name failed, and says so itself; or a method, with an error object
    /// (`IErrorInfo`).
    Exception {
        /// The program.
        source: String,
        /// What happened.
        description: String,
        /// The HRESULT that it names.
        status: Status,
    },
    /// The answer lacks something that it has to have.
    Missing(&'static str),
}

impl Cause {
    /// A failure of a method, with what its object says of it.
    pub(super) fn of_failure(status: Status, error_info: Option<ErrorInfo>) -> Self {
        match error_info {
            Some(ErrorInfo { source, description, .. }) => {
                Self::Exception { source, description, status }
            }
            None => Self::Status(status),
        }
    }
}

/// A failure of a client.
#[derive(Debug)]
pub struct Error {
    /// What the client was doing.
    pub step: Step,
    /// With which class, object or host.
    pub what: String,
    /// The level of security at which it was done.
    pub level: AuthLevel,
    /// Why it failed.
    pub cause: Box<Cause>,
}

impl Error {
    pub(super) fn new(step: Step, what: impl Into<String>, level: AuthLevel, cause: Cause) -> Self {
        let cause = match cause {
            // One way to say it: the server's own status.
            Cause::Connection(DriverError::Fault(fault)) => Cause::Status(fault.status),
            Cause::Connection(DriverError::Client(ClientError::BindFault(status))) => {
                Cause::Status(status)
            }
            cause => cause,
        };
        Self { step, what: what.into(), level, cause: Box::new(cause) }
    }

    /// What the server says, if it was the server that refused.
    pub fn status(&self) -> Option<Status> {
        match *self.cause {
            Cause::Status(status) | Cause::Exception { status, .. } => Some(status),
            _ => None,
        }
    }

    /// The HRESULT as which a program of COM would see it.
    pub fn hresult(&self) -> Status {
        match &*self.cause {
            Cause::Status(status) | Cause::Exception { status, .. } => *status,
            Cause::Connection(_) | Cause::Unreachable(_) | Cause::UnknownHost(_) => {
                Status::RPC_UNAVAILABLE
            }
            Cause::Argument(_) => Status::INVALID_ARGUMENT,
            Cause::Malformed(ObjRefError::Value(_)) => Status::BAD_STUB,
            Cause::Malformed(_) | Cause::CustomReference(_) | Cause::Missing(_) => {
                Status::UNEXPECTED
            }
        }
    }

    /// What to change, most often on the side of the server.
    pub fn hint(&self) -> Option<&'static str> {
        match &*self.cause {
            Cause::Status(status) => hint_of_status(self.step, *status),
            Cause::Unreachable(_) => Some(
                "see whether the server runs, and open port 135 and its ports in its firewall; if it \
                 is reached by other addresses than these, give the client one for them: --address \
                 of the commands, in programs `addresses` of its options",
            ),
            Cause::UnknownHost(_) => Some(
                "see whether the name is written right, and known to DNS or in /etc/hosts; a name \
                 that only a reference of the server has is given an address by --address of the \
                 commands, in programs by `addresses` of the client's options",
            ),
            Cause::Connection(DriverError::Client(error)) => hint_of_client(error),
            Cause::Connection(DriverError::TimedOut) => Some(
                "the server accepts the connection and does not answer: see whether its program \
                 hangs or shows a dialog, or give it more time (--timeout)",
            ),
            Cause::CustomReference(_) => {
                Some("the object marshals itself: its class has to be present at the client")
            }
            _ => None,
        }
    }
}

fn hint_of_client(error: &ClientError) -> Option<&'static str> {
    match error {
        ClientError::Refused(9) | ClientError::Security(SecurityError::Rejected) => {
            Some("check user, password and domain; the policy 'Restrict NTLM' must allow NTLM")
        }
        ClientError::Refused(8) => {
            Some("the server takes another mechanism: try NTLM alone (--ntlm), or SPNEGO")
        }
        ClientError::LowLevel(_) => {
            Some("if the network is trusted, allow low levels (--allow-low-level)")
        }
        _ => None,
    }
}

fn hint_of_status(step: Step, status: Status) -> Option<&'static str> {
    Some(match (step, status) {
        (Step::Activate, Status::ACCESS_DENIED | Status::E_ACCESS_DENIED) => {
            "on the server, in dcomcnfg, grant the user Remote Launch and Remote Activation for the \
             class and in the limits of My Computer, or add it to Distributed COM Users; since \
             KB5004442 the level has to be integrity at least"
        }
        (Step::Call | Step::Resolve, Status::ACCESS_DENIED | Status::E_ACCESS_DENIED) => {
            "on the server, in dcomcnfg, grant the user Remote Access for the class and in the \
             limits of My Computer; the level has to be integrity at least"
        }
        (Step::Bind, Status::ACCESS_DENIED | Status::E_ACCESS_DENIED) => {
            "check user, password and domain; on a server without a domain, set the policy 'Sharing \
             and security model for local accounts' to Classic"
        }
        (_, Status::LOGON_FAILURE) => "check user, password and domain",
        (_, Status::CLASS_NOT_REGISTERED) => {
            "register the class on the server (the 32-bit and the 64-bit registry are two); a class \
             in a DLL needs a DllSurrogate"
        }
        (_, Status::SERVER_START_FAILED) => {
            "start the server's program by hand once; 'The interactive user' as its identity in \
             dcomcnfg needs somebody who is logged on"
        }
        (_, Status::SERVER_LOGON_FAILED) => {
            "give the class an identity in dcomcnfg whose password is right"
        }
        (_, Status::DISCONNECTED) => {
            "the object is gone: the server ended, or forgot it after 360 s without a ping; \
             activate it again"
        }
        (_, Status::NO_INTERFACE) => {
            "or it has, and on the server its proxy and stub are not registered"
        }
        (_, Status::UNKNOWN_OXID) => "the server's process has ended; activate the object again",
        (_, Status::VERSION_MISMATCH) => "the server speaks an older version of DCOM than 5.7",
        _ => return None,
    })
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at level {}: ", self.step, self.what, self.level)?;
        match &*self.cause {
            Cause::Status(status) => status.fmt(f)?,
            Cause::Connection(error) => error.fmt(f)?,
            Cause::Unreachable(tried) => write!(f, "no address can be reached: {tried}")?,
            Cause::UnknownHost(tried) => write!(f, "the host is not known: {tried}")?,
            Cause::Argument(error) => write!(f, "an argument cannot be sent: {}", error.kind)?,
            Cause::Malformed(error) => write!(f, "the answer is malformed: {error}")?,
            Cause::CustomReference(class) => write!(f, "a reference of the class {class}")?,
            Cause::Exception { source, description, status } => {
                let source = if source.is_empty() { "the object" } else { source };
                write!(f, "{source} says: {description} ({status})")?;
            }
            Cause::Missing(what) => write!(f, "the answer lacks {what}")?,
        }
        self.hint().map_or(Ok(()), |hint| write!(f, " ({hint})"))
    }
}

impl core::error::Error for Error {}
