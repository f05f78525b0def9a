//! Greetings of those who connect.

use super::Shared;
use crate::carrier::{Acceptor, Carrier};
use crate::flow::Part;
use crate::wire::{Answer, Greeting, Verdict};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

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
        let Some(place) = Place::take(shared) else {
            refuse(&carrier);
            continue;
        };
        let thread = thread::Builder::new().name("armilla-flow".to_owned());
        if let Err(error) = thread.spawn(move || place.serve(carrier)) {
            tracing::warn!(%error, "no thread for a flow; its connection is closed");
        }
    }
}

/// Tells without waiting that there is no room.
fn refuse(carrier: &Carrier) {
    let answer = Answer { verdict: Verdict::Busy, offset: 0, size: 0 };
    // Who does not take it finds the connection closed.
    carrier.stream().try_send(&answer.encode()).ok();
}

/// The right to have a connection.
struct Place(Arc<Shared>);

impl Place {
    fn take(shared: &Arc<Shared>) -> Option<Self> {
        let place = Self(Arc::clone(shared));
        let before = shared.connections.fetch_add(1, Ordering::AcqRel);
        (before < shared.max_connections).then_some(place)
    }

    fn serve(self, carrier: Carrier) {
        let carrier = Arc::new(carrier);
        match self.greet(&carrier) {
            Ok(Some(deliver)) => deliver(Ok(carrier)),
            Ok(None) => {}
            Err(error) => {
                let peer = carrier.stream().peer();
                tracing::debug!(%error, %peer, "a connection did not greet");
            }
        }
    }

    /// Reads the greeting and answers it. Nothing of a wrong token is told or logged.
    fn greet(&self, carrier: &Carrier) -> io::Result<Option<super::offers::Deliver>> {
        let stream = carrier.stream();
        let limit = self.0.options.connect_timeout;
        let mut octets = [0; Greeting::LENGTH];
        let recv = armilla_ipc::WithTimeout::new(stream, limit);
        recv.recv_all(&mut octets).map_err(|error| error.source)?;
        let greeting = Greeting::decode(&octets).map_err(io::Error::other)?;
        let (verdict, waiting) = match self.0.offers.take(&greeting.token) {
            None => (Verdict::UnknownToken, None),
            Some(waiting) if waiting.offset != greeting.offset => {
                (Verdict::WrongOffset, Some(waiting))
            }
            Some(waiting) => (Verdict::Welcome, Some(waiting)),
        };
        let (offset, size) = waiting.as_ref().map_or((0, 0), |w| (w.offset, w.size));
        let mut answer = Part::new(Answer { verdict, offset, size }.encode());
        let answered = answer.send(&mut |octets| recv.send(octets));
        match (waiting, verdict) {
            (Some(waiting), Verdict::Welcome) if answered.is_ok() => Ok(Some(waiting.deliver)),
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
