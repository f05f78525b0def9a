//! What a bridge counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// What has crossed a bridge.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls of programs of COM to objects of CORBA.
    pub to_corba: u64,
    /// Those that failed.
    pub to_corba_failed: u64,
    /// Calls of programs of CORBA to objects of COM.
    pub to_com: u64,
    /// Those that failed.
    pub to_com_failed: u64,
    /// Calls that the rules refused.
    pub refused: u64,
    /// References that came back to their own side, and were unwrapped.
    pub unwrapped: u64,
    /// Views of objects of CORBA that there are.
    pub views: u64,
    /// References to objects of COM that there are.
    pub references: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    to_corba: AtomicU64,
    to_corba_failed: AtomicU64,
    to_com: AtomicU64,
    to_com_failed: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) unwrapped: AtomicU64,
}

/// Which way a call goes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    ToCorba,
    ToCom,
}

impl Counters {
    /// A call has ended.
    pub(crate) fn called(&self, way: Way, succeeded: bool) {
        let (all, failed) = match way {
            Way::ToCorba => (&self.to_corba, &self.to_corba_failed),
            Way::ToCom => (&self.to_com, &self.to_com_failed),
        };
        add(all);
        if !succeeded {
            add(failed);
        }
    }

    pub(crate) fn read(&self, (views, references): (usize, usize)) -> Counts {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            to_corba: of(&self.to_corba),
            to_corba_failed: of(&self.to_corba_failed),
            to_com: of(&self.to_com),
            to_com_failed: of(&self.to_com_failed),
            refused: of(&self.refused),
            unwrapped: of(&self.unwrapped),
            views: views as u64,
            references: references as u64,
        }
    }
}

pub(crate) fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
