//! Whether the object of a reference is alive.

use armilla::{ExceptionKind, Object, SystemException};
use std::fmt;
use std::time::Duration;

/// What a check of an object found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Liveness {
    /// The server knows the object.
    Alive,
    /// The server does not know the object.
    Gone,
    /// A server answered, and did not tell; the text is its answer.
    Unsure(String),
    /// Nobody answered; the text says why.
    Unreachable(String),
}

impl Liveness {
    /// A word for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Gone => "gone",
            Self::Unsure(_) => "unsure",
            Self::Unreachable(_) => "unreachable",
        }
    }

    /// Whether calls may be expected to fail: the object is gone, or nobody answers.
    pub const fn is_dead(&self) -> bool {
        matches!(self, Self::Gone | Self::Unreachable(_))
    }
}

impl fmt::Display for Liveness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "unreachable: {why}"),
            Self::Unsure(why) => write!(f, "unsure: its server answers {why}"),
            other => f.write_str(other.as_str()),
        }
    }
}

/// Asks the server of an object whether it knows the object: with a LocateRequest (CORBA 3.4 Part 2,
/// 9.4.5), and if that does not say that it does, with `_non_existent`. Some locators of other
/// vendors answer the first in their own way, and bindings are removed by what this says.
pub fn check(object: &Object, timeout: Duration) -> Liveness {
    if object.is_nil() {
        return Liveness::Gone;
    }
    let object = object.with_timeout(timeout);
    match object.locate() {
        Ok(true) => Liveness::Alive,
        Err(error) if is_silence(&error) => Liveness::Unreachable(error.to_string()),
        Ok(false) | Err(_) => match object.non_existent() {
            Ok(false) => Liveness::Alive,
            Ok(true) => Liveness::Gone,
            Err(error) => judged(&error),
        },
    }
}

/// Whether nobody was there to answer, so that asking again is of no use.
fn is_silence(error: &SystemException) -> bool {
    matches!(error.kind(), ExceptionKind::Transient | ExceptionKind::Timeout)
}

fn judged(error: &SystemException) -> Liveness {
    match error.kind() {
        ExceptionKind::ObjectNotExist => Liveness::Gone,
        // The server is there, and does not let everybody ask.
        ExceptionKind::NoPermission | ExceptionKind::NoImplement => Liveness::Alive,
        ExceptionKind::CommFailure | ExceptionKind::NoResponse | ExceptionKind::InvObjref => {
            Liveness::Unreachable(error.to_string())
        }
        _ if is_silence(error) => Liveness::Unreachable(error.to_string()),
        _ => Liveness::Unsure(error.to_string()),
    }
}
