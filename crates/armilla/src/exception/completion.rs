//! Whether an operation that failed was executed.

use std::fmt;

/// Whether the operation had been executed when a system exception was raised (CORBA 3.4 Part 1,
/// 8.3.4). Only [`No`](Self::No) makes it safe to call again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Completion {
    /// It was executed to its end.
    Yes = 0,
    /// It was never begun.
    No = 1,
    /// It cannot be known.
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
