//! Which chain of calls a thread works for (MS-DCOM 3.2.4.2): nested calls keep the name of the
//! chain, so that the servers on their way recognize it.

use armilla_dcerpc::driver::random;
use armilla_dcerpc::{ByteOrder, Uuid};
use core::cell::Cell;

std::thread_local! {
    static CURRENT: Cell<Option<Uuid>> = const { Cell::new(None) };
}

/// The chain that this thread works for now; a new one outside of a call.
pub fn current_causality() -> Uuid {
    CURRENT.get().unwrap_or_else(|| Uuid::from_octets(random(), ByteOrder::Little))
}

/// Runs something as part of a chain.
pub(crate) fn within<T>(causality: Uuid, run: impl FnOnce() -> T) -> T {
    struct Restore(Option<Uuid>);
    impl Drop for Restore {
        fn drop(&mut self) {
            CURRENT.set(self.0);
        }
    }
    let _restore = Restore(CURRENT.replace(Some(causality)));
    run()
}
