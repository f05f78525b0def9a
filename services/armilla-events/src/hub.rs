//! The channel without its CORBA objects: who is connected, and where events go.

use crate::connection::{Connection, Offered};
use crate::consumer::{Consumer, ConsumerError};
use crate::corba::comm::{PushSupplier as _, PushSupplierRef};
use crate::corba::{ChannelStatistics, Event};
use crate::correlation::covers;
use crate::error::EventError;
use crate::farewell::{Ending, say_farewell};
use crate::options::{ChannelLimits, ConsumerOptions};
use crate::subscription::Subscription;
use armilla::{Completion, ExceptionKind, blocking};
use armilla_ipc::real_time::{PiMutex, monotonic_now};
use armilla_rt::{Measurement, Priority, RtErrorKind, RtOrb};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use tracing::warn;

/// The state of a channel.
pub(crate) struct Hub {
    pub(crate) rt: RtOrb,
    pub(crate) limits: ChannelLimits,
    /// The priority of consumers that have none of their own.
    pub(crate) priority: Option<Priority>,
    /// The priorities of operations that events trigger.
    pub(crate) schedule: BTreeMap<String, Priority>,
    /// Whether a consumer without its native priority is refused.
    pub(crate) strict: bool,
    /// What measures consumers.
    pub(crate) measurement: Option<Measurement>,
    /// What suppliers read. It is replaced whole, under `members`.
    table: PiMutex<Arc<Vec<Row>>>,
    members: Mutex<Members>,
    /// Plain proxies, whether they are connected or not.
    proxies: Arc<AtomicUsize>,
    /// Ends the objects of the channel.
    objects: OnceLock<Ending>,
    ended: AtomicBool,
    pushed: AtomicU64,
    unwanted: AtomicU64,
    blocked: AtomicU64,
    disconnected: AtomicU64,
}

/// A consumer, and the sources and types that matter to it.
#[derive(Clone)]
struct Row {
    entry: Arc<Entry>,
    interests: Arc<[(u32, u32)]>,
}

#[derive(Default)]
struct Members {
    next: u64,
    suppliers: BTreeMap<u64, Supplier>,
}

/// A connected supplier.
struct Supplier {
    /// Set if it wants to be told of the end.
    reference: Option<PushSupplierRef>,
    /// Ends its proxy, if it is gone without a word.
    forget: Ending,
}

/// A consumer that is measured.
struct Measured {
    consumer: Arc<dyn Consumer>,
    operation: String,
    measurement: Measurement,
}

impl Consumer for Measured {
    fn push(&self, events: &[Event]) -> Result<(), ConsumerError> {
        self.measurement.of(&self.operation, || self.consumer.push(events))
    }

    fn disconnected(&self) {
        self.consumer.disconnected();
    }
}

/// The right of a plain proxy to be, which ends with it.
pub(crate) struct ProxyPermit(Arc<AtomicUsize>);

impl Drop for ProxyPermit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connected consumer.
pub(crate) struct Entry {
    pub(crate) connection: Connection,
    /// Whether the channel has ended the connection, and not the consumer.
    expelled: AtomicBool,
    /// Ends its proxy, if it has one: a consumer that is gone leaves nothing.
    ending: OnceLock<Ending>,
    /// Tells the consumer of the end of the channel, if it has no thread that does.
    farewell: OnceLock<Ending>,
}

impl Entry {
    /// Has this done at the end of the connection, or at once if that has ended.
    pub(crate) fn at_end(&self, ending: Ending) {
        let ending = self.ending.get_or_init(|| ending);
        if self.connection.has_ended() {
            ending();
        }
    }

    /// Has this done when the channel ends, within the time for a call.
    pub(crate) fn at_channels_end(&self, farewell: Ending) {
        self.farewell.set(farewell).ok();
    }
}

impl Hub {
    pub(crate) fn new(
        rt: &RtOrb,
        limits: ChannelLimits,
        priority: Option<Priority>,
        schedule: BTreeMap<String, Priority>,
        strict: bool,
    ) -> Self {
        let (table, members, proxies, objects, ended) = Default::default();
        let (pushed, unwanted, blocked, disconnected) = Default::default();
        let rt = rt.clone();
        Self {
            rt,
            limits,
            priority,
            schedule,
            strict,
            measurement: None,
            table,
            members,
            proxies,
            objects,
            ended,
            pushed,
            unwanted,
            blocked,
            disconnected,
        }
    }

