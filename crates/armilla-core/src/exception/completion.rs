//! Whether an operation that failed was executed: `completion_status` of the specification.

use std::fmt;

/// Whether the server had executed the operation when it, or the client's ORB, raised a system
/// exception (CORBA 3.4 Part 1, 8.3.4).
///
/// Only [`No`](Self::No) makes it safe to repeat a call that must not be executed twice:
///
/// ```
/// use armilla::{Completion, ExceptionKind, SystemException};
///
/// fn is_safe_to_repeat(exception: &SystemException) -> bool {
///     exception.kind() == ExceptionKind::Transient && exception.completed() == Completion::No
/// }
/// ```
///
/// The numbers are those that travel in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Completion {
    /// The operation ran to its end: `COMPLETED_YES`.
    Yes = 0,
    /// The operation never began: `COMPLETED_NO`.
    No = 1,
    /// Unknown, such as when the connection ends before the reply: `COMPLETED_MAYBE`.
    Maybe = 2,
}

impl fmt::Display for Completion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "executed",
            Self::No => "not executed",
            Self::Maybe => "perhaps executed",
        })
    }
}
