//! Iterators over properties. One holds a set and the last name that it gave, so it needs no copy of
//! the properties. Their number is limited, and a client that leaves them open loses the oldest. Who
//! was not given an iterator cannot guess its number.

use armilla::{ExceptionKind, SystemException};
use armilla_ipc::random;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The limits of iterators.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IteratorLimits {
    /// How many one client, by its host, may have open. A further one replaces the one of this
    /// client that was used least recently. Default: 100.
    pub per_client: usize,
    /// How many may be open in all. A further one replaces the least recently used one. Default:
    /// 10,000.
    pub open: usize,
    /// An iterator that is not used for so long is destroyed. Default: ten minutes.
    pub idle: Duration,
    /// The most properties in one reply. Clients that ask for more get the rest from the iterator.
    /// Default: 10,000.
    pub batch: usize,
}

impl Default for IteratorLimits {
    fn default() -> Self {
        Self { per_client: 100, open: 10_000, idle: Duration::from_secs(600), batch: 10_000 }
    }
}

/// Where an iterator is.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) set: u64,
    /// Behind which name it begins, and after which it goes on.
    begin: Option<String>,
    pub(super) after: Option<String>,
}

struct Open {
    place: Place,
    client: String,
    used: Instant,
}

pub(super) struct Iterators {
    open: Mutex<HashMap<u64, Open>>,
    limits: IteratorLimits,
}

impl Iterators {
    pub(super) fn new(limits: IteratorLimits) -> Self {
        Self { open: Mutex::default(), limits }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are open.
    pub(super) fn count(&self) -> usize {
        self.lock().len()
    }

    /// How many properties a reply has, of those that the client asks for.
    pub(super) fn at_most(&self, how_many: u32) -> usize {
        usize::try_from(how_many).unwrap_or(usize::MAX).min(self.limits.batch)
    }

    /// Opens an iterator for the rest behind a name. Returns its number.
    pub(super) fn open(
        &self,
        set: u64,
        after: Option<String>,
        client: String,
    ) -> Result<u64, SystemException> {
        let number = random::number().map_err(|error| {
            ExceptionKind::NoResources.because(format!("no random numbers: {error}"))
        })?;
        let place = Place { set, begin: after.clone(), after };
        let mut open = self.lock();
        sweep(&mut open, self.limits.idle);
        if open.values().filter(|it| it.client == client).count() >= self.limits.per_client {
            drop_oldest(&mut open, |it| it.client == client);
        }
        if open.len() >= self.limits.open {
            drop_oldest(&mut open, |_| true);
        }
        open.insert(number.get(), Open { place, client, used: Instant::now() });
        Ok(number.get())
    }

    /// Uses an iterator: `step` sees where it is, and moves it.
    pub(super) fn step<R>(
        &self,
        number: u64,
        step: impl FnOnce(&mut Place) -> R,
    ) -> Result<R, SystemException> {
        let mut open = self.lock();
        sweep(&mut open, self.limits.idle);
        let it = open.get_mut(&number).ok_or_else(gone)?;
        it.used = Instant::now();
        Ok(step(&mut it.place))
    }

    /// Leads an iterator back to where it began.
    pub(super) fn reset(&self, number: u64) -> Result<(), SystemException> {
        self.step(number, |place| place.after.clone_from(&place.begin))
    }

    pub(super) fn destroy(&self, number: u64) -> Result<(), SystemException> {
        self.lock().remove(&number).map(drop).ok_or_else(gone)
    }

    pub(super) fn is_open(&self, number: u64) -> bool {
        self.lock().contains_key(&number)
    }
}

fn sweep(open: &mut HashMap<u64, Open>, idle: Duration) {
    let now = Instant::now();
    open.retain(|_, it| now.duration_since(it.used) < idle);
}

fn drop_oldest(open: &mut HashMap<u64, Open>, among: impl Fn(&Open) -> bool) {
    let candidates = open.iter().filter(|(_, it)| among(it));
    let oldest = candidates.min_by_key(|(_, it)| it.used).map(|(number, _)| *number);
    oldest.and_then(|number| open.remove(&number));
}

#[cold]
fn gone() -> SystemException {
    ExceptionKind::ObjectNotExist.because("the iterator was destroyed, or was idle for too long")
}
