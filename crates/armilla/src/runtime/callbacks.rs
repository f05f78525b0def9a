//! In whose callbacks a thread is, so that it does not wait for itself.

use super::Orb;
use crate::callbacks::guarded;
use crate::exception::{Completion, SystemException};
use std::cell::RefCell;
use std::fmt::Display;

thread_local! {
    /// The incarnations of the ORBs in whose callbacks the thread is, the innermost last.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// Leaves the innermost callback.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        ENTERED.try_with(|entered| _ = entered.borrow_mut().pop()).ok();
    }
}

impl Orb {
    /// Calls code of the program as [`guarded`] does. Until it returns, the thread must not wait
    /// for what itself has to end first; see [`is_in_callback`](Self::is_in_callback).
    ///
    /// # Errors
    /// As [`guarded`].
    pub(crate) fn call_back<R>(
        &self,
        what: impl Display,
        completed: Completion,
        call: impl FnOnce() -> R,
    ) -> Result<R, SystemException> {
        // In a thread that is ending, the stack may be gone.
        let entered = ENTERED.try_with(|entered| entered.borrow_mut().push(self.incarnation()));
        let _leave = entered.is_ok().then_some(Leave);
        guarded(what, completed, call)
    }

    /// Whether the calling thread is in a callback of this ORB.
    pub(crate) fn is_in_callback(&self) -> bool {
        ENTERED.try_with(|all| all.borrow().contains(&self.incarnation())).unwrap_or(false)
    }
}
