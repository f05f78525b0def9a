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
    /// Nobody answered; the text says why.
    Unreachable(String),
}

impl Liveness {
    /// A word for it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Gone => "gone",
            Self::Unreachable(_) => "unreachable",
        }
    }
}

impl fmt::Display for Liveness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(why) => write!(f, "unreachable: {why}"),
            other => f.write_str(other.as_str()),
        }
    }
}

/// Asks the server of an object whether it knows the object, with a LocateRequest (CORBA 3.4
/// Part 2, 9.4.5): the object itself is not called.
pub fn check(object: &Object, timeout: Duration) -> Liveness {
    if object.is_nil() {
        return Liveness::Gone;
    }
    match object.with_timeout(timeout).locate() {
        Ok(true) => Liveness::Alive,
        Ok(false) => Liveness::Gone,
        Err(error) => judged(&error),
    }
}

fn judged(error: &SystemException) -> Liveness {
    match error.kind() {
        ExceptionKind::ObjectNotExist | ExceptionKind::InvObjref => Liveness::Gone,
        // The server is there, and does not tell.
        ExceptionKind::NoPermission | ExceptionKind::NoImplement => Liveness::Alive,
        _ => Liveness::Unreachable(error.to_string()),
    }
}