    /// Has this done when the channel ends: its objects end then.
    pub(crate) fn at_end(&self, objects: Ending) {
        self.objects.set(objects).ok();
    }

    /// Passes an event to the consumers that want it. Waits for none but those that block.
    pub(crate) fn publish(&self, event: &Arc<Event>) {
        self.publish_but(event, None);
    }

    /// Passes an event of another process on, no further than [`ChannelLimits::hops`], and not to
    /// the consumer through whose network it has come.
    pub(crate) fn publish_foreign(&self, event: &Event, from: Option<&Arc<Entry>>) {
        let hops = event.header.hops.min(self.limits.hops);
        self.publish_but(&Arc::new(event.clone().with_hops(hops)), from);
    }

    fn publish_but(&self, event: &Arc<Event>, from: Option<&Arc<Entry>>) {
        self.pushed.fetch_add(1, Ordering::Relaxed);
        let table = self.table.lock().clone();
        let (mut wanted, mut full) = (false, Vec::new());
        for Row { entry, interests } in table.iter() {
            let comes_from_it = from.is_some_and(|from| Arc::ptr_eq(from, entry));
            let covered = interests.iter().any(|interest| covers(*interest, &event.header));
            if comes_from_it || !covered {
                continue;
            }
            wanted = true;
            match entry.connection.offer(event) {
                Offered::Done => {}
                Offered::Full(delivery) => full.push((entry, delivery)),
                Offered::Disconnect => self.expel(entry),
            }
        }
        if !wanted {
            self.unwanted.fetch_add(1, Ordering::Relaxed);
        }
        for (entry, delivery) in full {
            self.blocked.fetch_add(1, Ordering::Relaxed);
            entry.connection.offer_waiting(delivery);
        }
    }

    /// Connects a consumer and starts its thread.
    pub(crate) fn connect(
        self: &Arc<Self>,
        consumer: Arc<dyn Consumer>,
        options: &ConsumerOptions,
    ) -> Result<Arc<Entry>, EventError> {
        let entry = self.join(options)?;
        let measured = self.measurement.clone().filter(|_| !options.operation.is_empty());
        let consumer: Arc<dyn Consumer> = match measured {
            Some(measurement) => {
                let operation = options.operation.clone();
                Arc::new(Measured { consumer, operation, measurement })
            }
            None => consumer,
        };
        let priority = options.priority.or_else(|| self.schedule.get(&options.operation).copied());
        let priority = priority.or(self.priority);
        let (hub, of_thread) = (self.clone(), entry.clone());
        let (send, started) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("event-consumer".into()).spawn(move || {
            let refused = hub.raise(priority);
            let serves = refused.is_ok();
            // The connecting thread waits for this.
            send.send(refused).ok();
            if serves {
                hub.serve(&of_thread, &*consumer);
            }
        });
        let started = match thread {
            Ok(_) => started.recv().unwrap_or(Err(EventError::Ended)),
            Err(error) => Err(EventError::Limit(format!("no thread for the consumer: {error}"))),
        };
        if let Err(error) = started {
            self.leave(&entry);
            return Err(error);
        }
        Ok(entry)
    }

    /// Adds a consumer without a thread: one that pulls.
    pub(crate) fn join(&self, options: &ConsumerOptions) -> Result<Arc<Entry>, EventError> {
        options.subscription.check()?;
        let longest = self.limits.longest_queue;
        if options.queue_length > longest {
            let asked = options.queue_length;
            return Err(EventError::Qos(format!("a queue of {asked}; the most are {longest}")));
        }
        let interests = options.subscription.interests().into();
        let connection = Connection::new(options, self.limits);
        let (expelled, ending, farewell) = Default::default();
        let entry = Arc::new(Entry { connection, expelled, ending, farewell });
        let row = Row { entry: entry.clone(), interests };
        let most = self.limits.consumers;
        self.change(|table| {
            if table.len() >= most {
                return Err(EventError::Limit(format!("{most} consumers (ChannelLimits)")));
            }
            table.push(row);
            Ok(())
        })?;
        Ok(entry)
    }

