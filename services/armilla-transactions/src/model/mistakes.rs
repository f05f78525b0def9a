//! Mistakes that a test plants, to see that it would find them.

#[cfg(feature = "planted-mistakes")]
mod planted {
    use std::cell::Cell;

    /// A mistake in the protocol.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Mistake {
        /// Participants hear of the decision before it is on the disk.
        DeliversBeforeForce,
        /// The vote leaves before it is on the disk.
        VotesBeforeForce,
        /// A decision that could not be written counts as the other one.
        RollsBackAfterFailedForce,
        /// A superior that cannot be reached counts as one that has rolled back.
        PresumesAbortWhenUnreachable,
        /// The decision is forgotten although somebody has not heard of it.
        ForgetsTooEarly,
        /// A subordinate that has voted rolls back when its time is up.
        TimesOutInDoubt,
    }

    thread_local! {
        static PLANTED: Cell<Option<Mistake>> = const { Cell::new(None) };
    }

    /// Plants a mistake in the transactions of this thread, or removes it.
    pub fn plant(mistake: Option<Mistake>) {
        PLANTED.set(mistake);
    }

    pub(crate) fn has(mistake: Mistake) -> bool {
        PLANTED.get() == Some(mistake)
    }
}

#[cfg(feature = "planted-mistakes")]
pub(super) use planted::has;
#[cfg(feature = "planted-mistakes")]
pub use planted::{Mistake, plant};

#[cfg(not(feature = "planted-mistakes"))]
#[allow(dead_code)]
#[derive(Clone, Copy)]
pub(super) enum Mistake {
    DeliversBeforeForce,
    VotesBeforeForce,
    RollsBackAfterFailedForce,
    PresumesAbortWhenUnreachable,
    ForgetsTooEarly,
    TimesOutInDoubt,
}

#[cfg(not(feature = "planted-mistakes"))]
pub(super) const fn has(_: Mistake) -> bool {
    false
}
