//! Timers as a state machine: no ORB, threads or clock. The time is an argument, as a [`Reading`]: what
//! is absolute follows the universal time, which may be set; what is relative or periodic follows
//! the monotonic one.

use crate::time::Reading;
use crate::time::model::Units;
use std::collections::{BTreeSet, HashMap};

/// The number of a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimerId(pub u64);

/// When a timer is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// At this universal time; at once if it has passed.
    Absolute(Units),
    /// In so long; 0 is what was set the last time.
    Relative(Units),
    /// Again and again after so long; 0 is what was set the last time.
    Periodic(Units),
}

/// What has become of a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// An event is to come.
    Set,
    /// No event is to come.
    #[default]
    Cleared,
    /// Its last event was pushed, and no other is to come.
    Triggered,
    /// Its last event could not be pushed.
    Failed,
}

/// Why a timer is not set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// There is no such timer.
    Unknown,
    /// There was no time before that 0 could stand for.
    NoTimeBefore,
    /// The period is shorter than what is allowed.
    TooShort,
    /// It is later than any time that has a number.
    TooLate,
}

/// In which of the two orders of time something is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Universal(Units),
    Monotonic(Units),
}

#[derive(Debug, Default)]
struct Timer {
    due: Option<Due>,
    period: Option<Units>,
    /// The last relative or periodic time.
    last: Option<Units>,
    status: Status,
    /// Whether an event is being pushed: another one waits for none.
    is_pushing: bool,
    missed: u64,
}

/// A timer in universal time alone: as it is kept where no monotonic time lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Saved {
    /// When it is due; `None` if it is not set.
    pub due: Option<Units>,
    /// Whether that was given as a universal time.
    pub is_absolute: bool,
    /// After which time it is due again.
    pub period: Option<Units>,
    /// The last relative or periodic time.
    pub last: Option<Units>,
    /// What has become of it.
    pub status: Status,
}

/// All timers of a service.
#[derive(Debug, Default)]
pub struct Timers {
    timers: HashMap<TimerId, Timer>,
    universal: BTreeSet<(Units, TimerId)>,
    monotonic: BTreeSet<(Units, TimerId)>,
    shortest: Units,
}

impl Timers {
    /// No timers, whose periods are at least so long.
    pub fn new(shortest: Units) -> Self {
        Self { shortest, ..Self::default() }
    }

    /// How many timers there are, and how many of them are set.
    pub fn counts(&self) -> (usize, usize) {
        (self.timers.len(), self.universal.len() + self.monotonic.len())
    }

    /// A timer that is not set.
    pub fn add(&mut self, id: TimerId) {
        self.timers.insert(id, Timer::default());
    }

    /// A timer as it is kept.
    pub fn saved(&self, id: TimerId, now: Reading) -> Option<Saved> {
        let timer = self.timers.get(&id)?;
        Some(Saved {
            due: self.due(id, now)?,
            is_absolute: matches!(timer.due, Some(Due::Universal(_))),
            period: timer.period,
            last: timer.last,
            status: timer.status,
        })
    }

    /// Adds a timer that was kept. What was due meanwhile is due at once; the beats that a periodic one
    /// has missed are left out.
    pub fn restore(&mut self, id: TimerId, saved: Saved, now: Reading) {
        let Saved { due, is_absolute, period, last, status } = saved;
        self.clear(id);
        let mut timer = Timer { period, last, status, ..Timer::default() };
        let due = due.map(|due| match (is_absolute, due.checked_sub(now.time), period) {
            (true, ..) => Due::Universal(due),
            // If the clock was set back meanwhile, more seems to be left than there can be.
            (false, Some(left), Some(period)) if period > 0 && left > period => {
                Due::Monotonic(now.monotonic.saturating_add(left % period))
            }
            (false, Some(left), _) => {
                let left = left.min(last.unwrap_or(left));
                Due::Monotonic(now.monotonic.saturating_add(left))
            }
            (false, None, Some(period)) if period > 0 => {
                let late = now.time - due;
                timer.missed = late / period + 1;
                Due::Monotonic(now.monotonic.saturating_add(period - late % period))
            }
            (false, None, _) => Due::Monotonic(now.monotonic),
        });
        self.timers.insert(id, timer);
        due.into_iter().for_each(|due| self.enter(id, due));
    }

    /// Ends a timer. Returns whether it was there.
    pub fn remove(&mut self, id: TimerId) -> bool {
        self.clear(id);
        self.timers.remove(&id).is_some()
    }

