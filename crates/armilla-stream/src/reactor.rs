//! The reactor that the flows of a process share, with its one thread: it wakes tasks and watches
//! connections between two flows. It moves no octets.

use armilla_ipc::reactor::Reactor;
use std::io;
use std::sync::{Arc, OnceLock};
use std::thread;

/// The reactor; it is started by the first who needs it.
pub(crate) fn reactor() -> io::Result<&'static Reactor> {
    static REACTOR: OnceLock<Result<Arc<Reactor>, io::ErrorKind>> = OnceLock::new();
    let made = REACTOR.get_or_init(|| {
        let reactor = Arc::new(Reactor::new().map_err(|error| error.kind())?);
        let running = Arc::clone(&reactor);
        let thread = thread::Builder::new().name("armilla-flow-events".to_owned());
        let run = move || {
            if let Err(error) = running.run() {
                tracing::error!(%error, "tasks of flows are no longer woken");
            }
        };
        thread.spawn(run).map_err(|error| error.kind())?;
        Ok(reactor)
    });
    made.as_deref().map_err(|kind| (*kind).into())
}
