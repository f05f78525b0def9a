//! Observers: each has a bounded queue and a thread, so that a slow one holds up nobody. One that
//! fails several times in a row is dropped.

use crate::telecom::{Alarm, AlarmObserver as _, AlarmObserverRef, TooMany};
use armilla::ExceptionKind;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// The most observers at once.
pub const MAX_OBSERVERS: usize = 64;
/// The most alarms that wait for one observer; further ones take the place of the oldest.
pub const MAX_QUEUE: usize = 1_000;
/// An observer that fails so often in a row is dropped.
pub const MAX_FAILURES: u32 = 3;
/// How long an observer may take.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The pause after a failure.
const PAUSE: Duration = Duration::from_millis(100);

/// The observers of a server, by number. Clones are the same observers.
#[derive(Clone, Default)]
pub struct Observers(Arc<Mutex<All>>);

#[derive(Default)]
struct All {
    last_number: u64,
    queues: BTreeMap<u64, Arc<Queue>>,
}

/// What waits for one observer.
#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    alarms: VecDeque<Alarm>,
    lost: u64,
    ended: bool,
}

impl Observers {
    fn lock(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lock().queues.len()
    }

    /// Adds an observer and returns its number.
    ///
    /// # Errors
    /// [`TooMany`] observers.
    pub fn add(&self, observer: &AlarmObserverRef) -> Result<u64, TooMany> {
        let mut all = self.lock();
        if all.queues.len() >= MAX_OBSERVERS {
            return Err(TooMany { limit: MAX_OBSERVERS as u32 });
        }
        all.last_number += 1;
        let (number, queue) = (all.last_number, Arc::<Queue>::default());
        all.queues.insert(number, queue.clone());
        let (observers, observer) = (self.clone(), observer.with_timeout(TIME_LIMIT));
        thread::spawn(move || {
            queue.serve(&observer);
            observers.lock().queues.remove(&number);
        });
        Ok(number)
    }

    /// Removes an observer; false if there is none with this number.
    pub fn remove(&self, number: u64) -> bool {
        let queue = self.lock().queues.remove(&number);
        queue.map(|queue| queue.end()).is_some()
    }

    /// Removes all.
    pub fn clear(&self) {
        let queues = std::mem::take(&mut self.lock().queues);
        queues.values().for_each(|queue| queue.end());
    }

    /// Queues the alarm for all, and waits for none.
    pub fn notify(&self, alarm: &Alarm) {
        self.lock().queues.values().for_each(|queue| queue.add(alarm.clone()));
    }
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    fn add(&self, alarm: Alarm) {
        let mut waiting = self.lock();
        if waiting.alarms.len() >= MAX_QUEUE {
            waiting.alarms.pop_front();
            waiting.lost += 1;
        }
        waiting.alarms.push_back(alarm);
        self.changed.notify_all();
    }

    /// All that waits, as soon as there is something; `None` at the end.
    fn take(&self) -> Option<(Vec<Alarm>, u64)> {
        let nothing = |it: &mut Waiting| it.alarms.is_empty() && !it.ended;
        let waiting = self.changed.wait_while(self.lock(), nothing);
        let mut waiting = waiting.unwrap_or_else(PoisonError::into_inner);
        let lost = std::mem::take(&mut waiting.lost);
        (!waiting.ended).then(|| (waiting.alarms.drain(..).collect(), lost))
    }

    /// Tells the observer until the end, or until it has failed too often.
    fn serve(&self, observer: &AlarmObserverRef) {
        while let Some((alarms, lost)) = self.take() {
            let mut failures = 0;
            while let Err(error) = observer.notify(&alarms, lost) {
                failures += 1;
                if failures >= MAX_FAILURES || error.kind() == ExceptionKind::ObjectNotExist {
                    return eprintln!("telecom: an observer is dropped: {error}");
                }
                let waited = self.changed.wait_timeout_while(self.lock(), PAUSE, |it| !it.ended);
                if waited.unwrap_or_else(PoisonError::into_inner).0.ended {
                    return;
                }
            }
        }
    }
}
