//! The client's thread: it gives references back and pings.

use super::endpoint::LONGEST;
use super::options::ClientOptions;
use super::shared::Shared;
use super::together::each;
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

/// How long a ping takes at most, or a call that gives references back: others wait behind it.
const PATIENCE: Duration = Duration::from_secs(10);

fn run(bell: &Bell, shared: &Weak<Shared>, period: Duration) {
    let period = period.min(LONGEST);
    let mut next = Instant::now() + period;
    loop {
        let on = bell.wait(next.saturating_duration_since(Instant::now()));
        let Some(shared) = shared.upgrade() else { return };
        let mut options = shared.options.clone();
        options.timeout = options.timeout.min(PATIENCE);
        let waiting = shared.all_exporters().into_iter().filter(|it| it.has_waiting()).collect();
        each(waiting, |exporter| exporter.release(&options));
        if !on {
            return;
        }
        if Instant::now() >= next {
            round(&shared, &options, period);
            next = Instant::now() + period;
        }
    }
}

/// Pings all exporters. Those that were silent come last, and only while there is time: the objects of
/// the others would expire meanwhile.
fn round(shared: &Shared, options: &ClientOptions, period: Duration) {
    let (begun, mut exporters) = (Instant::now(), shared.all_exporters());
    exporters.sort_by_cached_key(|exporter| exporter.silent());
    each(exporters, |exporter| {
        if exporter.silent() == 0 || begun.elapsed() < period / 4 {
            // A ping that fails counts as one that was lost: the next one may succeed.
            let _ = exporter.ping(options);
        }
        exporter.objects.close_unused(2 * period);
        exporter.resolver.close_unused(2 * period);
    });
    shared.forget_unused();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::endpoint::Endpoint;
    use crate::client::remote_exporter::RemoteExporter;
    use alloc::vec::Vec;
    use armilla_dcerpc::Uuid;
    use armilla_dcerpc::pdu::AuthLevel;
    use armilla_dcerpc::security::ntlm::Credentials;
    use std::net::TcpListener;

    const SILENT: u64 = 24;

    /// What a client knows that has an object at each of so many servers, none of which answers.
    fn shared(silent: &TcpListener) -> Shared {
        let port = silent.local_addr().unwrap().port();
        let mut options = ClientOptions::new(Credentials::new("", "operator", "secret"));
        options.timeout = Duration::from_millis(300);
        let shared = Shared::new(options);
        for oxid in 0..SILENT {
            let ends = (Endpoint::new("127.0.0.1", port), Endpoint::new("127.0.0.1", port));
            let made = RemoteExporter::new(Uuid::NIL, AuthLevel::Integrity, ends);
            let exporter = shared.exporter(("silent", oxid), || Ok(made)).unwrap();
            exporter.enter(oxid, true);
        }
        shared
    }

    #[test]
    fn servers_that_are_silent_hold_up_no_other_one() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let shared = shared(&silent);
        let counts = || -> Vec<_> { shared.all_exporters().iter().map(|it| it.silent()).collect() };
        let begun = Instant::now();
        round(&shared, &shared.options, Duration::from_secs(1000));
        assert!(begun.elapsed() < 20 * shared.options.timeout, "{:?}", begun.elapsed());
        assert_eq!(counts(), [1; SILENT as usize]);
        // Without time they wait for another round, and whoever answers does not.
        let exporter = shared.all_exporters().remove(0);
        exporter.answered(true);
        round(&shared, &shared.options, Duration::ZERO);
        assert_eq!(counts(), [1; SILENT as usize], "only the first one was asked");
    }
}
