//! Endpoints of which a connection has gone [silent](crate::client::connection::SilenceListener):
//! their other connections that have heard nothing since are not used either, and the next call
//! prefers another address.

use super::pool::{Endpoint, Endpoints};
use crate::client::connection::{ExclusiveConnection, SilenceListener};
use crate::sync::lock;
use crate::transport::EndpointAddress;
use armilla_ipc::{CoarseInstant, coarse_now};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// What an endpoint knows of the silence of its connections. It outlives the endpoint in the
/// connections, and does not refer back to them.
pub(super) struct EndpointSilence {
    address: EndpointAddress,
    all: Weak<Endpoints>,
    /// Since when the last silent connection had heard nothing, and when it was found silent, in
    /// nanoseconds of the coarse clock; 0 without one.
    since: AtomicU64,
    found: AtomicU64,
}

impl EndpointSilence {
    pub(super) fn new(address: &EndpointAddress, all: &Weak<Endpoints>) -> Arc<Self> {
        let (since, found) = Default::default();
        Arc::new(Self { address: address.clone(), all: all.clone(), since, found })
    }

    fn note(&self, since: CoarseInstant) {
        self.since.fetch_max(since.as_nanos(), Ordering::Relaxed);
        self.found.fetch_max(coarse_now().as_nanos(), Ordering::Relaxed);
    }
}

impl SilenceListener for EndpointSilence {
    /// Tells the endpoints at this address; there are several if connections differ in their code
    /// sets or belong to pools.
    fn went_silent(&self, since: CoarseInstant) {
        self.note(since);
        let Some(all) = self.all.upgrade() else { return };
        for endpoint in all.at(&self.address) {
            endpoint.silence.note(since);
            endpoint.distrust(since);
        }
        all.housekeeper.wake_if_asleep();
    }
}

impl Endpoint {
    /// Who is told that a connection of this endpoint has gone silent. Within the process there is
    /// nothing that could fail between the two ends.
    pub(super) fn silence_listener(&self) -> Option<Arc<dyn SilenceListener>> {
        match self.address.is_in_process() {
            true => None,
            false => Some(self.silence.clone()),
        }
    }

    /// Whether a connection was found silent since `started`.
    pub(in crate::client) fn was_silent_since(&self, started: CoarseInstant) -> bool {
        self.silence.found.load(Ordering::Relaxed) >= started.as_nanos()
    }

    /// Whether another connection is silent since a time after which this one has not heard
    /// anything either.
    pub(super) fn distrusts(&self, link: &ExclusiveConnection) -> bool {
        link.heard().as_nanos() <= self.silence.since.load(Ordering::Relaxed)
    }

    /// Closes the idle connections that have heard nothing since then, and lets the shared ones take
    /// no more calls. At the same tick of the clock they may have heard something before.
    fn distrust(&self, since: CoarseInstant) {
        let last = self.take_last();
        let mut idle = lock(&self.idle);
        let all = std::mem::take(&mut *idle).into_iter().chain(last);
        let (stay, go): (Vec<_>, Vec<_>) = all.partition(|link| link.heard() > since);
        drop(idle);
        stay.into_iter().for_each(|link| self.return_idle(link));
        go.into_iter().for_each(|link| link.close_in_order());
        self.shared.distrust(since);
    }
}
