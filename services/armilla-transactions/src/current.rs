//! In which transaction a thread works.

use crate::engine::{Entry, call_limit};
use armilla::interceptor::{PiCurrent, SlotId};
use armilla::{Any, Policies, PolicyCurrent, SystemException};
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Instant;

/// As long as this lives, its thread works in a transaction, or in none.
pub struct Entered {
    pub(crate) current: PiCurrent,
    pub(crate) slot: SlotId,
    pub(crate) before: Any,
    /// A call finds it even when it has ended, and then fails.
    pub(crate) _entry: Option<Arc<Entry>>,
    /// It stays in its thread.
    pub(crate) _thread: PhantomData<*const ()>,
}

impl Entered {
    pub(crate) fn new(
        current: &PiCurrent,
        slot: SlotId,
        entered: Option<(Arc<Entry>, Any)>,
    ) -> Result<Self, SystemException> {
        let before = current.slot(slot)?;
        let (_entry, value) = entered.unzip();
        current.set_slot(slot, value.unwrap_or_default())?;
        Ok(Self { current: current.clone(), slot, before, _entry, _thread: PhantomData })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        // It was set before.
        self.current.set_slot(self.slot, std::mem::take(&mut self.before)).ok();
    }
}

impl fmt::Debug for Entered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entered").finish_non_exhaustive()
    }
}

thread_local! {
    static INTERNAL: Cell<bool> = const { Cell::new(false) };
}

/// Makes a call of the service itself, with which no transaction travels, and which takes as long as the
/// protocol lets it.
pub(crate) fn internally<R>(call: impl FnOnce() -> R) -> R {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            INTERNAL.set(self.0);
        }
    }
    let _before = Before(INTERNAL.replace(true));
    // What the program has set counts where it is shorter.
    let end = call_limit().and_then(|limit| Instant::now().checked_add(limit));
    let _limited = end.map(|end| {
        let own = PolicyCurrent::policies().reply_end;
        let reply_end = Some(own.map_or(end, |own| own.min(end)));
        PolicyCurrent::set(Policies { reply_end, ..Policies::default() })
    });
    call()
}

pub(crate) fn is_internal() -> bool {
    INTERNAL.get()
}
