//! The service: timers with their consumers, a thread that waits for the time, and threads that push.

use super::corba::{KeptTimer, PushConsumer, PushConsumerRef, TimerEventServiceRef, TimerEventT};
use super::model::{Refusal, Saved, TimerId, Timers};
use super::servant::{self, Poas};
use super::store::{Keeper, Store, saved, wire as wire_status};
use crate::time::model::{Units, Utc, duration, units};
use crate::time::{Reading, TimeService, wire};
use armilla::{Any, Error, ExceptionKind, Orb, SystemException};
use std::collections::HashMap;
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How often it is looked whether somebody has set the clock that a timer goes by, and otherwise
/// whether the service is still there.
const LOOK: Duration = Duration::from_millis(500);
const REST: Duration = Duration::from_secs(60);

/// What a timer service does.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TimerOptions {
    /// How many timers there are at most. Further ones are refused with `IMP_LIMIT`. Default: 10,000.
    pub most: usize,
    /// How many threads push. A consumer that is slow keeps one of them. Default: 4.
    pub threads: usize,
    /// How long a push takes at most. Default: five seconds.
    pub push: Duration,
    /// The shortest period. Default: 10 ms.
    pub shortest: Duration,
}

impl Default for TimerOptions {
    fn default() -> Self {
        let (push, shortest) = (Duration::from_secs(5), Duration::from_millis(10));
        Self { most: 10_000, threads: 4, push, shortest }
    }
}

/// Who is told, and what.
struct Registered {
    consumer: PushConsumerRef,
    data: Any,
}

struct State {
    timers: Timers,
    registered: HashMap<TimerId, Registered>,
    has_ended: bool,
}

/// An event to be pushed.
struct Event {
    id: TimerId,
    consumer: PushConsumerRef,
    data: Any,
    time: Utc,
}

pub(super) struct Shared {
    pub(super) orb: Orb,
    pub(super) time: TimeService,
    pub(super) poas: OnceLock<Poas>,
    options: TimerOptions,
    state: Mutex<State>,
    changed: Condvar,
    /// Held while a timer is changed and kept: what is kept last is what was changed last.
    keeper: Mutex<Keeper>,
    is_persistent: bool,
}

/// A timer service in an ORB, over the clock of a time service, as long as it lives. Clones are the
/// same. Any thread may call it.
#[derive(Clone)]
pub struct TimerService {
    shared: Arc<Shared>,
    reference: TimerEventServiceRef,
    url: String,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

impl TimerService {
    /// Makes the objects of the service.
    ///
    /// # Errors
    /// `INITIALIZE` when the ORB cannot listen; `NO_RESOURCES` when there are no threads.
    pub fn serve(
        orb: &Orb,
        time: &TimeService,
        options: TimerOptions,
    ) -> Result<Self, SystemException> {
        Self::serve_store(orb, time, Store::memory(), options)
    }

    /// The same with timers that outlive the process. An event that was due while nobody served is
    /// pushed at once, once if it is periodic; one whose push the process did not outlive is pushed
    /// again. References to timers stay valid if the ORB has a port of its own.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    pub fn serve_store(
        orb: &Orb,
        time: &TimeService,
        store: Store,
        options: TimerOptions,
    ) -> Result<Self, SystemException> {
        let Store { timers: kept, keeper } = store;
        let mut timers = Timers::new(units(options.shortest));
        let mut registered = HashMap::new();
        let now = time.clock().read();
        for (id, timer) in kept {
            timers.restore(id, saved(&timer), now);
            // It was read by whoever opened the store.
            let consumer = orb.string_to_object(&orb.object_to_string(&timer.consumer)?)?;
            let consumer: PushConsumerRef = consumer.with_timeout(options.push).assume();
            registered.insert(id, Registered { consumer, data: timer.data });
        }
        let state = State { timers, registered, has_ended: false };
        let shared = Arc::new(Shared {
            orb: orb.clone(),
            time: time.clone(),
            poas: OnceLock::new(),
            options,
            state: Mutex::new(state),
            changed: Condvar::new(),
            is_persistent: keeper.is_persistent(),
            keeper: Mutex::new(keeper),
        });
        let (reference, url) = servant::serve(&shared)?;
        let threads = Arc::new(Mutex::new(Vec::new()));
        let service = Self { shared, reference, url, threads };
        service.begin().inspect_err(|_| service.close()).map_err(|error| {
            ExceptionKind::NoResources.because(format!("no thread for timers: {error}"))
        })?;
        Ok(service)
    }

