//! Removing what need not be kept.

use crate::core::{Core, lock};
use crate::files::{Files, LogFile};
use crate::segments::{Entry, Segments};
use crate::storage::{SPARE, now};
use crate::{LogError, Options};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl<F: Files> Core<F> {
    /// Removes what the options do not keep. Returns how many segments were removed.
    pub(crate) fn retain(&self) -> Result<usize, LogError> {
        let mut spare = lock(&self.spare);
        let removed = self.retain_with(&mut spare)?;
        self.is_spare_ready.store(spare.is_some(), Ordering::Relaxed);
        Ok(removed)
    }

    /// Brings to the disk how far the consumers are.
    pub(crate) fn keep_consumers(&self) -> Result<(), LogError> {
        let mut state = lock(&self.state);
        self.write_state(&mut state, None)
    }

    /// Writes the state, if it has changed. The lock of the state is held, so that it goes forward.
    fn write_state(
        &self,
        state: &mut crate::state::State,
        first: Option<u64>,
    ) -> Result<(), LogError> {
        let mut new = state.clone();
        {
            let mut consumers = lock(&self.consumers);
            if !consumers.is_changed && first.is_none() {
                return Ok(());
            }
            // What is not on the disk may yet be lost, and other records have its positions then.
            let durable = self.group.durable();
            consumers.is_changed = consumers.positions.values().any(|at| *at > durable);
            let known = consumers.positions.iter();
            new.consumers = known.map(|(name, at)| (name.clone(), *at.min(&durable))).collect();
        }
        new.first = first.unwrap_or(new.first);
        match new.write(&self.files) {
            Ok(()) => {
                *state = new;
                Ok(())
            }
            Err(error) => {
                lock(&self.consumers).is_changed = true;
                Err(error)
            }
        }
    }

    /// Removes segments. One of them becomes the next one, if none is prepared.
    pub(crate) fn retain_with(&self, spare: &mut Option<F::File>) -> Result<usize, LogError> {
        let mut state = lock(&self.state);
        let acknowledged = lock(&self.consumers).all();
        let (count, first) = {
            let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
            let count = removable(&segments, &self.options, acknowledged, now(&self.files));
            (count, segments.iter().nth(count).map(|entry| entry.segment.sequence))
        };
        let first = first.filter(|_| count > 0);
        self.write_state(&mut state, first)?;
        if first.is_none() {
            return Ok(0);
        }
        let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
        let removed: Vec<Entry> = (0..count).filter_map(|_| segments.pop()).collect();
        drop(segments);
        for entry in &removed {
            // What cannot be removed now is when the log is opened again.
            if spare.is_none() && entry.length == self.options.segment {
                *spare = self.reuse(&entry.segment.name());
            } else {
                self.files.remove(&entry.segment.name()).ok();
            }
        }
        Ok(removed.len())
    }

    fn reuse(&self, name: &str) -> Option<F::File> {
        self.files.rename(name, SPARE).ok()?;
        let file = self.files.open(SPARE).ok()?;
        (file.length().ok()? == self.options.segment).then_some(file)
    }
}

/// How many of the oldest segments need not be kept.
fn removable(segments: &Segments, options: &Options, acknowledged: Option<u64>, now: u64) -> usize {
    let retention = &options.retention;
    let mut octets = segments.octets();
    let pairs = segments.iter().zip(segments.iter().skip(1));
    let may_go = |(entry, next): &(&Entry, &Entry)| {
        let is_acknowledged = acknowledged.is_some_and(|all| all >= next.segment.base);
        let is_held = acknowledged.is_some() && !is_acknowledged && !retention.unacknowledged;
        // Its last record is no younger than the next segment.
        let age = now.saturating_sub(next.segment.created);
        let is_old = retention.age.is_some_and(|most| u128::from(age) > most.as_millis());
        let is_much = retention.size.is_some_and(|most| octets > most);
        octets -= entry.length;
        retention.acknowledged && is_acknowledged || !is_held && (is_old || is_much)
    };
    pairs
        .map_while({
            let mut may_go = may_go;
            move |pair| may_go(&pair).then_some(())
        })
        .count()
}
