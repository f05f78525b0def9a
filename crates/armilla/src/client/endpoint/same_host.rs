//! Connecting to a server of the same host by its same-host endpoint. Whatever keeps a client from
//! that is remembered, and no error: the connection goes over the address of the reference.

use super::pool::Endpoint;
use crate::transport::{Way, WhyAddress};
use armilla_ipc::{CoarseInstant, Stream, coarse_now};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a client does without a same-host endpoint that did not answer.
const PAUSE: Duration = Duration::from_secs(10);

/// The way that the last connection of an endpoint took.
#[derive(Default)]
pub(super) struct LastWay {
    /// One more than the index of the way; 0 before the first connection.
    way: AtomicU8,
    /// When it was taken, in nanoseconds of the coarse clock.
    at: AtomicU64,
}

/// Connections made by this process, by the way that they took.
static MADE: [AtomicU64; Way::ALL.len()] = [const { AtomicU64::new(0) }; Way::ALL.len()];

/// How many connections clients of this process have made by each way.
#[cfg(feature = "observe")]
pub(crate) fn connections_made() -> impl Iterator<Item = (Way, u64)> {
    Way::ALL.into_iter().zip(&MADE).map(|(way, made)| (way, made.load(Ordering::Relaxed)))
}

impl LastWay {
    fn get(&self) -> Option<Way> {
        let index = usize::from(self.way.load(Ordering::Relaxed)).checked_sub(1)?;
        Way::ALL.get(index).copied()
    }

    /// The reason for which the same-host endpoint is not tried for now.
    fn hindrance(&self) -> Option<WhyAddress> {
        let Some(Way::Address(why)) = self.get() else { return None };
        let at = CoarseInstant::from_nanos(self.at.load(Ordering::Relaxed));
        (!why.may_pass() || coarse_now().since(at) < PAUSE).then_some(why)
    }

    /// Takes note of a way, or that an obstacle is still there.
    fn note(&self, way: Way, renewed: bool) {
        if renewed {
            self.way.store(way.index() as u8 + 1, Ordering::Relaxed);
            self.at.store(coarse_now().as_nanos(), Ordering::Relaxed);
        }
        MADE[way.index()].fetch_add(1, Ordering::Relaxed);
    }
}

impl Endpoint {
    /// The way that the last connection took; `None` before the first.
    pub(in crate::client) fn last_way(&self) -> Option<Way> {
        self.last_way.get()
    }

    /// Connects by the same-host endpoint of the server, if there is one and nothing keeps this
    /// client from it; within `timeout`, of which it takes what it needed.
    pub(super) fn open_same_host(&self, timeout: &mut Duration) -> Option<Box<dyn Stream>> {
        let Some(endpoint) = self.address.same_host() else {
            self.last_way.note(Way::Address(WhyAddress::NotOffered), true);
            return None;
        };
        if let Some(why) = self.last_way.hindrance() {
            self.last_way.note(Way::Address(why), false);
            return None;
        }
        let started = Instant::now();
        match endpoint.connect(*timeout, &self.settings) {
            Ok((stream, way)) => {
                self.last_way.note(way, true);
                Some(stream)
            }
            Err(why) => {
                self.last_way.note(Way::Address(why), true);
                *timeout = timeout.saturating_sub(started.elapsed());
                None
            }
        }
    }
}