    fn begin(&self) -> std::io::Result<()> {
        let (events, waiting) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = lock(&self.threads);
        for _ in 0..self.shared.options.threads.max(1) {
            let (weak, waiting) = (Arc::downgrade(&self.shared), waiting.clone());
            let pusher = thread::Builder::new().name("armilla-push".into());
            threads.push(pusher.spawn(move || push_all(&weak, &waiting))?);
        }
        let weak = Arc::downgrade(&self.shared);
        let ticker = thread::Builder::new().name("armilla-timers".into());
        threads.push(ticker.spawn(move || tick(&weak, &events))?);
        Ok(())
    }

    /// The service as an object.
    pub const fn reference(&self) -> &TimerEventServiceRef {
        &self.reference
    }

    /// The URL of the service, `corbaloc::HOST:PORT/TimerEventService`.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// How many timers there are, how many of them are set, and how many events were left out.
    pub fn totals(&self) -> (usize, usize, u64) {
        let state = self.shared.state();
        let (timers, set) = state.timers.counts();
        (timers, set, state.timers.missed())
    }

    /// Whether a timer could be kept now.
    ///
    /// # Errors
    /// It could not; the text says why.
    pub fn check_store(&self) -> Result<(), String> {
        lock(&self.shared.keeper).check()
    }

    /// Looks at the clock now. A clock that does not go by itself is followed so.
    pub fn look(&self) {
        self.shared.changed.notify_all();
    }

    /// Ends the service, and waits for its threads.
    pub fn close(&self) {
        self.shared.state().has_ended = true;
        self.shared.changed.notify_all();
        let own = thread::current().id();
        let mut threads = lock(&self.threads);
        for thread in threads.drain(..).filter(|thread| thread.thread().id() != own) {
            // It has logged its panic.
            thread.join().ok();
        }
    }
}

