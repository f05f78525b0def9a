//! The event channel of a program.

use crate::consumer::Consumer;
use crate::corba::{ChannelStatistics, ConsumerStatistics, Event, EventChannelRef};
use crate::entry::Entry;
use crate::error::EventError;
use crate::hub::{Hub, Toll};
use crate::kept::Persistence;
use crate::options::{ChannelLimits, ConsumerOptions};
use crate::servant::{Rights, serve};
use crate::subscription::Subscription;
use armilla::{Poa, SystemException};
use armilla_rt::{Measurement, Priority, PriorityModel, RtOrb, Threadpool};
use armilla_schedule::Report;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// A real-time event channel in this process. It serves until it is destroyed, or the last clone of
/// this value is dropped. All methods may be called by any thread.
#[derive(Clone)]
#[must_use = "the channel ends when this is dropped"]
pub struct EventChannel(Arc<Inner>);

struct Inner {
    hub: Arc<Hub>,
    reference: EventChannelRef,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.hub.destroy();
    }
}

/// What a channel is made from.
#[must_use = "only `build` makes the channel"]
pub struct EventChannelBuilder {
    rt: RtOrb,
    name: String,
    threadpool: Option<Threadpool>,
    limits: ChannelLimits,
    priority: Option<Priority>,
    schedule: BTreeMap<String, Priority>,
    strict: bool,
    measurement: Option<Measurement>,
    parent: Option<Poa>,
    rights: Option<Rights>,
    toll: Option<Toll>,
    persistence: Option<Persistence>,
}

impl EventChannelBuilder {
    /// Makes the POA of the channel below this one.
    #[cfg(feature = "server")]
    pub(crate) fn parent(mut self, poa: &Poa) -> Self {
        self.parent = Some(poa.clone());
        self
    }

    /// Says who of the clients may destroy the channel. By default everybody may.
    #[cfg(feature = "server")]
    pub(crate) fn rights(mut self, rights: Rights) -> Self {
        self.rights = Some(rights);
        self
    }

    /// Asks this for the events that clients push.
    #[cfg(feature = "server")]
    pub(crate) fn toll(mut self, toll: Option<Toll>) -> Self {
        self.toll = toll;
        self
    }

    /// Has the objects of the channel and its clients outlive the process.
    #[cfg(feature = "server")]
    pub(crate) fn persistence(mut self, persistence: Persistence) -> Self {
        self.persistence = Some(persistence);
        self
    }

    /// Names the channel, and the POA of its objects. Default: `events`.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Remote suppliers push through the lanes of this pool, each in the lane of its priority. By
    /// default the ORB's own threads serve them.
    pub fn threadpool(mut self, pool: &Threadpool) -> Self {
        self.threadpool = Some(pool.clone());
        self
    }

    /// The priority of consumers that have none of their own, and of the requests of suppliers
    /// without one. By default threads keep that which they have.
    pub const fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Takes the priorities of operations from an analysis with fixed priorities: a consumer whose
    /// events trigger an operation ([`ConsumerOptions::operation`]) is called at its priority. The
    /// native priorities of the report are the CORBA priorities here, which
    /// [`DirectMapping`](armilla_rt::DirectMapping) maps to themselves.
    pub fn schedule(mut self, report: &Report) -> Self {
        let operations = report.operations.iter().filter_map(|operation| {
            let number = i16::try_from(operation.priority?).ok()?;
            Some((operation.name.clone(), Priority::new(number)?))
        });
        self.schedule.extend(operations);
        self
    }

