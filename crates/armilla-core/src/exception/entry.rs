//! What the completion status of an exception says once the exception crosses a servant.
//!
//! The status that travels to a client is about the client's own operation. An exception that
//! reaches a servant from a call of its own says whether *that* call was executed. If it left the
//! servant unchanged, a `COMPLETED_NO` would tell the client that the servant was never called, and
//! the client might repeat an operation that has already had effects. `docs/outcomes.md` lists
//! every source of a completion status.

use super::{Completion, SystemException};

impl SystemException {
    /// The same exception, after the program's code for the request may have run: the servant, an
    /// interceptor behind it, or `postinvoke`. `COMPLETED_NO` would be false now, so it becomes
    /// `COMPLETED_MAYBE`; so does the `COMPLETED_YES` of another call, which says nothing of this
    /// one. A `COMPLETED_YES` that the program states itself remains.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn after_entry(self) -> Self {
        match self.completed() {
            Completion::No => self.with_completed(Completion::Maybe),
            Completion::Yes if self.is_from_call() => self.with_completed(Completion::Maybe),
            _ => self,
        }
    }

    /// The same exception, raised while the servant cannot have been called yet: by a servant
    /// manager, an adapter activator, or an interceptor before the servant. `COMPLETED_YES` would be
    /// false, so it becomes `COMPLETED_NO`.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn before_entry(self) -> Self {
        match self.completed() {
            Completion::Yes => self.with_completed(Completion::No),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exception::{ExceptionKind, Minor};

    fn raised(completed: Completion) -> SystemException {
        SystemException::new(ExceptionKind::Transient, Minor::default(), completed)
    }

    #[test]
    fn nothing_that_leaves_a_servant_says_no() {
        let left = |exception: SystemException| exception.after_entry().completed();
        assert_eq!(left(raised(Completion::No)), Completion::Maybe);
        assert_eq!(left(raised(Completion::Maybe)), Completion::Maybe);
        assert_eq!(left(raised(Completion::Yes)), Completion::Yes);
        assert_eq!(left(raised(Completion::Yes).ending_call()), Completion::Maybe);
    }

    #[test]
    fn nothing_before_a_servant_says_yes() {
        let left = |exception: SystemException| exception.before_entry().completed();
        assert_eq!(left(raised(Completion::No)), Completion::No);
        assert_eq!(left(raised(Completion::Maybe)), Completion::Maybe);
        assert_eq!(left(raised(Completion::Yes)), Completion::No);
    }
}
