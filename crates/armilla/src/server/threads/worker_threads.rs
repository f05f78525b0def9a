//! How the threads of a group of endpoints are made.

use crate::callbacks::guarded;
use crate::concurrency::Concurrency;
use crate::exception::Completion;
use std::io;
use std::sync::Arc;
use std::thread;

/// How the threads are made.
pub(in crate::server) struct WorkerThreads {
    pub(in crate::server) concurrency: Concurrency,
    pub(in crate::server) name: String,
    pub(in crate::server) stack_size: Option<usize>,
    /// How many threads that serve one connection each are kept while there are none.
    pub(in crate::server) kept: usize,
    pub(in crate::server) on_start: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl WorkerThreads {
    /// Threads like any other.
    pub(in crate::server) fn new(concurrency: Concurrency) -> Self {
        let (name, stack_size) = ("armilla".to_owned(), None);
        Self { concurrency, name, stack_size, kept: 0, on_start: None }
    }

    /// Starts a thread with this duty.
    ///
    /// # Errors
    /// If the operating system cannot create the thread.
    pub(in crate::server) fn spawn(
        &self,
        duty: &str,
        run: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let builder = thread::Builder::new().name(format!("{}-{duty}", self.name));
        let builder = match self.stack_size {
            Some(size) => builder.stack_size(size),
            None => builder,
        };
        let on_start = self.on_start.clone();
        let started = builder.spawn(move || {
            if let Some(on_start) = on_start {
                // A panic is reported.
                guarded("a hook of new threads", Completion::No, || on_start()).ok();
            }
            run();
        });
        started.map(drop)
    }
}
