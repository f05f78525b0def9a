//! How a thread says that it is about to wait for something other than requests.

use std::cell::Cell;
use std::marker::PhantomData;

/// What a thread that serves requests has done around a wait.
pub(crate) struct BlockingHooks {
    /// Lets other threads do what this one would; `false` when nobody waits for it.
    pub(crate) begin: fn() -> bool,
    /// Takes the thread off those that wait. It is called where `begin` has said `true`.
    pub(crate) end: fn(),
}

thread_local! {
    // It has no destructor, and is reached without asking whether it is there.
    static HOOKS: Cell<Option<&'static BlockingHooks>> = const { Cell::new(None) };
}

/// The calling thread serves requests: from now on `hooks` are called around its waits.
pub(crate) fn set_blocking_hooks(hooks: &'static BlockingHooks) {
    HOOKS.set(Some(hooks));
}

/// The time for which a thread waits for something other than requests. If it is a thread that
/// serves them, others take over what it would do meanwhile. It ends in the thread in which it
/// began.
pub(crate) struct BlockingScope {
    /// Where the thread is in a servant.
    hooks: Option<&'static BlockingHooks>,
    _of_one_thread: PhantomData<*const ()>,
}

impl BlockingScope {
    /// Begins to wait.
    #[inline]
    pub(crate) fn begin() -> Self {
        let hooks = HOOKS.get().filter(|hooks| (hooks.begin)());
        Self { hooks, _of_one_thread: PhantomData }
    }
}

impl Drop for BlockingScope {
    #[inline]
    fn drop(&mut self) {
        if let Some(hooks) = self.hooks {
            (hooks.end)();
        }
    }
}