    /// Removes a consumer that wants nothing more.
    pub(crate) fn leave(&self, entry: &Arc<Entry>) {
        entry.connection.end();
        self.change(|table| {
            table.retain(|row| !Arc::ptr_eq(&row.entry, entry));
            Ok(())
        })
        .ok();
        entry.ending.get().into_iter().for_each(|ending| ending());
    }

    /// Removes a plain consumer that wants nothing more. Its thread tells it all the same, as the
    /// Event Service has it (2.1.3).
    pub(crate) fn part(&self, entry: &Arc<Entry>) {
        entry.expelled.store(true, Ordering::SeqCst);
        self.leave(entry);
    }

    /// Disconnects a consumer, which is told.
    fn expel(&self, entry: &Arc<Entry>) {
        if !entry.expelled.swap(true, Ordering::SeqCst) {
            self.disconnected.fetch_add(1, Ordering::Relaxed);
        }
        self.leave(entry);
    }

    /// Replaces the subscription of a consumer.
    pub(crate) fn subscribe(
        &self,
        entry: &Arc<Entry>,
        subscription: &Subscription,
    ) -> Result<(), EventError> {
        subscription.check()?;
        let interests: Arc<[(u32, u32)]> = subscription.interests().into();
        self.change(|table| {
            let row = table.iter_mut().find(|row| Arc::ptr_eq(&row.entry, entry));
            row.into_iter().for_each(|row| row.interests = interests.clone());
            Ok(())
        })?;
        entry.connection.change_subscription(subscription);
        Ok(())
    }

    /// Adds a supplier, whose proxy `forget` ends. Returns its number. If there are as many as may
    /// be, it takes the place of one that is gone.
    pub(crate) fn add_supplier(
        &self,
        reference: Option<PushSupplierRef>,
        forget: Ending,
    ) -> Result<u64, EventError> {
        if self.members().suppliers.len() >= self.limits.suppliers {
            self.forget_gone_supplier();
        }
        let mut members = self.members();
        if self.has_ended() {
            return Err(EventError::Ended);
        }
        if members.suppliers.len() >= self.limits.suppliers {
            let most = self.limits.suppliers;
            return Err(EventError::Limit(format!("{most} suppliers (ChannelLimits)")));
        }
        members.next += 1;
        let number = members.next;
        members.suppliers.insert(number, Supplier { reference, forget });
        Ok(number)
    }

    /// Removes a supplier. Returns its reference, if it has given one.
    pub(crate) fn remove_supplier(&self, number: u64) -> Option<PushSupplierRef> {
        self.members().suppliers.remove(&number)?.reference
    }

    /// Forgets the first supplier that is gone: one that has given a reference, which its process
    /// does not know or nobody serves. Asks for as long as a consumer may take.
    fn forget_gone_supplier(&self) {
        let members = self.members();
        let known = members.suppliers.iter();
        let known = known.filter_map(|(number, it)| Some((*number, it.reference.clone()?)));
        let known: Vec<_> = known.collect();
        drop(members);
        let end = monotonic_now().saturating_add(self.limits.delivery);
        let gone = known.into_iter().find(|(_, reference)| {
            let left = end.saturating_sub(monotonic_now());
            !left.is_zero() && is_gone(&reference.with_timeout(left))
        });
        let supplier = gone.and_then(|(number, _)| self.members().suppliers.remove(&number));
        supplier.into_iter().for_each(|supplier| (supplier.forget)());
    }

    /// The right to make one more plain proxy.
    pub(crate) fn permit_proxy(&self) -> Result<ProxyPermit, EventError> {
        let most = self.limits.consumers + self.limits.suppliers;
        let permit = ProxyPermit(self.proxies.clone());
        match permit.0.fetch_add(1, Ordering::Relaxed) < most {
            true => Ok(permit),
            false => Err(EventError::Limit(format!("{most} proxies (ChannelLimits)"))),
        }
    }

