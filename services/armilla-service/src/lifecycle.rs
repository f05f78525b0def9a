//! The stages of a server: starting, ready, draining.

use armilla::{Completion, ExceptionKind, Minor, Orb, SystemException};
use armilla_ipc::Termination;
use armilla_ipc::signals::Cause;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

/// A stage of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// It does not serve yet.
    Starting,
    /// It serves.
    Ready,
    /// It finishes the requests in progress, and accepts no others.
    Draining,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Starting => "starting",
            Self::Ready => "ready",
            Self::Draining => "draining",
        })
    }
}

/// The stage of a server, which `/healthz` shows. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Lifecycle(Arc<AtomicU8>);

impl Lifecycle {
    /// A server that is starting.
    pub fn new() -> Self {
        Self::default()
    }

    /// The stage.
    pub fn stage(&self) -> Stage {
        match self.0.load(Ordering::Relaxed) {
            0 => Stage::Starting,
            1 => Stage::Ready,
            _ => Stage::Draining,
        }
    }

    /// The server serves from now on. [`run`] says so.
    pub fn set_ready(&self) {
        self.0.store(1, Ordering::Relaxed);
    }

    /// The server drains from now on. [`run`] says so.
    pub fn set_draining(&self) {
        self.0.store(2, Ordering::Relaxed);
    }
}

/// Prints `ready URL` on standard output, and serves until the ORB is shut down or the process
/// receives SIGINT or SIGTERM; then drains: the ORB accepts no further requests, finishes those in
/// progress within [`Settings::drain_timeout`](armilla::Settings::drain_timeout), and tells clients
/// that it closes. A second signal ends the process at once.
///
/// # Errors
/// `INITIALIZE` when the ORB cannot listen, `NO_RESOURCES` when it cannot handle signals.
pub fn run(orb: &Orb, lifecycle: &Lifecycle, url: &str) -> Result<(), SystemException> {
    // What a peer meets before the line is printed must be complete.
    orb.perform_work()?;
    let mut termination = Termination::install().map_err(|error| no_resources(&error))?;
    let waker = termination.waker();
    let (draining, stopping) = (lifecycle.clone(), orb.clone());
    let watch = move || {
        let cause = termination.wait();
        draining.set_draining();
        // The signal may have come before the ORB looks for some.
        if cause != Cause::Woken {
            stopping.shutdown();
        }
    };
    let watcher = thread::Builder::new().name("armilla-signals".to_owned()).spawn(watch);
    let watcher = watcher.map_err(|error| no_resources(&error))?;
    lifecycle.set_ready();
    announce(url);
    let ended = orb.run();
    waker.wake();
    // It sets the stage and shuts the ORB down, which do not panic.
    watcher.join().ok();
    ended
}

/// Prints the line. A reader that has closed the pipe does not need it.
fn announce(url: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "ready {url}").and_then(|()| out.flush()).ok();
}

fn no_resources(error: &io::Error) -> SystemException {
    SystemException::new(ExceptionKind::NoResources, Minor::default(), Completion::No)
        .with_reason(format!("the server cannot handle signals: {error}"))
}
