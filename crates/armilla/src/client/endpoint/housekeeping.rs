//! The housekeeping thread of a client: closes connections that have been idle for long, gives the
//! memory of large messages back, and expires calls by their [timers](crate::client::connection::CallTimers).

use super::access::AccessCache;
use super::pool::{Endpoint, Endpoints};
use crate::client::connection::{CallTimers, DeferTo, contain};
use crate::log::report;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_ipc::{CoarseInstant, coarse_now, memory};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// The longest interval between two looks at the connections.
const TICK: Duration = Duration::from_secs(1);

/// How long a connection keeps the memory of large messages for the next one.
const MEMORY_KEPT: Duration = Duration::from_secs(1);

/// The memory that is worth returning to the operating system, in octets.
const WORTH_RETURNING: usize = 1 << 20;

/// What the housekeeping thread remembers between two looks.
struct Housekeeping {
    endpoints: Weak<Endpoints>,
    accesses: Weak<AccessCache>,
    idle: Duration,
    /// Whether memory is to be returned to the operating system at the next look too. The program
    /// frees the results that it got from the large messages by then.
    returns: bool,
}

/// Starts the housekeeping thread of an ORB. It ends when the endpoints are dropped.
pub(crate) fn start(
    (endpoints, accesses): (&Arc<Endpoints>, &Arc<AccessCache>),
    call_timers: Arc<CallTimers>,
    defers: DeferTo,
    settings: &Settings,
) {
    let (endpoints, accesses) = (Arc::downgrade(endpoints), Arc::downgrade(accesses));
    let idle = settings.client_idle;
    let period = (idle / 4).clamp(Duration::from_millis(10), TICK);
    let mut housekeeping = Housekeeping { endpoints, accesses, idle, returns: false };
    let body = move || {
        defers.begin();
        // The transports are the program's, and so may panic.
        while contain("housekeeping", || housekeeping.tidy()) != Some(false) {
            let next = contain("the end of a call's time", || call_timers.expire_due());
            thread::sleep(next.unwrap_or(period).min(period));
        }
    };
    if let Err(error) = thread::Builder::new().name("armilla-idle".into()).spawn(body) {
        report!(error, "cannot start the thread that enforces call timeouts", error = error);
    }
}

impl Housekeeping {
    /// Looks at all connections. `false` when the ORB is gone.
    fn tidy(&mut self) -> bool {
        let Some(endpoints) = self.endpoints.upgrade() else { return false };
        let known = endpoints.known();
        let limit = before(self.idle);
        known.iter().for_each(|endpoint| endpoint.close_idle_since(Some(limit)));
        self.release_memory(&known);
        drop(known);
        self.accesses.upgrade().inspect(|accesses| accesses.forget_unused());
        lock(&endpoints.by_address)
            .retain(|_, endpoint| Arc::strong_count(endpoint) > 1 || endpoint.has_idle());
        true
    }

    /// Frees the memory of large messages in connections that were not used for a while.
    fn release_memory(&mut self, endpoints: &[Arc<Endpoint>]) {
        let limit = before(MEMORY_KEPT);
        let released: usize = endpoints.iter().map(|endpoint| endpoint.release_memory(limit)).sum();
        let again = released >= WORTH_RETURNING;
        if again || self.returns {
            memory::release_free();
        }
        self.returns = again;
    }
}

/// The instant `duration` ago.
fn before(duration: Duration) -> CoarseInstant {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    CoarseInstant::from_nanos(coarse_now().as_nanos().saturating_sub(nanos))
}
