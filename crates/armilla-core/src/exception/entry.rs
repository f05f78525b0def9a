//! What the completion status of an exception says once the exception crosses a servant.
//!
//! The status that travels to a client is about the client's own operation. An exception that
//! reaches a servant from a call of its own, or from the ORB, says whether *that* was executed. If
//! it left the servant unchanged, a `COMPLETED_NO` would tell the client that its operation did
//! nothing, and the client might repeat one that has already had effects. `docs/outcomes.md` lists
//! every source of a completion status.

use super::{Completion, SystemException};

impl SystemException {
    /// The same exception, as it leaves the servant. The status that the servant gave to an
    /// exception of its own making remains, and so does one that it has
    /// [stated](Self::with_completed). The end of another call says nothing of the servant's
    /// operation, so it becomes `COMPLETED_MAYBE`; so does a `COMPLETED_NO` of the ORB.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn after_entry(self) -> Self {
        match self.completed() {
            Completion::No if !self.is_of_servant() => self.completed_as(Completion::Maybe),
            Completion::Yes if self.is_from_call() => self.completed_as(Completion::Maybe),
            _ => self,
        }
    }

    /// The same exception, raised after the servant may have returned: by an interceptor behind it,
    /// or `postinvoke`. `COMPLETED_NO` would be false now, so it becomes `COMPLETED_MAYBE`; so does
    /// the `COMPLETED_YES` of another call. A `COMPLETED_YES` that the program states itself remains.
    #[cold]
    #[must_use]
    #[doc(hidden)]
    pub fn after_execution(self) -> Self {
        let left = self.after_entry();
        match left.completed() {
            Completion::No => left.completed_as(Completion::Maybe),
            _ => left,
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
            Completion::Yes => self.completed_as(Completion::No),
            _ => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exception::{ExceptionKind, Minor};

    const ALL: [Completion; 3] = [Completion::No, Completion::Maybe, Completion::Yes];

    fn raised(completed: Completion) -> SystemException {
        SystemException::new(ExceptionKind::Transient, Minor::default(), completed)
    }

    #[test]
    fn what_a_servant_makes_keeps_its_status() {
        for completed in ALL {
            assert_eq!(raised(completed).after_entry().completed(), completed);
            let own = SystemException::new(ExceptionKind::Unknown, Minor(0x1234_5001), completed);
            assert_eq!(own.with_reason("why").after_entry().completed(), completed);
        }
        let refused = ExceptionKind::BadParam.because("the name is nil");
        assert_eq!(refused.after_entry().completed(), Completion::No);
    }

    #[test]
    fn what_comes_to_a_servant_leaves_as_maybe_unless_the_servant_states_more() {
        let of_orb = |completed| {
            [Minor::CONNECT_FAILED, Minor::TRANSIENT_REQUEST_DISCARDED]
                .map(|minor| SystemException::new(ExceptionKind::Transient, minor, completed))
        };
        for completed in ALL {
            let [own, standard] = of_orb(completed).map(|exception| exception.ending_call());
            let [here, _] = of_orb(Completion::No);
            for foreign in [raised(completed).ending_call(), own, standard, here] {
                let passed_on = foreign.clone().with_hint("call again").after_entry();
                assert_eq!(passed_on.completed(), Completion::Maybe);
                for stated in ALL {
                    let left = foreign.clone().with_completed(stated).after_entry();
                    assert_eq!(left.completed(), stated);
                    // The next servant did not say so.
                    assert_eq!(left.ending_call().after_entry().completed(), Completion::Maybe);
                }
            }
        }
    }

    #[test]
    fn nothing_behind_a_servant_says_no() {
        let left = |exception: SystemException| exception.after_execution().completed();
        assert_eq!(left(raised(Completion::No)), Completion::Maybe);
        assert_eq!(left(raised(Completion::Maybe)), Completion::Maybe);
        assert_eq!(left(raised(Completion::Yes)), Completion::Yes);
        assert_eq!(left(raised(Completion::Yes).ending_call()), Completion::Maybe);
        assert_eq!(left(raised(Completion::Yes).with_completed(Completion::No)), Completion::Maybe);
    }

    #[test]
    fn nothing_before_a_servant_says_yes() {
        let left = |exception: SystemException| exception.before_entry().completed();
        assert_eq!(left(raised(Completion::No)), Completion::No);
        assert_eq!(left(raised(Completion::Maybe)), Completion::Maybe);
        assert_eq!(left(raised(Completion::Yes)), Completion::No);
    }
}
