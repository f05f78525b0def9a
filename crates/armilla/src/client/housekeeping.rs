//! Closes connections that nobody has used for long.

use super::endpoint::Endpoint;
use crate::orb::lock;
use armilla_ipc::{CoarseInstant, coarse_now};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread;
use std::time::Duration;

/// One thread per ORB that has been a client. It ends with the ORB.
#[derive(Default)]
pub(crate) struct Housekeeper {
    watched: Arc<Mutex<Vec<Weak<Endpoint>>>>,
    started: OnceLock<()>,
}

impl Housekeeper {
    /// Looks after `endpoint` from now on.
    pub(crate) fn watch(&self, endpoint: &Arc<Endpoint>) {
        let mut watched = lock(&self.watched);
        if watched.iter().any(|known| known.as_ptr() == Arc::as_ptr(endpoint)) {
            return;
        }
        watched.push(Arc::downgrade(endpoint));
        let idle = endpoint.settings.client_idle;
        self.started.get_or_init(|| start(Arc::downgrade(&self.watched), idle));
    }
}

fn start(watched: Weak<Mutex<Vec<Weak<Endpoint>>>>, idle: Duration) {
    let period = (idle / 4).clamp(Duration::from_millis(10), Duration::from_secs(5));
    let body = move || {
        loop {
            thread::sleep(period);
            let Some(watched) = watched.upgrade() else { return };
            lock(&watched).retain(|endpoint| match endpoint.upgrade() {
                Some(endpoint) => {
                    endpoint.close_idle_since(Some(before(idle)));
                    true
                }
                None => false,
            });
        }
    };
    // Without the thread connections are still looked at before they are used again.
    if let Err(error) = thread::Builder::new().name("armilla-idle".into()).spawn(body) {
        tracing::warn!(%error, "no thread to close idle connections");
    }
}

/// The instant that lies `duration` back.
fn before(duration: Duration) -> CoarseInstant {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    CoarseInstant::from_nanos(coarse_now().as_nanos().saturating_sub(nanos))
}
