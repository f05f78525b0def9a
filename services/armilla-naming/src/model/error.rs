//! The exceptions of naming operations.

use std::fmt;

/// Why a name was not found (Naming Service 1.3, 2.3.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotFoundReason {
    /// The first component of the rest is not bound.
    MissingNode,
    /// The first component of the rest is bound to an object, and a context is needed.
    NotContext,
    /// The first component of the rest is bound to a context, and an object is needed.
    NotObject,
}

/// How an operation of a naming context fails.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamingError {
    /// `NotFound`.
    NotFound {
        /// Why.
        why: NotFoundReason,
        /// How many components at the end of the name are the `rest_of_name`.
        rest: usize,
    },
    /// `InvalidName`: no components, or a component with a NUL.
    InvalidName,
    /// `AlreadyBound`.
    AlreadyBound,
    /// `NotEmpty`.
    NotEmpty,
    /// The context of the operation was destroyed: `OBJECT_NOT_EXIST`.
    Destroyed,
    /// A binding on the way leads to a context that was destroyed: `CannotProceed` with that
    /// context.
    DeadEnd {
        /// The destroyed context.
        context: super::ContextId,
        /// How many components at the end of the name are the `rest_of_name`.
        rest: usize,
    },
    /// The root context cannot be destroyed: `NO_PERMISSION`.
    Root,
    /// The rules of the service forbid it: `NO_PERMISSION`.
    Denied,
    /// A transaction that has not ended changes the same: `TRANSIENT`.
    Locked,
    /// The transaction of the operation takes no more changes: `TRANSACTION_ROLLEDBACK`.
    Ended,
    /// A limit was reached; the text names it: `IMP_LIMIT`.
    Limit(String),
    /// The client has its share of names; the text says which: `NO_RESOURCES`.
    Share(String),
}

impl fmt::Display for NamingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound { why: NotFoundReason::MissingNode, .. } => "the name is not bound",
            Self::NotFound { why: NotFoundReason::NotContext, .. } => {
                "a component of the name is bound to an object, not to a context"
            }
            Self::NotFound { why: NotFoundReason::NotObject, .. } => {
                "the name is bound to a context, not to an object"
            }
            Self::InvalidName => "the name has no components, or one with a NUL",
            Self::AlreadyBound => "the name is bound already",
            Self::NotEmpty => "the context has bindings",
            Self::Destroyed => "the context was destroyed",
            Self::DeadEnd { .. } => "a component of the name is bound to a destroyed context",
            Self::Root => "the root context cannot be destroyed",
            Self::Denied => "the rules of the service do not allow it",
            Self::Locked => "a transaction that has not ended changes the same; try again",
            Self::Ended => "the transaction takes no more changes of names",
            Self::Limit(what) | Self::Share(what) => what,
        })
    }
}

impl std::error::Error for NamingError {}
