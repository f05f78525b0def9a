//! The client's thread: it gives references back and pings.

use super::shared::Shared;
use super::wake::Bell;
use alloc::string::ToString;
use alloc::sync::{Arc, Weak};
use core::time::Duration;
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// The thread; it ends when this is dropped, and gives back what is left before.
#[derive(Debug)]
pub(super) struct Housekeeper {
    bell: Arc<Bell>,
    thread: Option<JoinHandle<()>>,
}

impl Housekeeper {
    pub(super) fn start(shared: &Arc<Shared>) -> std::io::Result<Self> {
        let bell = shared.wake.0.clone();
        let (own, weak, period) =
            (bell.clone(), Arc::downgrade(shared), shared.options.ping_period);
        let run = move || run(&own, &weak, period);
        let thread = thread::Builder::new().name("dcom-client".to_string()).spawn(run)?;
        Ok(Self { bell, thread: Some(thread) })
    }
}

impl Drop for Housekeeper {
    fn drop(&mut self) {
        self.bell.change(|state| state.stop = true);
        // The last handle may go on the thread itself, which cannot wait for itself.
        if let Some(thread) = self.thread.take()
            && thread.thread().id() != thread::current().id()
        {
            // A panic was reported where it happened.
            let _ = thread.join();
        }
    }
}

fn run(bell: &Bell, shared: &Weak<Shared>, period: Duration) {
    let mut next = Instant::now() + period;
    loop {
        let on = bell.wait(next.saturating_duration_since(Instant::now()));
        let Some(shared) = shared.upgrade() else { return };
        for exporter in shared.all_exporters() {
            exporter.release(&shared.options);
        }
        if !on {
            return;
        }
        if Instant::now() >= next {
            for exporter in shared.all_exporters() {
                // A ping that fails counts as one that was lost: the next one may succeed.
                let _ = exporter.ping(&shared.options);
            }
            shared.forget_unused();
            next = Instant::now() + period;
        }
    }
}
