//! What a consumer and a channel are made from.

use crate::corba::{ConsumerQos, DiscardPolicy, InvalidQos, OrderPolicy};
use crate::subscription::Subscription;
use armilla_rt::Priority;
use std::time::Duration;

/// How a consumer is served.
///
/// ```
/// use armilla_events::corba::{DiscardPolicy, OrderPolicy};
/// use armilla_events::{ConsumerOptions, Subscription};
///
/// let options = ConsumerOptions::new(Subscription::of_type(20))
///     .queue_length(8)
///     .discard(DiscardPolicy::DiscardOldest)
///     .order(OrderPolicy::PriorityOrder);
/// # let _ = options;
/// ```
#[derive(Debug, Clone)]
pub struct ConsumerOptions {
    pub(crate) subscription: Subscription,
    pub(crate) priority: Option<Priority>,
    pub(crate) operation: String,
    pub(crate) queue_length: usize,
    pub(crate) order: OrderPolicy,
    pub(crate) discard: DiscardPolicy,
}

impl ConsumerOptions {
    /// A queue of the channel's default length, in the order of arrival, whose oldest delivery
    /// makes room for a new one; at the priority of the channel.
    pub fn new(subscription: Subscription) -> Self {
        Self {
            subscription,
            priority: None,
            operation: String::new(),
            queue_length: 0,
            order: OrderPolicy::FifoOrder,
            discard: DiscardPolicy::DiscardOldest,
        }
    }

    /// The CORBA priority at which the consumer is called.
    #[must_use]
    pub const fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// The operation that the events trigger: without a priority the consumer gets the one of this
    /// operation in the channel's schedule.
    #[must_use]
    pub fn operation(mut self, name: impl Into<String>) -> Self {
        self.operation = name.into();
        self
    }

    /// How many deliveries may wait.
    #[must_use]
    pub const fn queue_length(mut self, deliveries: usize) -> Self {
        self.queue_length = deliveries;
        self
    }

    /// The order of the queue.
    #[must_use]
    pub const fn order(mut self, order: OrderPolicy) -> Self {
        self.order = order;
        self
    }

    /// What happens to an event that finds the queue full.
    #[must_use]
    pub const fn discard(mut self, discard: DiscardPolicy) -> Self {
        self.discard = discard;
        self
    }

    /// The same as a remote consumer sends it.
    pub fn to_qos(&self) -> ConsumerQos {
        ConsumerQos {
            subscription: self.subscription.term().clone(),
            priority: self.priority.map_or(-1, Priority::get),
            operation: self.operation.clone(),
            queue_length: u32::try_from(self.queue_length).unwrap_or(u32::MAX),
            order: self.order,
            discard: self.discard,
        }
    }

    pub(crate) fn from_qos(qos: &ConsumerQos) -> Result<Self, InvalidQos> {
        let priority = match qos.priority {
            -1 => None,
            number => Some(Priority::new(number).ok_or_else(|| InvalidQos {
                reason: format!("the priority {number} is neither -1 nor 0 to 32767"),
            })?),
        };
        Ok(Self {
            subscription: qos.subscription.clone().into(),
            priority,
            operation: qos.operation.clone(),
            queue_length: qos.queue_length as usize,
            order: qos.order,
            discard: qos.discard,
        })
    }
}

/// The bounds of a channel. All are finite.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ChannelLimits {
    /// The most consumers; each has a thread. Default: 256.
    pub consumers: usize,
    /// The most suppliers that are connected. Default: 1,024.
    pub suppliers: usize,
    /// The length of a queue unless its consumer says otherwise. Default: 1,024.
    pub queue_length: usize,
    /// The data that wait in a queue at most, in octets; a single delivery may be larger. A queue is
    /// full when it has either this or its length. Default: 4 MiB.
    pub queue_octets: usize,
    /// Whether consumers of other processes may choose `BLOCK_SUPPLIER`, by which a slow one slows
    /// all suppliers and so all other consumers. Consumers of this process always may. Default: no.
    pub remote_block: bool,
    /// The longest queue that a consumer may ask for. Default: 65,536.
    pub longest_queue: usize,
    /// How long a supplier waits for a queue that blocks it; then the event is lost. Default: 1 s.
    pub block: Duration,
    /// How long a call of a consumer may take. Default: 2 s.
    pub delivery: Duration,
    /// How often clients that have given a reference and were not heard of since are asked whether
    /// they are there. One that does not exist any more, or is not reached twice in a row, is
    /// disconnected. Default: 30 s.
    pub probe: Duration,
    /// After how long without a call a pull consumer that has given no reference is disconnected,
    /// and a proxy ended that nobody has connected to. Default: 10 min.
    pub idle: Duration,
    /// For how long a client must have called nothing to lose its place to another one when all
    /// places are taken. Default: 1 s.
    pub idle_if_full: Duration,
    /// After so many calls in a row that fail, the consumer is disconnected. Default: 3.
    pub failures: u32,
    /// How long a `pull` waits for an event, before it fails with `TRANSIENT`. Default: 60 s.
    pub pull: Duration,
    /// How often a pull supplier that had nothing is asked again. Default: 20 ms.
    pub pull_interval: Duration,
    /// To how many channels more an event that comes from another process may pass on, whatever its
    /// header says: where channels are joined in a circle, each hop multiplies it. Default: 4.
    pub hops: u8,
}

impl Default for ChannelLimits {
    fn default() -> Self {
        Self {
            consumers: 256,
            suppliers: 1_024,
            queue_length: 1_024,
            queue_octets: 4 << 20,
            remote_block: false,
            longest_queue: 65_536,
            block: Duration::from_secs(1),
            delivery: Duration::from_secs(2),
            probe: Duration::from_secs(30),
            idle: Duration::from_secs(600),
            idle_if_full: Duration::from_secs(1),
            failures: 3,
            pull: Duration::from_secs(60),
            pull_interval: Duration::from_millis(20),
            hops: 4,
        }
    }
}
