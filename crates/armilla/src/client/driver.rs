//! The client's reactor and its thread. The thread reads replies that no thread waits for, sends
//! octets that a server did not accept at once, and runs timers. It starts on first use.

use super::asynchronous::MAY_BLOCK;
use crate::log::report;
use armilla_ipc::reactor::Reactor;
use std::sync::{Arc, OnceLock};
use std::thread;

/// The reactor of an ORB's client side. Dropping it stops the thread.
#[derive(Default)]
pub(crate) struct Driver(OnceLock<Option<Arc<Reactor>>>);

impl Driver {
    /// The reactor. `None` if the operating system has no descriptors or no thread for it.
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
                report!(error, "the reactor for asynchronous replies has failed", error = error);
            }
        };
        thread::Builder::new().name("armilla-replies".into()).spawn(run).map(|_| reactor)
    });
    started
        .inspect_err(|error| {
            report!(error, "cannot start the reactor for asynchronous replies", error = error);
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
