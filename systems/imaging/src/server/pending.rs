//! Pixels that wait in memory until their flow has taken them.

use crate::idl::{Refusal, Refused};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many octets may wait; a single frame may have more.
const MOST: usize = 256 << 20;

/// Counts octets. Clones share the count.
#[derive(Debug, Clone, Default)]
pub(super) struct Pending(Arc<AtomicUsize>);

/// Some octets that wait, until it is dropped.
#[derive(Debug)]
pub(super) struct Held(Pending, usize);

impl Pending {
    /// Counts so many octets more, unless others wait and it would be too many.
    pub(super) fn take(&self, octets: usize) -> Result<Held, Refused> {
        let more = |before: usize| {
            let after = before.checked_add(octets)?;
            (before == 0 || after <= MOST).then_some(after)
        };
        match self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, more) {
            Ok(_) => Ok(Held(self.clone(), octets)),
            Err(before) => {
                let reason = format!(
                    "{before} octets of pixels wait to be collected, at most {MOST} may; \
                     try again later"
                );
                Err(Refused { kind: Refusal::Failed, reason })
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.fetch_sub(self.1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_that_nobody_collects_are_refused_beyond_a_limit() {
        let pending = Pending::default();
        let large = pending.take(2 * MOST).unwrap();
        assert!(pending.take(1).unwrap_err().reason.contains("wait to be collected"));
        drop(large);
        let held: Vec<_> = (0..4).map(|_| pending.take(MOST / 4).unwrap()).collect();
        assert!(pending.take(1).is_err());
        drop(held);
        assert!(pending.take(MOST).is_ok());
    }
}
