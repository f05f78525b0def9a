//! What the housekeeping thread finds at connections.

use crate::client::connection::Rest;
use armilla_ipc::CoarseInstant;

/// What a look at connections has found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// How many octets of memory were freed.
    pub(super) released: usize,
    /// Whether no call uses them or has used them lately, and all are in order.
    pub(super) rests: bool,
    /// When the first of them that are closed for being idle was last used.
    pub(super) first_used: Option<CoarseInstant>,
}

impl Look {
    /// There are no connections.
    pub(super) const NOTHING: Self = Self { released: 0, rests: true, first_used: None };

    /// Adds a connection that rests so, or not at all.
    pub(super) fn add(&mut self, rest: Option<Rest>) {
        match rest {
            None => self.rests = false,
            Some(Rest::ForEver) => {}
            Some(Rest::Since(used)) => {
                self.first_used = Some(self.first_used.map_or(used, |first| first.min(used)));
            }
        }
    }

    /// Adds what was found elsewhere.
    pub(super) fn join(&mut self, other: Self) {
        self.released += other.released;
        self.rests &= other.rests;
        self.first_used = self.first_used.into_iter().chain(other.first_used).min();
    }
}
