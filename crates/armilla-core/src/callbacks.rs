//! Callbacks: calls of the program's code by the ORB, outside of the servants' operations.
//!
//! Whatever a program implements may panic: servant managers, adapter activators, interceptors,
//! locators, extensions, transports, hooks, the `Drop` of its values. The panic ends here, so that
//! it ends neither the thread nor the connection, which serve others too.

use crate::exception::{Completion, ExceptionKind, Minor, SystemException};
use crate::log::report;
use crate::panics::catch;
use std::fmt::Display;

/// Calls code of the program and turns a panic into an exception. `what` names the code, and
/// `completed` is the completion status of that exception.
///
/// # Errors
/// `UNKNOWN` ([`Minor::SERVANT_PANICKED`]) if the code panics.
#[inline]
pub fn guarded<R>(
    what: impl Display,
    completed: Completion,
    call: impl FnOnce() -> R,
) -> Result<R, SystemException> {
    catch(call).ok_or_else(|| panicked(what, completed))
}

/// Drops a value of the program.
pub fn drop_guarded<T>(what: &str, value: T) {
    // A panic is reported.
    guarded(what, Completion::Maybe, || drop(value)).ok();
}

#[cold]
#[inline(never)]
fn panicked(what: impl Display, completed: Completion) -> SystemException {
    report!(error, "the program panicked", within = what);
    SystemException::new(ExceptionKind::Unknown, Minor::SERVANT_PANICKED, completed)
        .with_reason(format!("{what} panicked"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::panic_any;

    /// Panics whenever it is dropped.
    struct Endless;

    impl Drop for Endless {
        fn drop(&mut self) {
            panic_any(Self);
        }
    }

    #[test]
    fn a_panic_ends_at_the_guard_whatever_it_carries() {
        for panic in [(|| panic!("as told")) as fn(), || panic_any(Endless)] {
            let raised = guarded("the test", Completion::No, panic).unwrap_err();
            assert_eq!(raised.minor(), Minor::SERVANT_PANICKED);
            assert_eq!(raised.completed(), Completion::No);
        }
        drop_guarded("the test", Endless);
    }
}
