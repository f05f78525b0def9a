//! The thread that reads for calls for which nobody waits, sends what a server did not take at once,
//! and keeps the time of both. It begins when it is first needed.

use super::asynchronous::MAY_BLOCK;
use crate::log::report;
use armilla_ipc::reactor::Reactor;
use std::sync::{Arc, OnceLock};
use std::thread;

/// The reactor of an ORB's client side and its thread, which end with this.
#[derive(Default)]
pub(crate) struct Driver(OnceLock<Option<Arc<Reactor>>>);

impl Driver {
    /// The reactor; `None` if the operating system gives no descriptors or no thread for it.
    pub(super) fn reactor(&self) -> Option<&Arc<Reactor>> {
        self.0.get_or_init(start).as_ref()
    }
}

fn start() -> Option<Arc<Reactor>> {
    let started = Reactor::new().and_then(|reactor| {
        let reactor = Arc::new(reactor);
        let driven = reactor.clone();
        let run = move || {
            MAY_BLOCK.set(false);
            if let Err(error) = driven.run() {
                report!(error, "nobody reads the replies to asynchronous calls", error = error);
            }
        };
        thread::Builder::new().name("armilla-replies".into()).spawn(run).map(|_| reactor)
    });
    started
        .inspect_err(|error| {
            report!(error, "no thread to read the replies to asynchronous calls", error = error);
        })
        .ok()
}

impl Drop for Driver {
    fn drop(&mut self) {
        if let Some(Some(reactor)) = self.0.get() {
            reactor.stop();
        }
    }
}