    /// Disconnects everybody, and ends the objects of the channel (Event Service 1.2, 2.3.2).
    /// Nothing can connect any more.
    pub(crate) fn destroy(&self) {
        let mut members = self.members();
        self.ended.store(true, Ordering::SeqCst);
        let suppliers = std::mem::take(&mut members.suppliers);
        let table = std::mem::take(&mut *self.table.lock());
        drop(members);
        let mut farewells = Vec::<Ending>::new();
        for Row { entry, .. } in table.iter() {
            entry.expelled.store(true, Ordering::SeqCst);
            entry.connection.end();
            if entry.farewell.get().is_some() {
                let entry = entry.clone();
                farewells
                    .push(Box::new(move || entry.farewell.get().into_iter().for_each(|it| it())));
            }
        }
        for supplier in suppliers.into_values().filter_map(|supplier| supplier.reference) {
            let supplier = supplier.with_timeout(self.limits.delivery);
            // It may be gone.
            farewells.push(Box::new(move || drop(supplier.disconnect_push_supplier())));
        }
        self.objects.get().into_iter().for_each(|end| end());
        // Another thread reads requests meanwhile.
        blocking(|| say_farewell(&farewells, self.limits.delivery));
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    pub(crate) fn statistics(&self) -> ChannelStatistics {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        ChannelStatistics {
            pushed: self.pushed.load(Ordering::Relaxed),
            unwanted: self.unwanted.load(Ordering::Relaxed),
            blocked: self.blocked.load(Ordering::Relaxed),
            disconnected: self.disconnected.load(Ordering::Relaxed),
            suppliers: count(self.members().suppliers.len()),
            consumers: count(self.table.lock().len()),
        }
    }

    /// Gives the calling thread the priority of a consumer.
    pub(crate) fn raise(&self, priority: Option<Priority>) -> Result<(), EventError> {
        let Some(priority) = priority else { return Ok(()) };
        // The mapping of priorities is code of the program.
        let set = || self.rt.current().set_priority(priority);
        let Ok(set) = catch_unwind(AssertUnwindSafe(set)) else {
            return Err(EventError::Qos(format!("the mapping of priority {priority} panicked")));
        };
        match set {
            Err(error) if self.strict || error.kind() != RtErrorKind::Permission => {
                Err(EventError::Qos(error.to_string()))
            }
            Err(error) => {
                warn!("{error}");
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    /// The work of a consumer's thread.
    fn serve(&self, entry: &Arc<Entry>, consumer: &dyn Consumer) {
        let served = Served { hub: self, entry };
        entry.connection.run(consumer);
        drop(served);
        if entry.expelled.load(Ordering::SeqCst)
            && catch_unwind(AssertUnwindSafe(|| consumer.disconnected())).is_err()
        {
            warn!("a consumer of events panicked when it was disconnected");
        }
    }

    /// Replaces the table.
    fn change(
        &self,
        change: impl FnOnce(&mut Vec<Row>) -> Result<(), EventError>,
    ) -> Result<(), EventError> {
        let _members = self.members();
        if self.has_ended() {
            return Err(EventError::Ended);
        }
        let before = self.table.lock().clone();
        let mut table = Vec::clone(&before);
        change(&mut table)?;
        let table = Arc::new(table);
        // What is replaced is freed outside of the lock, as is what nobody reads any more.
        let _before = std::mem::replace(&mut *self.table.lock(), table);
        Ok(())
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A consumer while its thread calls it. However the thread ends, no queue is left that nobody
/// empties: what a program's panic carries may panic once more when it is dropped.
struct Served<'a> {
    hub: &'a Hub,
    entry: &'a Arc<Entry>,
}

impl Drop for Served<'_> {
    fn drop(&mut self) {
        if !self.entry.connection.has_ended() {
            // It is gone, or has failed too often.
            self.hub.expel(self.entry);
        }
    }
}

/// Whether a supplier does not exist any more, or nobody listens where it was.
fn is_gone(supplier: &PushSupplierRef) -> bool {
    // Another thread reads requests meanwhile.
    match blocking(|| supplier.object().non_existent()) {
        Ok(gone) => gone,
        Err(exception) => {
            let unreached = [ExceptionKind::Transient, ExceptionKind::CommFailure];
            exception.completed() == Completion::No && unreached.contains(&exception.kind())
        }
    }
}
