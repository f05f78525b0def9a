//! The channel without its CORBA objects: who is connected, and where events go.

use crate::connection::{Connection, Offered};
use crate::consumer::{Consumer, ConsumerError};
use crate::corba::comm::{PushSupplier as _, PushSupplierRef};
use crate::corba::{ChannelStatistics, ConsumerStatistics, Event};
use crate::correlation::covers;
use crate::error::EventError;
use crate::farewell::{Ending, say_farewell};
use crate::options::{ChannelLimits, ConsumerOptions};
use crate::presence::Presence;
use crate::subscription::Subscription;
use crate::sweep::{Candidate, Role, Sweeper, make_room, sweep};
use armilla::{Object, blocking};
use armilla_ipc::real_time::PiMutex;
use armilla_rt::{Measurement, Priority, RtErrorKind, RtOrb};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;
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
    proxies: Proxies,
    /// The thread that looks for clients that are gone.
    sweeper: Sweeper,
    /// Ends the objects of the channel.
    objects: OnceLock<Ending>,
    ended: AtomicBool,
    closed: AtomicBool,
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
    presence: Arc<Presence>,
    /// Ends its proxy, if it is gone without a word.
    forget: Arc<dyn Fn() + Send + Sync>,
}

/// A plain proxy.
#[derive(Clone)]
struct Proxy {
    presence: Arc<Presence>,
    /// Whether its client has connected: then the proxy ends with the connection.
    is_connected: Arc<AtomicBool>,
    end: Arc<dyn Fn() + Send + Sync>,
}

/// Plain proxies by their numbers.
type Proxies = Arc<Mutex<BTreeMap<u64, Proxy>>>;

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

    fn reference(&self) -> Option<&Object> {
        self.consumer.reference()
    }
}

/// The right of a plain proxy to be, which ends with it.
pub(crate) struct ProxyPermit {
    proxies: Proxies,
    number: u64,
    pub(crate) presence: Arc<Presence>,
    is_connected: Arc<AtomicBool>,
}

impl ProxyPermit {
    /// The client has connected.
    pub(crate) fn connect(&self) {
        self.is_connected.store(true, Ordering::Relaxed);
    }
}

impl Drop for ProxyPermit {
    fn drop(&mut self) {
        let mut proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = proxies.remove(&self.number);
        // What ends a proxy may be its last owner.
        drop(proxies);
        drop(ended);
    }
}

/// A connected consumer.
pub(crate) struct Entry {
    pub(crate) connection: Connection,
    pub(crate) presence: Arc<Presence>,
    /// Whether it is called, or calls itself: to pull.
    is_pushed_to: bool,
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

/// A consumer, as operators see it.
#[cfg_attr(not(feature = "server"), allow(dead_code))]
pub(crate) struct ConsumerState {
    pub(crate) pulls: bool,
    /// Where its object is, if it has given one.
    pub(crate) address: String,
    /// For how long nothing was heard of it; zero while it calls.
    pub(crate) idle: Duration,
    pub(crate) statistics: ConsumerStatistics,
}

impl Hub {
    /// The consumers that are connected.
    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    pub(crate) fn consumers(&self) -> Vec<ConsumerState> {
        let table = self.table.lock().clone();
        let state = |Row { entry, .. }: &Row| ConsumerState {
            pulls: !entry.is_pushed_to,
            address: entry.presence.address(),
            idle: entry.presence.idle().unwrap_or_default(),
            statistics: entry.connection.statistics(),
        };
        table.iter().map(state).collect()
    }

