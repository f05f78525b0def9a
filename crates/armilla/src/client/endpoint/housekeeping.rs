//! The housekeeping thread of a client: closes connections that have been idle for long, gives the
//! memory of large messages back, and expires calls by their [timers](crate::client::connection::CallTimers).
//! While nothing is called it sleeps, until the first connection has been idle for long or something
//! is called.

use super::access::AccessCache;
use super::look::Look;
use super::pool::{Endpoint, Endpoints};
use crate::client::connection::{CallTimers, DeferTo, contain};
use crate::log::report;
use crate::settings::Settings;
use crate::sync::lock;
use armilla_ipc::{CoarseInstant, coarse_now, memory};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

/// The longest interval between two looks at the connections while they are used, and the shortest.
const TICK: Duration = Duration::from_secs(1);
const SHORTEST_PERIOD: Duration = Duration::from_millis(10);

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
    let known = endpoints;
    let (endpoints, accesses) = (Arc::downgrade(endpoints), Arc::downgrade(accesses));
    let idle = settings.client_idle;
    let period = (idle / 4).clamp(SHORTEST_PERIOD, TICK);
    let mut housekeeping = Housekeeping { endpoints, accesses, idle, returns: false };
    let housekeeper = known.housekeeper.clone();
    let body = move || {
        defers.begin();
        let mut rests = false;
        loop {
            let is_told = rests && housekeeper.announce();
            // The transports are the program's, and so may panic.
            let look = match contain("housekeeping", || housekeeping.tidy()) {
                Some(None) => return,
                Some(Some(look)) => look,
                None => BUSY,
            };
            let next = contain("the end of a call's time", || call_timers.expire_due());
            let unwatched = next == Some(None);
            let rested = std::mem::replace(&mut rests, unwatched && look.rests);
            if rests && rested {
                housekeeper.sleep(if is_told { look.next } else { Some(period) });
            } else if !rests {
                housekeeper.stay_awake();
                thread::sleep(next.flatten().unwrap_or(period).min(period));
            }
        }
    };
    if let Err(error) = thread::Builder::new().name("armilla-idle".into()).spawn(body) {
        report!(error, "cannot start the thread that enforces call timeouts", error = error);
    }
}

/// What a look has found.
struct Found {
    /// Whether there is nothing to look after until something happens, or the time of
    /// [`next`](Self::next) has passed.
    rests: bool,
    /// The time until a connection can be idle for too long, or addresses unused; `None` if there
    /// are neither.
    next: Option<Duration>,
}

/// What is assumed where a look has failed.
const BUSY: Found = Found { rests: false, next: None };

impl Housekeeping {
    /// Looks at all connections. `None` when the ORB is gone.
    fn tidy(&mut self) -> Option<Found> {
        let endpoints = self.endpoints.upgrade()?;
        let known = endpoints.known();
        let limit = before(self.idle);
        known.iter().for_each(|endpoint| endpoint.close_idle_since(Some(limit)));
        let look = self.rest(&known);
        drop(known);
        self.accesses.upgrade().inspect(|accesses| accesses.forget_unused());
        let mut by_address = lock(&endpoints.by_address);
        by_address.retain(|_, endpoint| Arc::strong_count(endpoint) > 1 || endpoint.has_idle());
        // Nobody tells when an address is not used any more.
        let forgets = (!by_address.is_empty()).then_some(self.idle);
        let now = coarse_now();
        let closes = look.first_used.map(|used| self.idle.saturating_sub(now.since(used)));
        let next = closes.into_iter().chain(forgets).min();
        // The coarse clock lags behind.
        let next = next.map(|next| next.saturating_add(SHORTEST_PERIOD));
        Some(Found { rests: look.rests && !self.returns, next })
    }

    /// Lets the connections rest that were not used for a while, and frees the memory of large
    /// messages.
    fn rest(&mut self, endpoints: &[Arc<Endpoint>]) -> Look {
        let limit = before(MEMORY_KEPT);
        let mut look = Look::NOTHING;
        endpoints.iter().for_each(|endpoint| look.join(endpoint.rest(limit)));
        let again = look.released >= WORTH_RETURNING;
        if again || self.returns {
            memory::release_free();
        }
        self.returns = again;
        look
    }
}

/// The instant `duration` ago.
fn before(duration: Duration) -> CoarseInstant {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    CoarseInstant::from_nanos(coarse_now().as_nanos().saturating_sub(nanos))
}
