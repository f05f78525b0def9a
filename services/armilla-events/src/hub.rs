//! The channel without its CORBA objects: who is connected, and where events go.

use crate::connection::{Connection, Offered};
use crate::consumer::Consumer;
use crate::corba::comm::{PushSupplier as _, PushSupplierRef};
use crate::corba::{ChannelStatistics, Event};
use crate::correlation::covers;
use crate::entry::{ConsumerState, Entry, Measured};
use crate::error::EventError;
use crate::farewell::{Ending, say_farewell};
use crate::options::{ChannelLimits, ConsumerOptions};
use crate::places::{Proxies, ProxyPermit, Suppliers};
use crate::presence::Presence;
use crate::subscription::Subscription;
use crate::sweep::{Candidate, Role, Sweeper, make_room, sweep};
use armilla::{SystemException, blocking};
use armilla_ipc::real_time::PiMutex;
use armilla_rt::{Measurement, Priority, RtErrorKind, RtOrb};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, mpsc};
use std::thread;
use tracing::warn;

/// Whether the caller may push so many events now, if not everybody may as many as it likes.
pub(crate) type Toll = Arc<dyn Fn(u64) -> Result<(), SystemException> + Send + Sync>;

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
    pub(crate) toll: Option<Toll>,
    /// What suppliers read. It is replaced whole, under `members`.
    table: PiMutex<Arc<Vec<Row>>>,
    /// Held while clients come and go, consumers, too.
    members: Mutex<Suppliers>,
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

impl Hub {
    /// The consumers that are connected.
    #[cfg_attr(not(feature = "server"), allow(dead_code))]
    pub(crate) fn consumers(&self) -> Vec<ConsumerState> {
        let table = self.table.lock().clone();
        table.iter().map(|row| row.entry.state()).collect()
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
            toll: None,
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

    /// Takes events that a client pushes from its share.
    ///
    /// # Errors
    /// `TRANSIENT` if that is used up for now.
    pub(crate) fn take_toll(&self, events: usize) -> Result<(), armilla::SystemException> {
        self.toll.as_ref().map_or(Ok(()), |toll| toll(events as u64))
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
        let entry = Arc::new(Entry::new(connection, is_pushed_to));
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
        entry.end();
    }

    /// Removes a plain consumer that wants nothing more. Its thread tells it all the same, as the
    /// Event Service has it (2.1.3).
    pub(crate) fn part(&self, entry: &Arc<Entry>) {
        entry.expel();
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
            let (hub, entry) = (Arc::downgrade(self), Arc::downgrade(&row.entry));
            let forget: Ending = Box::new(move || {
                if let (Some(hub), Some(entry)) = (hub.upgrade(), entry.upgrade()) {
                    hub.expel(&entry);
                }
            });
            let (role, presence) = (row.entry.role(), row.entry.presence.clone());
            found.push(Candidate { role, presence, forget });
        }
        let hub = Arc::downgrade(self);
        let remove = move |number| drop(hub.upgrade().and_then(|hub| hub.remove_supplier(number)));
        found.extend(self.members().candidates(&remove));
        found.extend(self.proxies.candidates());
        found.retain(|candidate| among(candidate.role));
        found
    }

    /// Disconnects a consumer, which is told.
    fn expel(&self, entry: &Arc<Entry>) {
        if !entry.expel() {
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
        let most = self.limits.suppliers;
        if self.members().count() >= most {
            self.make_room(|role| role == Role::Supplier);
        }
        reference.iter().for_each(|supplier| presence.set_reference(supplier.object()));
        let mut members = self.members();
        if self.has_ended() {
            return Err(EventError::Ended);
        }
        members.add(reference, presence, forget, most)
    }

    /// Removes a supplier. Returns its reference, if it has given one.
    pub(crate) fn remove_supplier(&self, number: u64) -> Option<PushSupplierRef> {
        self.members().remove(number)
    }

    /// The right to make one more plain proxy, which `end` ends.
    pub(crate) fn permit_proxy(self: &Arc<Self>, end: Ending) -> Result<ProxyPermit, EventError> {
        let most = self.limits.consumers + self.limits.suppliers;
        if self.proxies.count() >= most {
            self.make_room(|role| role == Role::Unconnected);
        }
        self.proxies.permit(end, most)
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
        let suppliers = members.take();
        let table = std::mem::take(&mut *self.table.lock());
        drop(members);
        let mut farewells = Vec::<Ending>::new();
        for Row { entry, .. } in table.iter() {
            entry.expel();
            entry.connection.end();
            farewells.extend(entry.farewell());
        }
        for supplier in suppliers {
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
        members.take();
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
            suppliers: count(self.members().count()),
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
        if entry.is_expelled()
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

    fn members(&self) -> MutexGuard<'_, Suppliers> {
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