    /// Sets the bounds.
    pub const fn limits(mut self, limits: ChannelLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Measures what the events of consumers take that name an
    /// [operation](ConsumerOptions::operation).
    pub fn measure(mut self, measurement: &Measurement) -> Self {
        self.measurement = Some(measurement.clone());
        self
    }

    /// Refuses consumers whose threads cannot have their native priorities. By default the log
    /// says so.
    pub const fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Makes the channel and activates its object.
    ///
    /// # Errors
    /// `OBJ_ADAPTER` if the ORB has a channel of this name already, `INITIALIZE` if it cannot
    /// listen, and those of [`RtPoaBuilder::build`](armilla_rt::RtPoaBuilder::build).
    pub fn build(self) -> Result<EventChannel, SystemException> {
        let orb = self.rt.orb().clone();
        let parent = self.parent.clone().unwrap_or_else(|| orb.root_poa());
        let poa = parent.create_poa(&*self.name);
        let mut poa = self.rt.poa(match &self.persistence {
            Some(_) => poa.persistent().user_ids(),
            None => poa,
        });
        if let Some(pool) = &self.threadpool {
            poa = poa.threadpool(pool);
        }
        if let Some(priority) = self.priority {
            poa = poa.priority_model(PriorityModel::ClientPropagated(priority));
        }
        let poa = poa.build()?;
        let Self { rt, limits, priority, schedule, strict, measurement, toll, .. } = self;
        let (rights, persistence) = (self.rights, self.persistence);
        let mut hub = Hub::new(&rt, limits, priority, schedule, strict);
        (hub.measurement, hub.toll) = (measurement, toll);
        let hub = Arc::new(hub);
        let reference = serve(&hub, poa.poa(), rights, persistence)?;
        hub.keep_swept();
        Ok(EventChannel(Arc::new(Inner { hub, reference })))
    }
}

impl EventChannel {
    /// Begins to make a channel.
    pub fn builder(rt: &RtOrb) -> EventChannelBuilder {
        EventChannelBuilder {
            rt: rt.clone(),
            name: "events".to_owned(),
            threadpool: None,
            limits: ChannelLimits::default(),
            priority: None,
            schedule: BTreeMap::new(),
            strict: false,
            measurement: None,
            parent: None,
            rights: None,
            toll: None,
            persistence: None,
        }
    }

    /// The channel as an object: `RtEvents::EventChannel`, which is a
    /// `CosEventChannelAdmin::EventChannel`.
    pub fn reference(&self) -> &EventChannelRef {
        &self.0.reference
    }

    /// Pushes an event. Returns when it is queued for each consumer that wants it; it waits only
    /// for consumers that block their suppliers.
    pub fn push(&self, event: Event) {
        self.0.hub.publish(&Arc::new(event));
    }

    /// Connects a consumer of this process: a closure, an implementation of [`Consumer`], or a
    /// reference to a remote one.
    ///
    /// # Errors
    /// Says what of the options cannot be had.
    pub fn connect(
        &self,
        consumer: impl Consumer,
        options: ConsumerOptions,
    ) -> Result<ConsumerConnection, EventError> {
        let hub = &self.0.hub;
        let entry = hub.connect(Arc::new(consumer), &options)?;
        Ok(ConsumerConnection { hub: hub.clone(), entry })
    }

    /// Passes an event of another process on, but not to the consumer by which it has come, if any.
    pub(crate) fn push_foreign(&self, event: &Event, from: Option<&ConsumerConnection>) {
        self.0.hub.publish_foreign(event, from.map(|from| &from.entry));
    }

    /// Gives the calling thread a priority, as a consumer's thread gets it.
    pub(crate) fn raise(&self, priority: Option<Priority>) -> Result<(), EventError> {
        self.0.hub.raise(priority)
    }

    /// Counts of the channel.
    pub fn statistics(&self) -> ChannelStatistics {
        self.0.hub.statistics()
    }

    /// The channel without its objects.
    #[cfg(feature = "server")]
    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    /// Disconnects all suppliers and consumers, and tells them. The objects of the channel end with
    /// it: its administrations and proxies exist no longer.
    pub fn destroy(&self) {
        self.0.hub.destroy();
    }
}

/// A consumer that is connected to a channel of this process. It stays connected when this is
/// dropped.
#[derive(Clone)]
pub struct ConsumerConnection {
    hub: Arc<Hub>,
    entry: Arc<Entry>,
}

impl ConsumerConnection {
    /// Counts of this consumer.
    pub fn statistics(&self) -> ConsumerStatistics {
        self.entry.connection.statistics()
    }

    /// Replaces the subscription. What is queued stays.
    ///
    /// # Errors
    /// If the new one makes no sense; the old one stays then.
    pub fn change_subscription(&self, subscription: &Subscription) -> Result<(), EventError> {
        self.hub.subscribe(&self.entry, subscription)
    }

    /// Until [`resume`](Self::resume) events are neither queued nor counted as lost.
    pub fn suspend(&self) {
        self.entry.connection.suspend(true);
    }

    /// Takes events again.
    pub fn resume(&self) {
        self.entry.connection.suspend(false);
    }

    /// Whether the consumer is still connected.
    pub fn is_connected(&self) -> bool {
        !self.entry.connection.has_ended()
    }

    /// Disconnects the consumer, which is not told. A delivery that has begun ends.
    pub fn disconnect(&self) {
        self.hub.leave(&self.entry);
    }
}

impl fmt::Debug for EventChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventChannel").field(&self.statistics()).finish()
    }
}

impl fmt::Debug for EventChannelBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventChannelBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for ConsumerConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ConsumerConnection").field(&self.statistics()).finish()
    }
}