    pub(crate) fn new(
        rt: &RtOrb,
        limits: ChannelLimits,
        priority: Option<Priority>,
        schedule: BTreeMap<String, Priority>,
        strict: bool,
    ) -> Self {
        let (table, members, proxies, sweeper, objects, ended, closed) = Default::default();
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
            sweeper,
            objects,
            ended,
            closed,
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
        let entry = self.join_as(true, options)?;
        consumer.reference().into_iter().for_each(|object| entry.presence.set_reference(object));
        if consumer.reference().is_none() {
            // It is one of this process.
            entry.presence.keep();
        }
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
    pub(crate) fn join(
        self: &Arc<Self>,
        options: &ConsumerOptions,
    ) -> Result<Arc<Entry>, EventError> {
        self.join_as(false, options)
    }

    fn join_as(
        self: &Arc<Self>,
        is_pushed_to: bool,
        options: &ConsumerOptions,
    ) -> Result<Arc<Entry>, EventError> {
        options.subscription.check()?;
        let longest = self.limits.longest_queue;
        if options.queue_length > longest {
            let asked = options.queue_length;
            return Err(EventError::Qos(format!("a queue of {asked}; the most are {longest}")));
        }
        let interests = options.subscription.interests().into();
        let connection = Connection::new(options, self.limits);
        let (expelled, ending, farewell) = Default::default();
        let presence = Arc::new(Presence::new());
        let entry = Entry { connection, presence, is_pushed_to, expelled, ending, farewell };
        let entry = Arc::new(entry);
        let row = Row { entry: entry.clone(), interests };
        let most = self.limits.consumers;
        if self.table.lock().len() >= most {
            self.make_room(|role| matches!(role, Role::PushConsumer | Role::PullConsumer));
        }
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

    /// Makes room for one more client, if one of these roles is gone.
    fn make_room(self: &Arc<Self>, among: impl Fn(Role) -> bool) {
        make_room(self.candidates(among), self.limits);
    }

    /// Begins to look for clients that are gone, now and then.
    pub(crate) fn keep_swept(self: &Arc<Self>) {
        let hub = Arc::downgrade(self);
        self.sweeper.start(self.limits.probe, move || match hub.upgrade() {
            Some(hub) => {
                sweep(hub.candidates(|_| true), hub.limits);
                true
            }
            None => false,
        });
    }

    /// The clients of these roles that may be gone.
    fn candidates(self: &Arc<Self>, among: impl Fn(Role) -> bool) -> Vec<Candidate> {
        let mut found = Vec::new();
        for row in self.table.lock().clone().iter() {
            let role = if row.entry.is_pushed_to { Role::PushConsumer } else { Role::PullConsumer };
            let (hub, entry) = (Arc::downgrade(self), Arc::downgrade(&row.entry));
            let forget: Ending = Box::new(move || {
                if let (Some(hub), Some(entry)) = (hub.upgrade(), entry.upgrade()) {
                    hub.expel(&entry);
                }
            });
            found.push(Candidate { role, presence: row.entry.presence.clone(), forget });
        }
        for (number, supplier) in &self.members().suppliers {
            let (hub, number, end) = (Arc::downgrade(self), *number, supplier.forget.clone());
            let forget: Ending = Box::new(move || {
                hub.upgrade().and_then(|hub| hub.remove_supplier(number));
                end();
            });
            let presence = supplier.presence.clone();
            found.push(Candidate { role: Role::Supplier, presence, forget });
        }
        let proxies = self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        for Proxy { presence, is_connected, end } in proxies.values().cloned() {
            if !is_connected.load(Ordering::Relaxed) {
                let forget: Ending = Box::new(move || end());
                found.push(Candidate { role: Role::Unconnected, presence, forget });
            }
        }
        drop(proxies);
        found.retain(|candidate| among(candidate.role));
        found
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
        self: &Arc<Self>,
        reference: Option<PushSupplierRef>,
        presence: &Arc<Presence>,
        forget: Ending,
    ) -> Result<u64, EventError> {
        if self.members().suppliers.len() >= self.limits.suppliers {
            self.make_room(|role| role == Role::Supplier);
        }
        reference.iter().for_each(|supplier| presence.set_reference(supplier.object()));
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
        let (presence, forget) = (presence.clone(), forget.into());
        members.suppliers.insert(number, Supplier { reference, presence, forget });
        Ok(number)
    }

    /// Removes a supplier. Returns its reference, if it has given one.
    pub(crate) fn remove_supplier(&self, number: u64) -> Option<PushSupplierRef> {
        self.members().suppliers.remove(&number)?.reference
    }

    /// The right to make one more plain proxy, which `end` ends.
    pub(crate) fn permit_proxy(self: &Arc<Self>, end: Ending) -> Result<ProxyPermit, EventError> {
        let most = self.limits.consumers + self.limits.suppliers;
        let lock = || self.proxies.lock().unwrap_or_else(PoisonError::into_inner);
        if lock().len() >= most {
            self.make_room(|role| role == Role::Unconnected);
        }
        let number = {
            let mut members = self.members();
            members.next += 1;
            members.next
        };
        let mut proxies = lock();
        if proxies.len() >= most {
            return Err(EventError::Limit(format!("{most} proxies (ChannelLimits)")));
        }
        let (presence, is_connected) = (Arc::new(Presence::new()), Arc::default());
        let proxy = Proxy { presence, is_connected, end: end.into() };
        let Proxy { presence, is_connected, .. } = proxy.clone();
        proxies.insert(number, proxy);
        Ok(ProxyPermit { proxies: self.proxies.clone(), number, presence, is_connected })
    }

    /// Disconnects everybody, and ends the objects of the channel (Event Service 1.2, 2.3.2).
    /// Nothing can connect any more.
    pub(crate) fn destroy(&self) {
        if self.is_closed() {
            return;
        }
        let mut members = self.members();
        self.ended.store(true, Ordering::SeqCst);
        self.sweeper.end();
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

    /// Ends the channel with its process: clients are not told, because they are connected again by
    /// the next process.
    #[cfg(feature = "server")]
    pub(crate) fn close(&self) {
        let mut members = self.members();
        self.closed.store(true, Ordering::SeqCst);
        self.ended.store(true, Ordering::SeqCst);
        self.sweeper.end();
        members.suppliers.clear();
        let table = std::mem::take(&mut *self.table.lock());
        drop(members);
        for row in table.iter() {
            row.entry.connection.end();
        }
    }

    /// Whether it has ended with its process.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
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
        entry.connection.run(consumer, &entry.presence);
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
