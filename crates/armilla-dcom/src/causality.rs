//! Which chain of calls a thread works for (MS-DCOM 3.2.4.2): nested calls keep the name of the
//! chain, so that the servers on their way recognize it.

use alloc::sync::Arc;
use armilla_dcerpc::driver::random;
use armilla_dcerpc::{ByteOrder, Uuid};
use core::cell::{Cell, RefCell};

std::thread_local! {
    static CURRENT: Cell<Option<Uuid>> = const { Cell::new(None) };
    /// The user for whom the thread works.
    static USER: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
    /// The last name that the thread has made.
    static LAST: Cell<u128> = Cell::new(u128::from_le_bytes(random()));
}

/// A new name: names are unique, and no secret.
fn next_name() -> Uuid {
    let name = LAST.get().wrapping_add(1);
    LAST.set(name);
    Uuid::from_octets(name.to_le_bytes(), ByteOrder::Little)
}

/// The chain that this thread works for now; a new one outside of a call.
pub fn current_causality() -> Uuid {
    CURRENT.get().unwrap_or_else(next_name)
}

/// The user whose call this thread executes.
pub(crate) fn current_user() -> Option<Arc<str>> {
    USER.with_borrow(Clone::clone)
}

/// Runs something as part of a chain, for a user.
pub(crate) fn within<T>(causality: Uuid, user: Option<Arc<str>>, run: impl FnOnce() -> T) -> T {
    struct Restore(Option<Uuid>, Option<Arc<str>>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
            USER.set(self.1.take());
        }
    }
    let _restore = Restore(CURRENT.replace(Some(causality)), USER.replace(user));
    run()
}