    /// Sets a timer, in place of what was set.
    ///
    /// # Errors
    /// It stays as it was.
    pub fn set(&mut self, id: TimerId, when: When, now: Reading) -> Result<(), Refusal> {
        let timer = self.timers.get(&id).ok_or(Refusal::Unknown)?;
        let given = |length: Units| match length {
            0 => timer.last.ok_or(Refusal::NoTimeBefore),
            length => Ok(length),
        };
        let after = |length: Units| {
            let due = now.monotonic.checked_add(length).ok_or(Refusal::TooLate)?;
            Ok(Due::Monotonic(due))
        };
        let (due, last, period) = match when {
            When::Absolute(time) => (Due::Universal(time), timer.last, None),
            When::Relative(length) => {
                let length = given(length)?;
                (after(length)?, Some(length), None)
            }
            When::Periodic(length) => {
                let length = given(length)?;
                if length < self.shortest {
                    return Err(Refusal::TooShort);
                }
                (after(length)?, Some(length), Some(length))
            }
        };
        self.clear(id);
        if let Some(timer) = self.timers.get_mut(&id) {
            (timer.last, timer.period, timer.status) = (last, period, Status::Set);
        }
        self.enter(id, due);
        Ok(())
    }

    /// Cancels what is to come. Returns whether something was; `None` if there is no such timer.
    pub fn cancel(&mut self, id: TimerId) -> Option<bool> {
        let was_set = self.clear(id);
        let timer = self.timers.get_mut(&id)?;
        if was_set {
            timer.status = Status::Cleared;
        }
        Some(was_set)
    }

    /// What has become of a timer.
    pub fn status(&self, id: TimerId) -> Option<Status> {
        self.timers.get(&id).map(|timer| timer.status)
    }

    /// When the next event of a timer is due, in universal time; the inner `None` if none is.
    pub fn due(&self, id: TimerId, now: Reading) -> Option<Option<Units>> {
        let timer = self.timers.get(&id)?;
        Some(timer.due.map(|due| match due {
            Due::Universal(time) => time,
            Due::Monotonic(time) => now.time.saturating_add(time.saturating_sub(now.monotonic)),
        }))
    }

    /// Whether a timer is set to a time of the clock, which somebody may set.
    pub fn follow_clock(&self) -> bool {
        !self.universal.is_empty()
    }

    /// How long nothing is due, if nobody sets the clock; `None` if nothing is set.
    pub fn pause(&self, now: Reading) -> Option<Units> {
        let universal = self.universal.first().map(|(time, _)| time.saturating_sub(now.time));
        let monotonic = self.monotonic.first().map(|(time, _)| time.saturating_sub(now.monotonic));
        [universal, monotonic].into_iter().flatten().min()
    }

    /// The timers whose events are to be pushed now. What a periodic one has missed, because the
    /// last event is still being pushed or nobody has asked, is left out.
    pub fn take_due(&mut self, now: Reading) -> Vec<TimerId> {
        let mut due = Vec::new();
        while let Some((time, id)) = self.universal.first().copied()
            && time <= now.time
        {
            due.push(id);
            self.clear(id);
        }
        while let Some((time, id)) = self.monotonic.first().copied()
            && time <= now.monotonic
        {
            due.push(id);
            self.clear(id);
            let Some(period) = self.timers.get(&id).and_then(|timer| timer.period) else {
                continue;
            };
            let missed = (now.monotonic - time) / period;
            let next = time.saturating_add(period.saturating_mul(missed + 1));
            self.enter(id, Due::Monotonic(next));
            self.timers.entry(id).and_modify(|timer| timer.missed += missed);
        }
        due.retain(|id| match self.timers.get_mut(id) {
            Some(timer) if timer.is_pushing => {
                timer.missed += 1;
                false
            }
            Some(timer) => {
                timer.is_pushing = true;
                true
            }
            None => false,
        });
        due
    }

    /// An event was pushed, or could not be.
    pub fn pushed(&mut self, id: TimerId, succeeded: bool) {
        let Some(timer) = self.timers.get_mut(&id) else { return };
        timer.is_pushing = false;
        timer.status = match (succeeded, timer.due) {
            (false, _) => Status::Failed,
            // Set again, or periodic.
            (true, Some(_)) => Status::Set,
            (true, None) => Status::Triggered,
        };
    }

    /// Whether another event of a timer is to come.
    pub fn goes_on(&self, id: TimerId) -> bool {
        self.timers.get(&id).is_some_and(|timer| timer.due.is_some())
    }

    /// How many events were left out.
    pub fn missed(&self) -> u64 {
        self.timers.values().map(|timer| timer.missed).sum()
    }

    fn enter(&mut self, id: TimerId, due: Due) {
        match due {
            Due::Universal(time) => self.universal.insert((time, id)),
            Due::Monotonic(time) => self.monotonic.insert((time, id)),
        };
        self.timers.entry(id).and_modify(|timer| timer.due = Some(due));
    }

    /// Nothing is due any more. Returns whether something was.
    fn clear(&mut self, id: TimerId) -> bool {
        let Some(due) = self.timers.get_mut(&id).and_then(|timer| timer.due.take()) else {
            return false;
        };
        match due {
            Due::Universal(time) => self.universal.remove(&(time, id)),
            Due::Monotonic(time) => self.monotonic.remove(&(time, id)),
        }
    }
}