impl fmt::Debug for TimerService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimerService").field("url", &self.url).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands over what is due, until the service ends. Then the channel does.
fn tick(shared: &Weak<Shared>, events: &Sender<Event>) {
    while let Some(shared) = shared.upgrade() {
        let mut state = shared.state();
        if state.has_ended {
            return;
        }
        let now = shared.now();
        for id in state.timers.take_due(now) {
            let Some(Registered { consumer, data }) = state.registered.get(&id) else { continue };
            let known = shared.time.now();
            let time = known.unwrap_or(Utc { time: now.time, inaccuracy: 0, displacement: 0 });
            let (consumer, data) = (consumer.clone(), data.clone());
            // Nobody receives only when the service ends.
            events.send(Event { id, consumer, data, time }).ok();
        }
        let look = if state.timers.follow_clock() { LOOK } else { REST };
        let pause = state.timers.pause(now).map_or(look, duration).min(look);
        let waited = shared.changed.wait_timeout(state, pause);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Pushes events until there will be no more.
fn push_all(shared: &Weak<Shared>, events: &Mutex<Receiver<Event>>) {
    loop {
        // One thread at a time waits for the next event.
        let next = lock(events).recv();
        let (Ok(event), Some(shared)) = (next, shared.upgrade()) else { return };
        shared.push(&event);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(super) fn now(&self) -> Reading {
        self.time.clock().read()
    }

    fn push(&self, Event { id, consumer, data, time }: &Event) {
        let event = TimerEventT { utc: wire(*time), event_data: data.clone() };
        let pushed = Any::new(&event).map_err(|error| {
            Error::System(SystemException::encoding(&error, armilla::Completion::No))
        });
        let pushed = pushed.and_then(|event| consumer.push(&event));
        let keeper = lock(&self.keeper);
        let is_gone = pushed.as_ref().err().is_some_and(|error| {
            tracing::info!(id = id.0, %error, "the event of a timer could not be pushed");
            match error {
                Error::System(exception) => exception.kind() == ExceptionKind::ObjectNotExist,
                // It is disconnected.
                Error::User(_) => true,
            }
        });
        let goes_on = {
            let mut state = self.state();
            state.timers.pushed(*id, pushed.is_ok());
            if is_gone {
                state.timers.remove(*id);
                state.registered.remove(id);
            }
            state.timers.goes_on(*id)
        };
        // The beat of a periodic timer is kept already.
        if (!goes_on || is_gone)
            && let Err(error) = self.keep(&keeper, *id)
        {
            tracing::warn!(id = id.0, %error, "it is not kept that a timer has ended");
        }
    }

    pub(super) const fn is_persistent(&self) -> bool {
        self.is_persistent
    }

    /// Keeps a timer as it is now.
    fn keep(&self, keeper: &Keeper, id: TimerId) -> Result<(), SystemException> {
        if !self.is_persistent {
            return Ok(());
        }
        let now = self.now();
        let kept = {
            let state = self.state();
            let known = state.registered.get(&id).zip(state.timers.saved(id, now));
            known.map(|(registered, saved)| kept(registered, saved))
        };
        keeper.keep(id, kept.as_ref()).map_err(|error| {
            let (maybe, no) = (armilla::Completion::Maybe, armilla::Completion::No);
            let completed = if error.is_undecided() { maybe } else { no };
            ExceptionKind::PersistStore.because(error.to_string()).with_completed(completed)
        })
    }

    /// Changes a timer, and keeps it. What cannot be kept is not changed.
    ///
    /// # Errors
    /// `PERSIST_STORE`.
    pub(super) fn change<R>(
        &self,
        id: TimerId,
        change: impl FnOnce(&mut Timers, Reading) -> Result<R, Refusal>,
    ) -> Result<Result<R, Refusal>, SystemException> {
        let keeper = lock(&self.keeper);
        let before = self.with(|timers, now| timers.saved(id, now));
        let changed = self.with(change);
        if changed.is_ok()
            && let Err(error) = self.keep(&keeper, id)
        {
            let before = before.unwrap_or_default();
            self.with(|timers, now| timers.restore(id, before, now));
            return Err(error);
        }
        Ok(changed)
    }

    /// Adds a timer.
    pub(super) fn register(
        &self,
        id: TimerId,
        consumer: &PushConsumerRef,
        data: &Any,
    ) -> Result<(), SystemException> {
        if consumer.is_nil() {
            return Err(ExceptionKind::BadParam.because("no consumer is given"));
        }
        let keeper = lock(&self.keeper);
        let mut state = self.state();
        if state.registered.len() >= self.options.most {
            return Err(ExceptionKind::ImpLimit
                .because("there are too many timers")
                .with_hint("the limit is `TimerOptions::most`, `--timers` of the command"));
        }
        let consumer = consumer.with_timeout(self.options.push);
        state.registered.insert(id, Registered { consumer, data: data.clone() });
        state.timers.add(id);
        drop(state);
        self.keep(&keeper, id).inspect_err(|_| _ = self.remove(id))
    }

    fn remove(&self, id: TimerId) -> Option<Registered> {
        let mut state = self.state();
        state.timers.remove(id);
        state.registered.remove(&id)
    }

    /// Ends a timer. Returns whether it was there.
    pub(super) fn unregister(&self, id: TimerId) -> Result<bool, SystemException> {
        let keeper = lock(&self.keeper);
        let before = self.with(|timers, now| timers.saved(id, now));
        let Some(registered) = self.remove(id) else { return Ok(false) };
        self.keep(&keeper, id).inspect_err(|_| {
            let mut state = self.state();
            state.registered.insert(id, registered);
            state.timers.restore(id, before.unwrap_or_default(), self.now());
        })?;
        Ok(true)
    }

    /// Replaces what the events of a timer carry. Returns whether it is there.
    pub(super) fn set_data(&self, id: TimerId, data: &Any) -> Result<bool, SystemException> {
        let keeper = lock(&self.keeper);
        let replace = |data: Any| {
            let mut state = self.state();
            state.registered.get_mut(&id).map(|known| std::mem::replace(&mut known.data, data))
        };
        let Some(before) = replace(data.clone()) else { return Ok(false) };
        self.keep(&keeper, id).inspect_err(|_| _ = replace(before))?;
        Ok(true)
    }

    /// Looks at the timers, or changes one.
    pub(super) fn with<R>(&self, change: impl FnOnce(&mut Timers, Reading) -> R) -> R {
        let now = self.now();
        let result = change(&mut self.state().timers, now);
        self.changed.notify_all();
        result
    }
}

/// A timer in IDL.
fn kept(Registered { consumer, data }: &Registered, saved: Saved) -> KeptTimer {
    let Saved { due, is_absolute, period, last, status } = saved;
    KeptTimer {
        consumer: consumer.clone(),
        data: data.clone(),
        status: wire_status(status),
        due: due.unwrap_or_default(),
        is_absolute,
        period: period.unwrap_or_default(),
        last: last.unwrap_or_default(),
    }
}

/// So many units as a time of IDL, of which nobody says how inaccurate it is.
pub(super) const fn exactly(time: Units) -> Utc {
    Utc { time, inaccuracy: 0, displacement: 0 }
}
