//! Greetings of those who connect.

use super::Shared;
use super::offers::Deliver;
use crate::carrier::{Acceptor, Carrier, Connection, Keep};
use crate::idle::Watched;
use crate::wire::{Answer, Greeting, Verdict};
use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

/// For how long the thread of a flow stays for the next one on its connection. While it stays,
/// nobody else has to be woken for that.
const STAY: Duration = Duration::from_millis(50);

/// For how long a connection may greet before it makes room for another one.
const GREETING: Duration = Duration::from_secs(1);

/// Accepts connections until the listener closes, and greets each in a thread of its own, in which
/// the flow goes on.
pub(super) fn accept_all(acceptor: &Acceptor, shared: &Arc<Shared>) {
    loop {
        let carrier = match acceptor.accept() {
            Ok(Some(carrier)) => carrier,
            Ok(None) => return,
            Err(error) => {
                let at = acceptor.role().local();
                tracing::error!(%error, %at, "flows are no longer accepted");
                return;
            }
        };
        match Place::take(shared) {
            Some(place) => serve(Arc::new(carrier), place, false),
            None => refuse(&carrier),
        }
    }
}

/// Greets who begins the next flow of a connection.
pub(super) fn go_on(carrier: Arc<Carrier>, place: Place) {
    serve(carrier, place, true);
}

/// Greets in a thread of its own, whose greeting may have arrived.
fn serve(carrier: Arc<Carrier>, place: Place, has_arrived: bool) {
    let thread = thread::Builder::new().name("armilla-flow".to_owned());
    if let Err(error) = thread.spawn(move || place.serve(carrier, has_arrived)) {
        tracing::warn!(%error, "no thread for a flow; its connection is closed");
    }
}

/// Tells without waiting that there is no room.
fn refuse(carrier: &Carrier) {
    let answer = Answer { verdict: Verdict::Busy, offset: 0, size: 0, keep: false };
    // Who does not take it finds the connection closed.
    carrier.stream().try_send(&answer.encode()).ok();
}

/// The right to have a connection.
pub(crate) struct Place(Arc<Shared>);

impl Place {
    /// If there is no other, a connection makes room that has not greeted in time, that waits for
    /// its next flow, or that has not greeted yet.
    pub(super) fn take(shared: &Arc<Shared>) -> Option<Self> {
        let place = Self(Arc::clone(shared));
        let (before, most) =
            (shared.connections.fetch_add(1, Ordering::AcqRel), shared.max_connections);
        let made_room = || {
            // What is closed has its place until its thread has ended: those are bounded too.
            before <= most.saturating_mul(2)
                && (shared.unproven.close_oldest(GREETING)
                    || shared.idle.close_oldest()
                    || shared.unproven.close_oldest(Duration::ZERO))
        };
        (before < most || made_room()).then_some(place)
    }

    /// Serves a flow, and those that follow it at once.
    fn serve(self, carrier: Arc<Carrier>, mut has_arrived: bool) {
        let shared = Arc::clone(&self.0);
        let mut next = Some((carrier, self));
        while let Some((carrier, place)) = next {
            let kept = place.serve_one(carrier, has_arrived);
            next = kept.and_then(|number| shared.idle.wait(number, STAY));
            has_arrived = true;
        }
    }

    /// Returns the number under which the connection is kept, if it is by the time at which the
    /// program gives the thread back.
    fn serve_one(self, carrier: Arc<Carrier>, has_arrived: bool) -> Option<u64> {
        let (deliver, keep) = match self.greet(&carrier, has_arrived) {
            Ok(greeted) => greeted?,
            Err(error) => {
                let peer = carrier.stream().peer();
                tracing::debug!(%error, %peer, "a connection did not greet");
                return None;
            }
        };
        let kept = Arc::new(OnceLock::new());
        let keep = keep.then(|| {
            let (kept, here) = (Arc::clone(&kept), thread::current().id());
            Keep::new(move |carrier| {
                // This thread waits for the next flow as soon as the program gives it back.
                let waits = thread::current().id() == here;
                let watched = if waits { Watched::Soon } else { Watched::AtOnce };
                self.keep(carrier, watched).and_then(|number| kept.set(number).ok());
            })
        });
        deliver(Ok(Connection { carrier, keep }));
        kept.get().copied()
    }

    /// Waits for the next flow.
    fn keep(self, carrier: Arc<Carrier>, watched: Watched) -> Option<u64> {
        let shared = Arc::clone(&self.0);
        let limits = (shared.options.max_idle, shared.options.idle_timeout);
        shared.idle.keep(carrier, self, limits, watched)
    }

    /// Reads the greeting and answers it: who waits for the flow, and whether the connection is
    /// kept. Nothing of a wrong token is told or logged.
    fn greet(
        &self,
        carrier: &Arc<Carrier>,
        has_arrived: bool,
    ) -> io::Result<Option<(Deliver, bool)>> {
        let (options, limit) = (&self.0.options, self.0.options.connect_timeout);
        let mut octets = [0; Greeting::LENGTH];
        let awaited = self.0.unproven.add(carrier);
        carrier.receive_message(&mut octets, limit, has_arrived)?;
        drop(awaited);
        let greeting = Greeting::decode(&octets).map_err(io::Error::other)?;
        let (verdict, waiting) = match self.0.offers.take(&greeting.token) {
            None => (Verdict::UnknownToken, None),
            // The other side had no such address; it has made one up.
            Some(waiting) if waiting.protected && matches!(**carrier, Carrier::Tcp(_)) => {
                (Verdict::UnknownToken, Some(waiting))
            }
            Some(waiting) if waiting.offset != greeting.offset => {
                (Verdict::WrongOffset, Some(waiting))
            }
            Some(waiting) => (Verdict::Welcome, Some(waiting)),
        };
        let (offset, size) = waiting.as_ref().map_or((0, 0), |w| (w.offset, w.size));
        let keep = greeting.keep && options.max_idle > 0 && carrier.is_watchable();
        let keep = keep && verdict == Verdict::Welcome;
        let answer = Answer { verdict, offset, size, keep };
        let answered = carrier.send_message(&answer.encode(), limit);
        match (waiting, verdict) {
            (Some(waiting), Verdict::Welcome) if answered.is_ok() => {
                Ok(Some((waiting.deliver, keep)))
            }
            (Some(waiting), _) => {
                // The token is used up; whoever waits learns that nobody comes.
                (waiting.deliver)(Err(crate::StreamError::NotCollected));
                answered.map(|()| None)
            }
            (None, _) => answered.map(|()| None),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::AcqRel);
    }
}
