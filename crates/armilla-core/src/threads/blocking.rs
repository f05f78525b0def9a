//! How a thread reports that it is about to wait for something other than requests.

use std::cell::Cell;
use std::marker::PhantomData;

/// What a worker thread does before and after a wait.
pub struct BlockingHooks {
    /// Hands the duties of the thread over to other threads. Returns `false` when it has none.
    pub begin: fn() -> bool,
    /// Counts the thread as running again. Called only where `begin` returned `true`.
    pub end: fn(),
}

thread_local! {
    // It has no destructor and a constant initial value, so an access needs no check.
    static HOOKS: Cell<Option<&'static BlockingHooks>> = const { Cell::new(None) };
}

/// Installs `hooks` around the waits of the calling thread, which serves requests from now on.
pub fn set_blocking_hooks(hooks: &'static BlockingHooks) {
    HOOKS.set(Some(hooks));
}

/// A scope in which the calling thread waits for something other than requests. If the thread is a
/// worker, others take over its duties meanwhile. The scope ends in the thread in which it began.
pub struct BlockingScope {
    /// Set if the thread is in a servant.
    hooks: Option<&'static BlockingHooks>,
    _of_one_thread: PhantomData<*const ()>,
}

impl BlockingScope {
    /// Begins the scope.
    #[inline]
    pub fn begin() -> Self {
        let hooks = HOOKS.get().filter(|hooks| (hooks.begin)());
        Self { hooks, _of_one_thread: PhantomData }
    }
}

/// Runs `wait`, in which the calling thread waits for something other than requests. If the thread
/// serves a request, others take over its duties meanwhile: they read further requests, of the same
/// client too. A servant need not call this, because the ORB notices after some milliseconds that a
/// servant waits; an extension of the ORB that waits for each request does.
pub fn blocking<R>(wait: impl FnOnce() -> R) -> R {
    let _scope = BlockingScope::begin();
    wait()
}

impl Drop for BlockingScope {
    #[inline]
    fn drop(&mut self) {
        if let Some(hooks) = self.hooks {
            (hooks.end)();
        }
    }
}
